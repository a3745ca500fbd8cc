// `custos merkle ...`: the RFC 6962 functions over standard input and output, to run the test vectors of other implementations.
import {
  consistencyPath,
  hashLeaf,
  inclusionPath,
  type NodeReader,
  rootFromLeafHashes,
  verifyConsistency,
  verifyInclusion,
} from '../shared/core/proof/merkle.ts';
import { EXIT, exitWith, UsageError } from './exit.ts';
import { parseJsonInput, readStandardInput } from './input.ts';
import { printLine } from './output.ts';
import type { CommandBody } from './program.ts';

type Members = Readonly<Record<string, unknown>>;

const FORMATS = `\
Hashes and leaves are lower-case hex. A tree is given as "leaves" (raw bytes) or "leafHashes".
  root                {leaves}                                -> {size, root}
  inclusion           {leaves, index, size?}                  -> {index, size, leafHash, path, root}
  consistency         {leaves, from, to?}                     -> {from, to, fromRoot, toRoot, path}
  verify-inclusion    {index, size, leafHash, path, root}     -> {valid}
  verify-consistency  {from, to, fromRoot, toRoot, path}      -> {valid}`;

/** The function of each command. @throws {UsageError} for input that it can't use */
export const MERKLE_FUNCTIONS = {
  root(input) {
    const hashes = treeOf(input, []);
    return { size: hashes.length, root: hex(rootFromLeafHashes(hashes)) };
  },
  inclusion(input) {
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
  consistency(input) {
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
  'verify-inclusion'(input) {
    only(input, ['index', 'size', 'leafHash', 'path', 'root']);
    const [index, size] = [number(input, 'index'), number(input, 'size')];
    const [leafHash, root] = [bytes(input.leafHash, 'leafHash'), bytes(input.root, 'root')];
    return { valid: verifyInclusion({ index, size, leafHash, path: list(input, 'path'), root }) };
  },
  'verify-consistency'(input) {
    only(input, ['from', 'to', 'fromRoot', 'toRoot', 'path']);
    const [from, to] = [number(input, 'from'), number(input, 'to')];
    const [fromRoot, toRoot] = [bytes(input.fromRoot, 'fromRoot'), bytes(input.toRoot, 'toRoot')];
    return { valid: verifyConsistency({ from, to, fromRoot, toRoot, path: list(input, 'path') }) };
  },
} satisfies Readonly<Record<string, (input: Members) => object>>;

const merkleCommand = (name: keyof typeof MERKLE_FUNCTIONS): CommandBody => ({
  notes: FORMATS,
  exitCodes: { [EXIT.failed]: 'The proof is not valid, or the command failed.' },
  define: (command) =>
    command.action(
      exitWith(async () => {
        const input = parseJsonInput(await readStandardInput(), 'Standard input');
        if (typeof input !== 'object' || input === null || Array.isArray(input)) fail('the input is not a JSON object');
        // An object of strict JSON, as checked above.
        const answer = MERKLE_FUNCTIONS[name](input as Members);
        printLine(JSON.stringify(answer));
        return 'valid' in answer && !answer.valid ? EXIT.failed : EXIT.ok;
      }),
    ),
});

/** Leaf hashes of `leaves` or `leafHashes`. Only these members and `others` are allowed. */
function treeOf(input: Members, others: readonly string[]): Uint8Array[] {
  only(input, ['leaves', 'leafHashes', ...others], false);
  const isRaw = Object.hasOwn(input, 'leaves');
  if (isRaw === Object.hasOwn(input, 'leafHashes')) fail('give either "leaves" or "leafHashes"');
  if (isRaw) return list(input, 'leaves').map(hashLeaf);
  const hashes = list(input, 'leafHashes');
  if (hashes.some((hash) => hash.length !== 32)) fail('a member of "leafHashes" is not 32 bytes');
  return hashes;
}

function readerOf(hashes: readonly Uint8Array[]): NodeReader {
  return (level, index) => rootFromLeafHashes(hashes.slice(index * 2 ** level, (index + 1) * 2 ** level));
}

function only(input: Members, names: readonly string[], areRequired = true): void {
  for (const name of Object.keys(input)) if (!names.includes(name)) fail(`unknown member ${JSON.stringify(name)}`);
  if (areRequired) for (const name of names) if (!Object.hasOwn(input, name)) fail(`"${name}" is missing`);
}

/** A whole number from 0 to `max`, or `fallback` when the member is absent. */
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

export const commands = {
  root: merkleCommand('root'),
  inclusion: merkleCommand('inclusion'),
  consistency: merkleCommand('consistency'),
  'verify-inclusion': merkleCommand('verify-inclusion'),
  'verify-consistency': merkleCommand('verify-consistency'),
};
