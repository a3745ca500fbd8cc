// Runs the bundle of the service's processes with what V8 compiled at an earlier start: to compile it again is a third of the processor time
// of a start. Only a checkout keeps compiled code, in its build: it fits one version of Node and its options, and a package is for all.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { findRoot, isCheckout } from '../config/root.ts';
import { makeFolder } from '../files/folders.ts';
import { keepHeapSmall } from './heap.ts';

type Kind = 'ingress' | 'workers';
/** Each loads a kind of process, which starts with that. `ready` settles when it has started. */
type Bundle = Readonly<Record<Kind, () => Promise<{ readonly ready: Promise<void> }>>>;
type Wrapper = (exports: object, require: NodeJS.Require, module: { exports: object }, file: string) => void;

const SUM_BYTES = 4;

/** What V8 compiled. Undefined unless it is whole: V8 does not check that, and would crash at each start. */
function readKept(file: string): Buffer | undefined {
  try {
    const text = readFileSync(file);
    const compiled = text.subarray(SUM_BYTES);
    return crc32(compiled) === text.readUInt32LE() ? compiled : undefined;
  } catch {
    return undefined;
  }
}

function keep(file: string, compiled: Buffer): void {
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32LE(crc32(compiled));
  const unfinished = `${file}.${process.pid}`;
  try {
    makeFolder(path.dirname(file));
    writeFileSync(unfinished, Buffer.concat([sum, compiled]));
    // Another process may read it meanwhile.
    renameSync(unfinished, file);
  } catch {
    // The next start compiles it, too.
  }
}

/**
 * Runs a script that is an expression of a function, as the build writes it. It has no `import()`, which would fail in compiled code that was kept.
 * @param kept the file for its compiled form, if it may be kept
 * @returns what it exports, and a function that keeps the compiled form, with all functions that were called until then
 */
export function runScript(
  file: string,
  kept?: string,
): { readonly exported: unknown; readonly keepCompiled: () => void } {
  const cachedData = kept === undefined ? undefined : readKept(kept);
  const script = new Script(readFileSync(file, 'latin1'), { filename: file, cachedData });
  const module = { exports: {} };
  // The build has written the text of this function.
  (script.runInThisContext() as Wrapper)(module.exports, createRequire(file), module, file);
  const isUsed = cachedData !== undefined && script.cachedDataRejected === false;
  return {
    exported: module.exports,
    keepCompiled() {
      if (kept !== undefined && !isUsed) keep(kept, script.createCachedData());
    },
  };
}

/** @param digest of the bundle's text */
export async function runBundle(kind: Kind, digest: string): Promise<void> {
  // First, because V8 uses compiled code only under the options under which it was compiled.
  keepHeapSmall(process.execArgv);
  const root = findRoot();
  const name = `${kind}-${digest}-${cachedDataVersionTag()}`;
  const kept = isCheckout(root) ? path.join(root, 'dist', '.compiled', name) : undefined;
  const { exported, keepCompiled } = runScript(path.join(root, 'dist', 'service.cjs'), kept);
  // The build has written the bundle's exports.
  const { ready } = await (exported as Bundle)[kind]();
  await ready;
  keepCompiled();
}
