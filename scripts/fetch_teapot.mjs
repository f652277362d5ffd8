#!/usr/bin/env node
// The mesh of the Utah teapot, which `adassl data render teapots` draws: teapot.obj of the npm
// package utah-teapot.
//
//   node scripts/fetch_teapot.mjs [--out data/teapot/teapot.obj]
import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {parseOptions, run, UserError, writeWhole} from './data/files.mjs';
import {unpackPackage} from './data/packages.mjs';

const kVersion = '1.0.2';
const kSha256 = '0b50f12cedcdc27377ac702b1ee331223becec59593b3f00a9e06b57a9c1b7c3';

await run(async (args) => {
  const {out} = parseOptions(args, {out: 'data/teapot/teapot.obj'}, 'teapot');
  const mesh = readFileSync(join(unpackPackage('teapot', 'utah-teapot', kVersion), 'teapot.obj'));
  const sum = createHash('sha256').update(mesh).digest('hex');
  if (sum !== kSha256) {
    throw new UserError(`[teapot] expected a mesh with the SHA-256 ${kSha256}, got one with ${sum}`);
  }
  writeWhole(out, mesh);
  console.log(`${out}: the Utah teapot, ${mesh.length} bytes`);
});
