#!/usr/bin/env node
// The same emoji as different artists drew it: a folder for each emoji, a PNG file for each style.
//
//   node scripts/fetch_emoji.mjs [--out data/emoji] [--size 64] [--styles a,b,...] [--at-least 4]
//
// The drawings come from Iconify's npm packages and are rendered on white; names, categories and
// skin tones come from the npm package emojibase-data. OUT/<code points>/<style>.png are the
// images, and OUT.csv has a line for each of them (docs/DATA.md lists its columns). Images of the
// right size that are there already are kept, so that an interrupted run can be continued.
import {closeSync, openSync, readdirSync, readFileSync, readSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {iconsOfEmoji, meaningsOfNames, readEmoji, sharedEmoji} from './data/emoji_catalogue.mjs';
import {csvLine, parseOptions, progress, run, UserError, writeWhole} from './data/files.mjs';
import {installPackages} from './data/packages.mjs';
import {encodePng, pngSize} from './data/png.mjs';

// Six sets in colour that cover people with all skin tones. The default can be replaced by any
// subset of them.
const kStyles = {
  'noto': '1.2.9',
  'noto-v1': '1.2.5',
  'twemoji': '1.2.5',
  'openmoji': '1.2.29',
  'fluent-emoji-flat': '1.2.6',
  'emojione': '1.2.3'
};
const kTools = {
  'emojibase-data': '17.0.0',
  '@resvg/resvg-wasm': '2.6.2'
};
const kColumns =
    ['path', 'emoji', 'base', 'style', 'category', 'subcategory', 'skin_tone', 'gender', 'name'];

const packageOf = (style) => `@iconify-json/${style}`;
const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));

function chosenStyles(text) {
  const styles = text.split(',');
  for (const style of styles) {
    if (Object.hasOwn(kStyles, style)) continue;
    throw new UserError(
        `[emoji] --styles: expected some of ${Object.keys(kStyles).join(',')}, got '${style}'`);
  }
  return styles;
}

function readSet(folder, style) {
  const {icons, aliases = {}, width = 16, height = 16} =
      readJson(folder, packageOf(style), 'icons.json');
  return {icons, aliases, width, height, chars: readJson(folder, packageOf(style), 'chars.json')};
}

/** The drawing as a square document; one that is not square is centred. */
function documentOf(set, name, size) {
  const icon = set.icons[name];
  const box = [icon.left ?? 0, icon.top ?? 0, icon.width ?? set.width, icon.height ?? set.height];
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ` +
      `width="${size}" height="${size}" viewBox="${box.join(' ')}">${icon.body}</svg>`;
}

/**
 * Loads resvg as WebAssembly: it is the same on every machine, and where it fails (on a dozen of
 * these drawings it does) it throws, while the native library ends the process.
 */
async function loadRenderer(folder) {
  const {initWasm, Resvg} = createRequire(join(folder, 'adassl'))('@resvg/resvg-wasm');
  await initWasm(readFileSync(join(folder, '@resvg/resvg-wasm/index_bg.wasm')));
  return Resvg;
}

/** The drawing as a PNG file; null if it cannot be rendered. */
function render(Resvg, svg, size) {
  try {
    const drawing = new Resvg(svg, {background: '#fff', font: {loadSystemFonts: false}});
    const picture = drawing.render();
    const rgba = picture.pixels;
    const rgb = Buffer.alloc(size * size * 3);
    for (let from = 0, to = 0; to < rgb.length; ++from) {
      if (from % 4 !== 3) rgb[to++] = rgba[from];
    }
    picture.free();
    drawing.free();
    return encodePng({width: size, height: size, rgb});
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) return null;
    throw error;
  }
}

/** Whether a PNG file of this size is there. It was renamed when it was whole. */
function isThere(path, size) {
  const head = Buffer.alloc(24);
  try {
    const file = openSync(path, 'r');
    readSync(file, head);
    closeSync(file);
  } catch {
    return false;
  }
  const found = pngSize(head);
  return found !== null && found.width === size && found.height === size;
}

function countImages(folder) {
  const folders = readdirSync(folder, {withFileTypes: true}).filter((entry) => entry.isDirectory());
  const names = folders.flatMap((entry) => readdirSync(join(folder, entry.name)));
  return names.filter((name) => name.endsWith('.png')).length;
}

function tableLine(path, style, emoji) {
  const {key, base, category, subcategory, skinTone, gender, name} = emoji;
  return csvLine([path, key, base, style, category, subcategory, skinTone, gender, name]);
}

/** Reads the icon sets and finds the emoji that enough of the styles share. */
function findShared(folder, styles, atLeast) {
  const emoji = readEmoji(
      readJson(folder, 'emojibase-data/en/data.json'),
      readJson(folder, 'emojibase-data/meta/groups.json'));
  // All six sets are read even for fewer styles: those with code points explain others' names.
  const sets = new Map(Object.keys(kStyles).map((style) => [style, readSet(folder, style)]));
  const meanings = meaningsOfNames(emoji, [...sets.values()]);
  const icons =
      new Map(styles.map((style) => [style, iconsOfEmoji(sets.get(style), emoji, meanings)]));
  const shared = sharedEmoji(emoji, icons, atLeast);
  if (shared.length === 0) {
    throw new UserError(`[emoji] expected emoji that ${atLeast} styles share, got none`);
  }
  return {sets, shared};
}

/** Renders the images that are missing. Returns the lines of the table, and what went how. */
function renderAll(Resvg, {sets, shared}, out, size) {
  const total = shared.reduce((sum, {icons}) => sum + Object.keys(icons).length, 0);
  const step = progress(total, 'images');
  const result = {lines: [], rendered: 0, failed: []};
  for (const {emoji, icons} of shared) {
    for (const [style, icon] of Object.entries(icons)) {
      const path = `${emoji.key}/${style}.png`;
      step();
      if (!isThere(join(out, path), size)) {
        const png = render(Resvg, documentOf(sets.get(style), icon, size), size);
        if (png === null) {
          result.failed.push(path);
          continue;
        }
        writeWhole(join(out, path), png);
        ++result.rendered;
      }
      result.lines.push(tableLine(path, style, emoji));
    }
  }
  return result;
}

await run(async (args) => {
  const options = parseOptions(
      args, {out: 'data/emoji', size: 64, styles: Object.keys(kStyles).join(','), 'at-least': 4},
      'emoji');
  const {size} = options;
  if (size > 1024) throw new UserError(`[emoji] --size: expected at most 1024, got ${size}`);
  const out = options.out.replace(/\/+$/, '');
  const styles = chosenStyles(options.styles);
  const start = Date.now();
  const sets = Object.entries(kStyles).map(([style, version]) => [packageOf(style), version]);
  const folder = installPackages('emoji', {...Object.fromEntries(sets), ...kTools});

  const found = findShared(folder, styles, options['at-least']);
  const {lines, rendered, failed} = renderAll(await loadRenderer(folder), found, out, size);
  writeWhole(`${out}.csv`, csvLine(kColumns) + lines.join(''));

  if (failed.length > 0) console.log(`left out, as resvg fails on them: ${failed.join(' ')}`);
  const others = countImages(out) - lines.length;
  if (others > 0) console.log(`${others} images of an earlier run in ${out} are not listed`);
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  console.log(
      `${found.shared.length} emoji in ${styles.length} styles: ${lines.length} images in ${out} ` +
      `(${rendered} rendered now), listed in ${out}.csv, ${seconds} s`);
});
