// What the auditor does, without a network: verifies a receipt with four implementations that share no code, then forges it and looks
// whether all refuse it for the same reason. Usage: node examples/auditor/audit.mjs FOLDER
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(HERE, '..', '..');

/** Each prints VALID or the name of the failure. `folder`: where it is started, below the root of the repository. */
const VERIFIERS = [
  { name: 'custos verify', folder: '', command: ['node', 'dist/cli/main.js', 'verify'], keysOption: '--keys' },
  { name: 'typescript', folder: 'clients/typescript', command: ['node', path.join(HERE, 'verify.mjs')] },
  { name: 'python', folder: 'clients/python', command: ['python3', path.join(HERE, 'verify.py')] },
  { name: 'go', folder: 'clients/go', command: ['go', 'run', path.join(HERE, 'verify.go')] },
];

const [given] = process.argv.slice(2);
if (given === undefined) {
  console.error('Usage: node examples/auditor/audit.mjs FOLDER');
  process.exit(2);
}
const folder = path.resolve(given);
const keys = path.join(folder, 'keys.json');

/** @returns undefined when the program or the client is not here */
function verdictOf({ folder: at, command: [program = '', ...args], keysOption }, receipt) {
  const cwd = path.join(ROOT, at);
  if (!existsSync(cwd)) return undefined;
  const files = keysOption === undefined ? [receipt, keys] : [receipt, keysOption, keys, '--json'];
  const { error, stdout, stderr } = spawnSync(program, [...args, ...files], { cwd, encoding: 'utf8' });
  if (error !== undefined) return undefined;
  if (keysOption === undefined) return stdout.trim() || stderr;
  const { valid, failure } = JSON.parse(stdout);
  return valid ? 'VALID' : failure;
}

/** Verifies one file with all implementations. @returns the different verdicts */
function audit(title, file) {
  console.log(title);
  const verdicts = new Set();
  for (const verifier of VERIFIERS) {
    const verdict = verdictOf(verifier, file);
    console.log(`  ${verifier.name.padEnd(14)} ${verdict ?? 'skipped: it is not installed'}`);
    if (verdict !== undefined) verdicts.add(verdict);
  }
  return [...verdicts];
}

const receiptFile = path.join(folder, 'receipt.json');
const genuine = audit('The receipt:', receiptFile);

const receipt = JSON.parse(readFileSync(receiptFile, 'utf8'));
const record = Buffer.from(receipt.record, 'base64').toString().replace('"1.4.2"', '"1.4.3"');
const forgedFile = path.join(folder, 'forged.json');
writeFileSync(forgedFile, JSON.stringify({ ...receipt, record: Buffer.from(record).toString('base64') }));
const forged = audit('The same with one byte of its record changed, version 1.4.3 instead of 1.4.2:', forgedFile);

const isRight = genuine.join() === 'VALID' && forged.join() === 'RECORD_ALTERED';
console.log(isRight ? 'All agree.' : 'They do not agree.');
process.exitCode = isRight ? 0 : 1;
