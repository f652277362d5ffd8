#!/usr/bin/env node
// A multichannel time series whose causes are known, as a CSV file.
//
//   node scripts/make_series.mjs [--out data/series.csv] [--rows 20000] [--seed 1]
//
// Hidden, and written beside the channels so that a probe can look for them:
//   factor_k(t) = sqrt(2 / M) sum_m cos(w_km t + p_km),   k = 1, 2,   M = 64
//                 w_km ~ N(0, 1 / L_k^2), p_km uniform on [0, 2 pi)
//                 a smooth process of mean 0 and variance 1 with covariance exp(-d^2 / (2 L_k^2))
//                 over a distance of d rows; L_1 = 20 rows, L_2 = 100 rows
//   regime(t)     one of three, a Markov chain that moves to one of the others with probability
//                 1 / 100 in each row
// Seen:
//   channel_c(t) = tanh(a_sc f1 + b_sc f2 + g_sc f1 f2) + 0.2 n_c(t),   c = 1 ... 6, s = regime(t)
//                  a, b, g ~ N(0, 1), drawn once; n ~ N(0, 1) in each row
// Each purpose has random numbers of its own, so that the first rows of a longer series are those
// of a shorter one.
import {csvLine, parseOptions, run, UserError, writeWhole} from './data/files.mjs';

const kChannels = 6;
const kRegimes = ['calm', 'mixed', 'tense'];
const kWaves = 64;
const kLengths = [20, 100];  // rows
const kLeave = 1 / 100;
const kNoise = 0.2;

/** Uniform numbers in (0, 1) that depend on seed and purpose alone: a counter, hashed. */
function uniformStream(seed, purpose) {
  const mix = (value) => {
    let h = value >>> 0;
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return (h ^ (h >>> 16)) >>> 0;
  };
  let key = mix(seed + 0x9e3779b9);
  for (const letter of purpose) key = mix(Math.imul(key, 31) + letter.charCodeAt(0));
  let counter = 0;
  return () => {
    const high = mix(key ^ mix(counter++ + 0x3c6ef372));
    return (high + 0.5) / 4294967296;
  };
}

/** Normal numbers, by Box and Muller. */
function normalStream(seed, purpose) {
  const uniform = uniformStream(seed, purpose);
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

function smoothFactor(seed, number) {
  const normal = normalStream(seed, `frequencies ${number}`);
  const uniform = uniformStream(seed, `phases ${number}`);
  const waves = Array.from(
      {length: kWaves}, () => ({w: normal() / kLengths[number], p: 2 * Math.PI * uniform()}));
  return (t) => Math.sqrt(2 / kWaves) * waves.reduce((sum, {w, p}) => sum + Math.cos(w * t + p), 0);
}

await run((args) => {
  const {out, rows, seed} =
      parseOptions(args, {out: 'data/series.csv', rows: 20000, seed: 1}, 'series', 0);
  if (rows < 1 || rows > 10000000)
    throw new UserError(`[series] --rows: expected 1 to 10000000, got ${rows}`);
  const weight = normalStream(seed, 'weights');
  const weights =
      kRegimes.map(() => Array.from({length: kChannels}, () => [weight(), weight(), weight()]));
  const factors = [smoothFactor(seed, 0), smoothFactor(seed, 1)];
  const move = uniformStream(seed, 'moves');
  const noise = normalStream(seed, 'noise');

  const names = Array.from({length: kChannels}, (_, c) => `channel${c + 1}`);
  const lines = [csvLine([...names, 'factor1', 'factor2', 'regime'])];
  let regime = 0;
  for (let t = 0; t < rows; ++t) {
    const chance = move();
    if (chance < kLeave) regime = (regime + (chance < kLeave / 2 ? 1 : 2)) % kRegimes.length;
    const [f1, f2] = factors.map((factor) => factor(t));
    const channels = weights[regime].map(
        ([a, b, g]) => Math.tanh(a * f1 + b * f2 + g * f1 * f2) + kNoise * noise());
    lines.push(
        csvLine([...[...channels, f1, f2].map((value) => value.toFixed(5)), kRegimes[regime]]));
  }
  writeWhole(out, lines.join(''));
  console.log(`${out}: ${rows} rows of ${kChannels} channels, seed ${seed}`);
});
