// Tests of the scripts that fetch data sets, without any download: node --test tests/scripts
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import test from 'node:test';
import {fileURLToPath} from 'node:url';
import {deflateSync} from 'node:zlib';

import * as catalogue from '../../scripts/data/emoji_catalogue.mjs';
import {csvLine, parseOptions, writeWhole} from '../../scripts/data/files.mjs';
import {decodePng, encodePng, pngSize} from '../../scripts/data/png.mjs';

const kScripts = join(dirname(fileURLToPath(import.meta.url)), '../../scripts');

function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'adassl-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, {recursive: true});
  }
}

function runScript(name, ...args) {
  return spawnSync(process.execPath, [join(kScripts, name), ...args], {encoding: 'utf8'});
}

test('a PNG file gives back its pixels', () => {
  const rgb = Buffer.from(Array.from({length: 7 * 5 * 3}, (_, i) => (i * i * 31) & 255));
  const file = encodePng({width: 7, height: 5, rgb});
  assert.deepEqual(pngSize(file), {width: 7, height: 5});
  assert.deepEqual(decodePng(file, 'test'), {width: 7, height: 5, rgb});
});

test('each filter of the PNG format is undone', () => {
  // Two rows of two pixels; the second row's filter varies. By hand: left, up, their mean, Paeth.
  const first = [0, 10, 20, 30, 40, 50, 60];
  const expected = {
    0: [1, 1, 1, 1, 1, 1],
    1: [1, 1, 1, 2, 2, 2],
    2: [11, 21, 31, 41, 51, 61],
    3: [6, 11, 16, 24, 31, 39],
    4: [11, 21, 31, 41, 51, 61]
  };
  for (const [filter, row] of Object.entries(expected)) {
    const file = encodePng({width: 2, height: 2, rgb: Buffer.alloc(12)});
    const packed = deflateSync(Buffer.from([...first, Number(filter), 1, 1, 1, 1, 1, 1]));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(packed.length);
    const changed =
        Buffer.concat([file.subarray(0, 33), length, Buffer.from('IDAT'), packed, Buffer.alloc(4)]);
    assert.deepEqual([...decodePng(changed, 'test').rgb.subarray(6)], row, `filter ${filter}`);
  }
});

test('a file that is no PNG, or a short one, is one line', () => {
  assert.throws(
      () => decodePng(Buffer.from('GIF89a'), 'x.png'), /^Error: \[x\.png\] expected a PNG file/);
  const file = encodePng({width: 2, height: 2, rgb: Buffer.alloc(12)});
  file.writeUInt32BE(3, 20);  // one row more than there is
  assert.throws(() => decodePng(file, 'x.png'), /expected 21 bytes of pixels, got 14/);
});

test('CSV fields are quoted where they have to be', () => {
  assert.equal(csvLine(['a', 'b, c', 'say "x"', 3]), 'a,"b, c","say ""x""",3\n');
});

test('unknown and malformed options are named', () => {
  assert.throws(
      () => parseOptions(['--sise', '3'], {size: 1}, 'x'),
      /\[x\] expected one of --size, got '--sise'/);
  assert.throws(
      () => parseOptions(['--size', '3.5'], {size: 1}, 'x'),
      /whole number of at least 1, got '3.5'/);
  assert.throws(() => parseOptions(['--size'], {size: 1}, 'x'), /expected a value after --size/);
  assert.deepEqual(parseOptions(['--size', '3'], {size: 1, out: 'o'}, 'x'), {size: 3, out: 'o'});
});

test('a written file leaves no temporary one', () => inFolder((folder) => {
                                                 writeWhole(join(folder, 'a/b.txt'), 'text');
                                                 assert.deepEqual(
                                                     readdirSync(join(folder, 'a')), ['b.txt']);
                                               }));

const kGroups = {
  groups: {1: 'people-body', 3: 'animals-nature', 6: 'activities'},
  subgroups: {1: 'one'}
};
const kEntries = [
  {
    hexcode: '1F44B',
    label: 'waving hand',
    group: 1,
    subgroup: 1,
    skins: [{hexcode: '1F44B-1F3FB', label: 'waving hand: light skin tone'}]
  },
  {hexcode: '1F468-200D-2695-FE0F', label: 'man health worker', group: 1, subgroup: 1},
  {hexcode: '1F997', label: 'cricket', group: 3, subgroup: 1},
  {hexcode: '1F3CF', label: 'cricket game', group: 6, subgroup: 1},
  {hexcode: '1F1E6', label: 'regional indicator A'}
];

test('emoji have base, tone and gender', () => {
  const emoji = catalogue.readEmoji(kEntries, kGroups);
  assert.deepEqual(
      [...emoji.keys()], ['1f44b', '1f44b-1f3fb', '1f468-200d-2695', '1f997', '1f3cf']);
  const {base, skinTone, category} = emoji.get('1f44b-1f3fb');
  assert.deepEqual([base, skinTone, category], ['1f44b', 'light', 'people-body']);
  assert.equal(emoji.get('1f44b').skinTone, 'default');
  assert.equal(emoji.get('1f997').skinTone, 'none');
  assert.equal(emoji.get('1f468-200d-2695').gender, 'male');
});

test('a set without code points is understood by its names', () => {
  const emoji = catalogue.readEmoji(kEntries, kGroups);
  const coded = {
    icons: {wave: {}, insect: {}, 'cricket-game': {}},
    aliases: {hello: {parent: 'wave'}, mirrored: {parent: 'wave', hFlip: true}},
    chars: {'1f44b': 'wave', '1f997': 'insect', '1f3cf': 'cricket-game'}
  };
  const named = {
    icons: {hello: {}, 'cricket-game': {}, mirrored: {}, 'waving-hand-light-skin-tone': {}},
    aliases: {cricket: {parent: 'cricket-game'}},
    chars: {}
  };
  const meanings = catalogue.meaningsOfNames(emoji, [coded, named]);
  const found = catalogue.iconsOfEmoji(named, emoji, meanings);
  assert.deepEqual(
      Object.fromEntries(found),
      {'1f44b': 'hello', '1f3cf': 'cricket-game', '1f44b-1f3fb': 'waving-hand-light-skin-tone'});
  const both =
      new Map([['coded', catalogue.iconsOfEmoji(coded, emoji, meanings)], ['named', found]]);
  assert.deepEqual(
      catalogue.sharedEmoji(emoji, both, 2).map((e) => e.emoji.key), ['1f44b', '1f3cf']);
});

test(
    'the series depends on its seed alone',
    () => inFolder((folder) => {
      const made = (name, ...args) => {
        const done = runScript('make_series.mjs', '--out', join(folder, name), ...args);
        assert.equal(done.status, 0, done.stderr);
        return readFileSync(join(folder, name), 'utf8').trim().split('\n');
      };
      const long = made('long.csv', '--rows', '500');
      assert.equal(long.length, 501);
      assert.equal(
          long[0], 'channel1,channel2,channel3,channel4,channel5,channel6,factor1,factor2,regime');
      assert.deepEqual(made('short.csv', '--rows', '100'), long.slice(0, 101));
      assert.notDeepEqual(made('other.csv', '--rows', '500', '--seed', '2'), long);
    }));

test('a mistake on the command line is one line and code 2', () => {
  for (const script
           of ['make_series.mjs', 'fetch_emoji.mjs', 'fetch_cifar.mjs', 'emoji_sheet.mjs', 'fetch_teapot.mjs']) {
    const done = runScript(script, '--wrong', '1');
    assert.equal(done.status, 2, script);
    assert.match(done.stderr, /^\[.*\] expected one of --.*, got '--wrong'\n$/);
  }
});
