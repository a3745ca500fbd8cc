// `custos merkle ...`: the RFC 6962 functions over standard input and output, to run the test vectors of other implementations.
import type { Command } from 'commander';
import {
  consistencyPath,
  hashLeaf,
  inclusionPath,
  type NodeReader,
  rootFromLeafHashes,
  verifyConsistency,
  verifyInclusion,
} from '../shared/core/proof/merkle.ts';
import { EXIT, UsageError } from './frame.ts';
import { readJsonInput } from './stdin.ts';

type Members = Readonly<Record<string, unknown>>;

const HELP = `
Hashes and leaves are lower-case hex. A tree is given as "leaves" (raw bytes) or "leafHashes".
  root                {leaves}                                -> {size, root}
  inclusion           {leaves, index, size?}                  -> {index, size, leafHash, path, root}
  consistency         {leaves, from, to?}                     -> {from, to, fromRoot, toRoot, path}
  verify-inclusion    {index, size, leafHash, path, root}     -> {valid}
  verify-consistency  {from, to, fromRoot, toRoot, path}      -> {valid}

Exit codes: 0; 1 when a proof is not valid; 2 for input that cannot be used.`;

/** Each command with the function that computes its answer. @throws {UsageError} */
export const MERKLE_COMMANDS: Readonly<
  Record<string, { readonly description: string; answer(input: Members): object }>
> = {
  root: {
    description: 'the root of a tree',
    answer(input) {
      const hashes = treeOf(input, []);
      return { size: hashes.length, root: hex(rootFromLeafHashes(hashes)) };
    },
  },
  inclusion: {
    description: 'the proof that a leaf is in a tree',
    answer(input) {
      const hashes = treeOf(input, ['index', 'size']);
      const size = count(input, 'size', hashes.length, hashes.length);
      const index = count(input, 'index', size - 1);
      const first = hashes.slice(0, size);
      const path = inclusionPath(index, size, readerOf(first));
      return {
        index,
        size,
        leafHash: hex(first[index] ?? fail('"index" is outside the tree')),
        path: path.map(hex),
        root: hex(rootFromLeafHashes(first)),
      };
    },
  },
  consistency: {
    description: 'the proof that a tree begins with a smaller one',
    answer(input) {
      const hashes = treeOf(input, ['from', 'to']);
      const to = count(input, 'to', hashes.length, hashes.length);
      const from = count(input, 'from', to);
      return {
        from,
        to,
        fromRoot: hex(rootFromLeafHashes(hashes.slice(0, from))),
        toRoot: hex(rootFromLeafHashes(hashes.slice(0, to))),
        path: consistencyPath(from, to, readerOf(hashes)).map(hex),
      };
    },
  },
  'verify-inclusion': {
    description: 'whether such a proof is valid',
    answer(input) {
      only(input, ['index', 'size', 'leafHash', 'path', 'root']);
      const [index, size] = [number(input, 'index'), number(input, 'size')];
      const [leafHash, root] = [bytes(input.leafHash, 'leafHash'), bytes(input.root, 'root')];
      return { valid: verifyInclusion({ index, size, leafHash, path: list(input, 'path'), root }) };
    },
  },
  'verify-consistency': {
    description: 'whether such a proof is valid',
    answer(input) {
      only(input, ['from', 'to', 'fromRoot', 'toRoot', 'path']);
      const [from, to] = [number(input, 'from'), number(input, 'to')];
      const [fromRoot, toRoot] = [bytes(input.fromRoot, 'fromRoot'), bytes(input.toRoot, 'toRoot')];
      return { valid: verifyConsistency({ from, to, fromRoot, toRoot, path: list(input, 'path') }) };
    },
  },
};

export function registerMerkle(program: Command): void {
  const merkle = program
    .command('merkle')
    .description('RFC 6962 trees: JSON on standard input, JSON on standard output')
    .addHelpText('after', HELP);
  for (const [name, { description, answer }] of Object.entries(MERKLE_COMMANDS)) {
    merkle
      .command(name)
      .description(description)
      .addHelpText('after', HELP)
      .action(async () => {
        const input = await readJsonInput();
        if (typeof input !== 'object' || input === null || Array.isArray(input)) fail('the input is not a JSON object');
        const answered = answer(input as Members);
        if ('valid' in answered && answered.valid === false) process.exitCode = EXIT.failed;
        process.stdout.write(`${JSON.stringify(answered)}\n`);
      });
  }
}

/** Leaf hashes of `leaves` or `leafHashes`; no other members than these and `others` may be there. */
function treeOf(input: Members, others: readonly string[]): Uint8Array[] {
  only(input, ['leaves', 'leafHashes', ...others], false);
  const isRaw = Object.hasOwn(input, 'leaves');
  if (isRaw === Object.hasOwn(input, 'leafHashes')) fail('give either "leaves" or "leafHashes"');
  if (isRaw) return list(input, 'leaves').map(hashLeaf);
  const hashes = list(input, 'leafHashes');
  if (hashes.some((hash) => hash.length !== 32)) fail('"leafHashes" has something that is not 32 bytes');
  return hashes;
}

function readerOf(hashes: readonly Uint8Array[]): NodeReader {
  return (level, index) => rootFromLeafHashes(hashes.slice(index * 2 ** level, (index + 1) * 2 ** level));
}

function only(input: Members, names: readonly string[], areRequired = true): void {
  for (const name of Object.keys(input)) if (!names.includes(name)) fail(`unknown member ${JSON.stringify(name)}`);
  if (areRequired) for (const name of names) if (!Object.hasOwn(input, name)) fail(`"${name}" is missing`);
}

/** A whole number from 0 to `max`; `fallback` when it is absent. */
function count(input: Members, name: string, max: number, fallback?: number): number {
  if (fallback !== undefined && !Object.hasOwn(input, name)) return fallback;
  const value = number(input, name);
  if (!Number.isSafeInteger(value) || value < 0 || value > max)
    fail(`"${name}" is not a whole number from 0 to ${max}`);
  return value;
}

function number(input: Members, name: string): number {
  const value = input[name];
  return typeof value === 'number' ? value : fail(`"${name}" is not a number`);
}

function list(input: Members, name: string): Uint8Array[] {
  const value = input[name];
  return Array.isArray(value) ? value.map((one) => bytes(one, name)) : fail(`"${name}" is not a list`);
}

function bytes(value: unknown, name: string): Uint8Array {
  return typeof value === 'string' && /^(?:[0-9a-f]{2})*$/.test(value)
    ? Buffer.from(value, 'hex')
    : fail(`"${name}" is not lower-case hex`);
}

function hex(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}

function fail(why: string): never {
  throw new UsageError(`${why.charAt(0).toUpperCase()}${why.slice(1)}.`);
}
