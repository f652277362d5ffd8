// What the scripts that fetch data sets share: options, whole files, CSV lines, a progress line.
import {mkdirSync, renameSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';

/** An error of the user's making: it is printed as one line, without a stack. */
export class UserError extends Error {}

/** Runs `main`; a UserError becomes one line on stderr and exit code 2. */
export async function run(main) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}

/**
 * Reads `--key value` pairs. `defaults` lists the keys that exist; a default that is a number
 * makes its key a whole number of at least `smallest`.
 */
export function parseOptions(args, defaults, where, smallest = 1) {
  const options = {...defaults};
  for (let i = 0; i < args.length; i += 2) {
    const key = args[i].replace(/^--/, '');
    if (!args[i].startsWith('--') || !Object.hasOwn(defaults, key)) {
      const known = Object.keys(defaults).map((name) => `--${name}`).join(', ');
      throw new UserError(`[${where}] expected one of ${known}, got '${args[i]}'`);
    }
    const value = args[i + 1];
    if (value === undefined) throw new UserError(`[${where}] expected a value after --${key}`);
    options[key] = value;
    if (typeof defaults[key] !== 'number') continue;
    options[key] = Number(value);
    if (!Number.isSafeInteger(options[key]) || options[key] < smallest) {
      throw new UserError(
          `[${where}] --${key}: expected a whole number of at least ${smallest}, got '${value}'`);
    }
  }
  return options;
}

/** Writes a file under a temporary name and renames it, so that no reader sees half of it. */
export function writeWhole(path, content) {
  mkdirSync(dirname(path), {recursive: true});
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}

/** One line of a CSV file (RFC 4180), with its end. */
export function csvLine(fields) {
  const quoted = fields.map((field) => {
    const text = String(field);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return quoted.join(',') + '\n';
}

/**
 * A function to call after each of `total` pieces of work. It prints how much is done and how long
 * the rest will take: in place on a terminal, otherwise a line every ten seconds.
 */
export function progress(total, what) {
  const start = Date.now();
  const terminal = process.stderr.isTTY;
  const pause = terminal ? 200 : 10000;
  let done = 0;
  let next = start + pause;
  return () => {
    ++done;
    const now = Date.now();
    if (now < next && !(terminal && done === total)) return;
    next = now + pause;
    const left = Math.ceil((now - start) / 1000 / done * (total - done));
    const text = `${done} of ${total} ${what}, ${left} s left`;
    process.stderr.write(
        terminal ? `\r${text.padEnd(60)}${done === total ? '\n' : ''}` : `${text}\n`);
  };
}
