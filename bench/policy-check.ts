// Measures `custos policy check` of generated folders: processor time of a process, beside parsing and validating the same files.
// Usage: node dist/bench/policy-check.js [--sizes 1000,10000]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { PolicySchema } from '../shared/core/policy/schema.ts';
import { findRoot } from '../shared/platform/config/root.ts';
import { writePolicyFolder } from './policies.ts';

/** A result is the median of so many processes. */
const RUNS = 3;

/** Ends a process with its processor time, in seconds, on standard error. */
const REPORT_TIME = `process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write('\\n' + (user + system) / 1e6);
});`;

/** JSON.parse and Ajv, with the schema of policies alone: what a check can't do without. */
function validateAll(folder: string): void {
  const validate = new Ajv2020({ strict: false }).compile(PolicySchema);
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.json')) continue;
    if (!validate(JSON.parse(readFileSync(path.join(folder, name), 'utf8')))) throw new Error(`${name} is not valid`);
  }
}

/** The processor time of a process, in seconds: the median of three. */
function secondsOf(args: readonly string[]): number {
  const times = Array.from({ length: RUNS }, () => {
    const preload = `data:text/javascript,${encodeURIComponent(REPORT_TIME)}`;
    const { status, stderr } = spawnSync(process.execPath, ['--import', preload, ...args], {
      encoding: 'utf8',
      maxBuffer: 1e9,
    });
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
    return Number(stderr.trimEnd().split('\n').at(-1));
  });
  return times.sort((a, b) => a - b)[1] ?? Number.NaN;
}

function main(): void {
  const { values } = parseArgs({
    options: { sizes: { type: 'string', default: '1000,10000' }, validate: { type: 'string' } },
  });
  if (values.validate !== undefined) return validateAll(values.validate);
  const cli = path.join(findRoot(), 'dist', 'cli', 'main.js');
  const rows = values.sizes.split(',').map((size) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'custos-check-'));
    try {
      writePolicyFolder(folder, Number(size));
      return {
        policies: Number(size),
        'check, s': secondsOf([cli, 'policy', 'check', folder, '--json']),
        'JSON.parse and Ajv, s': secondsOf([import.meta.filename, '--validate', folder]),
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
  console.log('custos policy check: processor time of a process, median of three');
  console.table(rows);
}

main();
