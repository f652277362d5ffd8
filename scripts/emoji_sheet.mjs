#!/usr/bin/env node
// A contact sheet of what fetch_emoji.mjs wrote: a column for each emoji, a row for each style.
//
//   node scripts/emoji_sheet.mjs [--from data/emoji] [--out emoji.png] [--columns 12]
//       [--emoji a,b,...] [--styles a,b,...]
//
// Without --emoji it takes emoji at equal distances from all those that every style has; without
// --styles it shows every style.
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {parseOptions, run, UserError, writeWhole} from './data/files.mjs';
import {decodePng, encodePng} from './data/png.mjs';

const kMargin = 4;  // white pixels between two images

function evenly(items, count) {
  return Array.from(
      {length: Math.min(count, items.length)},
      (_, i) => items[Math.floor(i * items.length / count)]);
}

await run((args) => {
  const options = parseOptions(
      args, {from: 'data/emoji', out: 'emoji.png', columns: 12, emoji: '', styles: ''},
      'emoji sheet');
  if (!existsSync(options.from)) {
    throw new UserError(
        `[emoji sheet] expected a folder, got '${options.from}': run fetch_emoji.mjs first`);
  }
  const filesOf = (key) =>
      readdirSync(join(options.from, key)).filter((name) => name.endsWith('.png'));
  const keys = readdirSync(options.from);
  const found = [...new Set(keys.flatMap(filesOf))].sort();
  const styles =
      options.styles === '' ? found : options.styles.split(',').map((style) => `${style}.png`);
  const complete =
      keys.filter((key) => styles.every((style) => existsSync(join(options.from, key, style))));
  const chosen =
      options.emoji === '' ? evenly(complete, options.columns) : options.emoji.split(',');
  let sheet = null;
  let cell = 0;
  chosen.forEach((key, x) => styles.forEach((style, y) => {
    const path = join(options.from, key, style);
    if (!existsSync(path)) return;
    const image = decodePng(readFileSync(path), path);
    if (sheet === null) {
      cell = image.width + kMargin;
      const [width, height] = [chosen.length * cell + kMargin, styles.length * cell + kMargin];
      sheet = {width, height, rgb: Buffer.alloc(width * height * 3, 255)};
    }
    for (let row = 0; row < image.height; ++row) {
      const to = (y * cell + kMargin + row) * sheet.width + x * cell + kMargin;
      image.rgb.copy(sheet.rgb, to * 3, row * image.width * 3, (row + 1) * image.width * 3);
    }
  }));
  if (sheet === null)
    throw new UserError(`[emoji sheet] expected images in '${options.from}', got none`);
  writeWhole(options.out, encodePng(sheet));
  console.log(`${options.out}: ${chosen.length} emoji; rows: ${
      styles.map((name) => name.slice(0, -4)).join(', ')}`);
});
