#include "adassl/report/html.h"

namespace adassl::report {

// The row colours follow Okabe and Ito's colour-blind-safe set, darkened for white paper (yellow
// would vanish there) and lightened for dark screens. Print always uses the light ones.
std::string_view drawing_style() {
  return R"css(
:root {
  --paper: #ffffff; --card: #fafaf8; --ink: #1d2127; --muted: #646b75; --hair: #e1e3e6;
  --grid: #ebecef; --soft: #f0f1f3; --near: #e3f2ea; --near-ink: #17633c; --far: #fbeadf;
  --far-ink: #94440e;
  --c0: #0072b2; --c1: #d55e00; --c2: #008f68; --c3: #b0468c; --c4: #b07d00; --c5: #3c9bd6;
  --c6: #6a51a3; --c7: #7a6a58;
  color-scheme: light dark;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --card: #1a1e23; --ink: #e7e9ec; --muted: #9aa2ad; --hair: #2f353d;
    --grid: #272c33; --soft: #242930; --near: #173527; --near-ink: #7fd6a6; --far: #3d2617;
    --far-ink: #f2ab7a;
    --c0: #56a9e8; --c1: #ff8a45; --c2: #2fc79a; --c3: #e58cc3; --c4: #eab934; --c5: #9ad4f7;
    --c6: #b39ddb; --c7: #c0ad97;
  }
}
svg text { fill: var(--muted); font-size: 12px; }
svg .name { fill: var(--ink); font-size: 13px; font-weight: 600; }
svg .small { font-size: 10px; }
svg .end { font-weight: 600; }
svg .beside { paint-order: stroke; stroke: var(--paper); stroke-width: 3px;
  stroke-linejoin: round; }
svg .line { fill: none; stroke-linejoin: round; stroke-linecap: round; }
svg .gridline { stroke: var(--grid); }
svg .axis { stroke: var(--muted); }
)css";
}

std::string_view page_style() {
  return R"css(
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 56px 24px 72px; max-width: 1120px; background: var(--paper);
  color: var(--ink); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans",
  "Helvetica Neue", Arial, sans-serif; font-variant-numeric: tabular-nums;
  -webkit-text-size-adjust: 100%;
}
h1 { font-size: 32px; line-height: 1.2; letter-spacing: -0.015em; margin: 4px 0 12px; }
h2 { font-size: 20px; line-height: 1.3; letter-spacing: -0.005em; margin: 64px 0 4px; }
h3 { font-size: 15px; margin: 28px 0 8px; }
p { margin: 0; max-width: 82ch; }
.source { color: var(--muted); font-size: 13px; }
.lead { font-size: 17px; }
.found { margin: 0 0 16px; font-size: 20px; line-height: 1.4; font-weight: 600; }
.findings { margin: 0 0 18px; padding: 0; list-style: none; max-width: 82ch; }
.findings li { margin: 0 0 8px; padding: 10px 14px; background: var(--soft); border-radius: 6px;
  font-size: 15px; }
.findings li:first-child { font-size: 18px; line-height: 1.45; padding: 14px 16px; }
.found + .findings li:first-child { font-size: 15px; line-height: inherit; padding: 10px 14px; }
.verdict { display: inline-block; margin-right: 6px; }
.verdict::first-letter { text-transform: uppercase; }
.findings .alarm { background: var(--far); color: var(--far-ink); }
.findings .well { background: var(--near); color: var(--near-ink); }
.spark { width: 240px; }
.plain td.way { padding-top: 4px; padding-bottom: 2px; width: 260px; }
.plain tbody th small { max-width: 46ch; white-space: normal; }
.neighbours td, .neighbours tbody th { padding: 8px 14px 8px 0; }
.neighbours td div { display: flex; gap: 4px; }
.neighbours img { display: block; width: 52px; height: auto; border-radius: 3px; }
.neighbours .asked { width: 110px; }
.neighbours .asked img { width: 72px; }
.neighbours small { display: block; color: var(--muted); font-size: 11px; line-height: 1.3;
  overflow-wrap: anywhere; max-width: 110px; }
.note { color: var(--muted); font-size: 13px; margin-bottom: 18px; }
.after { margin: 14px 0 0; }
.facts {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 16px 28px;
  margin: 28px 0 0; padding: 18px 0; border-top: 1px solid var(--hair);
  border-bottom: 1px solid var(--hair);
}
.facts dt { color: var(--muted); font-size: 12px; }
.facts dd { margin: 0; font-size: 14px; line-height: 1.4; overflow-wrap: anywhere; }
.facts .wide { grid-column: span 2; }
.scroll { overflow-x: auto; }
.samples { display: flex; flex-wrap: wrap; gap: 14px; margin: 0 0 20px; }
.samples figure { margin: 0; padding: 4px; width: 152px; border: 1px solid transparent;
  border-radius: 6px; }
.samples .marked { border-color: var(--hair); background: var(--soft); }
.samples img { display: block; width: 144px; image-rendering: pixelated; border-radius: 3px; }
.samples figcaption { font-size: 12px; line-height: 1.35; overflow-wrap: anywhere;
  margin-top: 4px; }
.samples small { display: block; color: var(--muted); }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; font-size: 13px; vertical-align: bottom; }
th, td { padding: 10px 18px 10px 0; border-bottom: 1px solid var(--hair); }
td { vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
thead th { border-bottom: 1px solid var(--muted); }
thead .over th { border-bottom: 0; padding-bottom: 0; color: var(--muted); }
tbody th { font-size: 15px; vertical-align: top; line-height: 1.4; }
tbody th small, .card small { display: block; font-weight: 400; font-size: 12px;
  color: var(--muted); }
.results td { min-width: 118px; }
.results span, .ours { white-space: nowrap; }
.dense th, .dense td { padding-right: 14px; }
.dense .ours { font-size: 14px; }
.group th { padding-top: 26px; color: var(--muted); font-size: 13px; }
.swatch { display: inline-block; width: 10px; height: 10px; border-radius: 50%;
  margin-right: 8px; }
.ours { font-size: 15px; }
.best .ours { font-weight: 700; }
.theirs { font-size: 12px; color: var(--muted); display: flex; justify-content: space-between;
  gap: 2px 6px; align-items: baseline; flex-wrap: wrap; }
.chip { border-radius: 9px; padding: 0 7px; background: var(--soft); color: var(--ink); }
.chip.near { background: var(--near); color: var(--near-ink); }
.chip.far { background: var(--far); color: var(--far-ink); }
.strip { display: block; width: 100%; height: 24px; overflow: visible; }
.scale { display: block; width: 100%; height: 14px; overflow: visible; font-size: 11px;
  font-weight: 400; }
.plain td, .plain tbody th { padding-top: 7px; padding-bottom: 7px; font-size: 14px; }
.grid2 { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 460px), 1fr));
  gap: 28px 32px; }
.grid3 { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 310px), 1fr));
  gap: 20px; }
.card { border: 1px solid var(--hair); border-radius: 8px; padding: 14px 16px;
  background: var(--card); break-inside: avoid; }
.card b { font-size: 14px; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(120px, 1fr)); gap: 8px;
  margin-top: 8px; }
.values { display: grid; grid-template-columns: 1fr auto; gap: 1px 12px; margin: 8px 0 0;
  font-size: 12px; }
.values.wide { grid-template-columns: repeat(3, 1fr auto); gap: 4px 12px; font-size: 14px; }
.values.wide dd { padding-right: 28px; font-weight: 600; }
.values dt { color: var(--muted); }
.values dd { margin: 0; text-align: right; }
svg { display: block; width: 100%; height: auto; font-family: inherit; }
figure { margin: 0; break-inside: avoid; position: relative; }
.tip { position: absolute; pointer-events: none; background: var(--paper); color: var(--ink);
  border: 1px solid var(--hair); border-radius: 6px; padding: 6px 10px; font-size: 12px;
  line-height: 1.45; box-shadow: 0 2px 10px rgb(0 0 0 / 0.14); white-space: nowrap; z-index: 1; }
details { margin-top: 40px; border-top: 1px solid var(--hair); padding-top: 14px; }
summary { cursor: pointer; font-weight: 600; }
pre { overflow-x: auto; background: var(--soft); border-radius: 8px; padding: 16px;
  font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
footer { margin-top: 64px; color: var(--muted); font-size: 12px; }
@media (min-width: 900px) { tbody th { white-space: nowrap; } }
@media (max-width: 760px) {
  body { padding: 32px 16px 48px; }
  h1 { font-size: 26px; }
  .spark { width: 88px; }
  .plain td.way { width: 96px; }
  .plain th, .plain td { padding-right: 10px; }
}
@media print {
  body { padding: 0; max-width: none; font-size: 11pt; print-color-adjust: exact;
    -webkit-print-color-adjust: exact; }
  h2 { margin-top: 28pt; break-after: avoid; }
  tr, figure, .card { break-inside: avoid; }
  .scroll { overflow: visible; }
}
)css";
}

// Reading needs no script; this one only shows the values below the pointer. It reads the
// data-points of the mean lines ("step,value step,value ...") that line_chart.cpp writes.
std::string_view hover_script() {
  return R"js(
for (const figure of document.querySelectorAll("figure.chart")) {
  const svg = figure.querySelector("svg"), rule = svg.querySelector(".rule");
  const [left, right, low, high] = svg.dataset.scale.split(" ").map(Number);
  const lines = [...svg.querySelectorAll("[data-points]")].map(path => ({
    label: path.dataset.label, colour: path.getAttribute("stroke"),
    values: new Map(path.dataset.points.split(" ").map(pair => pair.split(","))),
  }));
  const steps = [...new Set(lines.flatMap(line => [...line.values.keys()]))];
  if (!steps.length) continue;
  const tip = document.createElement("div");
  tip.className = "tip"; tip.hidden = true; figure.append(tip);
  svg.addEventListener("pointerleave", () => { tip.hidden = true; rule.style.opacity = 0; });
  svg.addEventListener("pointermove", event => {
    const box = svg.getBoundingClientRect(), zoom = svg.viewBox.baseVal.width / box.width;
    const x = Math.min(right, Math.max(left, (event.clientX - box.left) * zoom));
    const wanted = low + (x - left) / (right - left) * (high - low);
    const nearer = (a, b) => Math.abs(a - wanted) <= Math.abs(b - wanted) ? a : b;
    const step = steps.reduce(nearer), at = left + (step - low) / (high - low) * (right - left);
    tip.replaceChildren(`step ${Number(step).toLocaleString("en")}`);
    for (const line of lines) {
      const entry = document.createElement("div"), dot = document.createElement("span");
      dot.className = "swatch"; dot.style.background = line.colour;
      entry.append(dot, `${line.label}  ${line.values.get(step) ?? "n/a"}`); tip.append(entry);
    }
    rule.setAttribute("x1", at); rule.setAttribute("x2", at); rule.style.opacity = 1;
    tip.hidden = false;
    const place = at / zoom;
    tip.style.left = `${place > box.width / 2 ? place - tip.offsetWidth - 12 : place + 12}px`;
    tip.style.top = "36px";
  });
}
)js";
}

}  // namespace adassl::report
