// `custos verify FILE`: verifies a receipt, a chain of receipts or a promise offline, with only the log's verifier key.
import { printable, quoted } from '../shared/core/proof/encoding.ts';
import { type Failed, FAILURES, ProofError } from '../shared/core/proof/failures.ts';
import type { TrustedKey } from '../shared/core/proof/keys.ts';
import { verifyPromise } from '../shared/core/proof/promise.ts';
import type { Receipt, SignedPromise } from '../shared/core/proof/shapes.ts';
import type { VerifiedReceipt } from '../shared/core/proof/receipt.ts';
import {
  checkPromiseInLog,
  type KeptPromise,
  parseEvidence,
  type VerifiedChain,
  verifyChain,
} from '../shared/core/proof/verify.ts';
import { EXIT, exitWith, UsageError } from './exit.ts';
import { type KeyOptions, linesOf, readFile, readStandardInput, trustedKeysOf } from './input.ts';
import { collect } from './options.ts';
import { printJson, printLine } from './output.ts';
import type { CommandBody } from './program.ts';

/** About 1.5 s of search for the cause of a failure. Only the person at the shell waits for it. */
const SEARCH_HASHES = 1_000_000;

interface VerifyOptions extends KeyOptions {
  readonly chain?: readonly string[];
  readonly log?: string;
}

type Verified =
  | VerifiedChain
  | KeptPromise
  | { readonly ok: true; readonly promise: SignedPromise; readonly log?: undefined };

export const verifyCommand: CommandBody = {
  exitCodes: {
    [EXIT.ok]: 'VALID',
    ...Object.fromEntries(
      Object.entries(FAILURES).map(([name, { exitCode, meaning }]) => [exitCode, `${name.padEnd(21)} ${meaning}`]),
    ),
  },
  define: (command) =>
    command
      .argument('<file>', 'a receipt (JSON, or tlog-proof text) or a promise (JSON); - reads standard input')
      .option('--vkey <vkey>', 'a verifier key that you trust; may be repeated', collect)
      .option('--keys <file>', 'the keys that you trust, in the form of GET /v1/log/keys')
      .option('--chain <files...>', 'further receipts of the same entity, in any order; verifies their links as well')
      .option('--log <file>', 'an exported log; shows whether a promise was kept')
      .option('--json', 'print JSON')
      .action(
        exitWith(async (file, options) => {
          const result = await verifyFile(file, options);
          if (options.json) printJson(jsonOf(result));
          else for (const sentence of sentencesOf(result)) printLine(printable(sentence));
          return result.ok ? EXIT.ok : FAILURES[result.failure].exitCode;
        }),
      ),
};

async function verifyFile(file: string, options: VerifyOptions): Promise<Verified | Failed> {
  const trustedKeys = trustedKeysOf(options);
  if (trustedKeys.length === 0)
    throw new UsageError('No key is trusted. Give --vkey or --keys; GET /v1/log/keys of the service lists its keys.');
  try {
    const evidence = parseEvidence(await readBytes(file));
    if (evidence.kind === 'promise') {
      if (options.chain !== undefined) throw new UsageError('--chain takes receipts, and this is a promise.');
      return await verifyPromiseFile(evidence.promise, trustedKeys, options.log);
    }
    if (options.log !== undefined) throw new UsageError('--log is for promises; a receipt proves itself.');
    const receipts: Receipt[] = [evidence.receipt];
    for (const other of options.chain ?? []) {
      const more = parseEvidence(await readBytes(other));
      if (more.kind !== 'receipt') throw new UsageError(`${quoted(other)} is not a receipt.`);
      receipts.push(more.receipt);
    }
    return verifyChain(receipts, trustedKeys, { searchHashes: SEARCH_HASHES });
  } catch (error) {
    if (error instanceof ProofError) return { ok: false, failure: error.failure, sentence: error.message };
    throw error;
  }
}

async function verifyPromiseFile(
  promise: SignedPromise,
  trustedKeys: readonly TrustedKey[],
  logFile: string | undefined,
): Promise<Verified | Failed> {
  const signed = verifyPromise(promise, trustedKeys);
  if (!signed.ok || logFile === undefined) return signed;
  const check = checkPromiseInLog(promise, trustedKeys);
  for await (const line of linesOf(logFile)) {
    const failed = check.next(line);
    if (failed !== undefined) return failed;
  }
  return check.end();
}

function readBytes(file: string): Promise<Buffer> | Buffer {
  return file === '-' ? readStandardInput() : readFile(file);
}

function sentencesOf(result: Verified | Failed): string[] {
  if (!result.ok) return [`NOT VALID (${result.failure}): ${result.sentence}`];
  if ('receipts' in result) {
    const lines = result.receipts.map(sentenceOf);
    if (result.receipts.length === 1) return lines;
    const start = result.isFromTheStart ? 'from its first record on' : 'without the records before them';
    return [...lines, `VALID: these ${result.receipts.length} records are one unbroken chain, ${start}.`];
  }
  const { promise, log } = result;
  const proof = `the proof ${quoted(promise.proofId)}`;
  if (log !== undefined)
    return [`VALID: the promise was kept; ${proof} is at index ${result.index} of ${quoted(log.origin)}.`];
  return [
    `VALID: ${quoted(promise.log)} promised on ${promise.issuedAt} to hold ${proof} by ${promise.deadline}.`,
    'Give an exported log with --log FILE to check whether the promise was kept.',
  ];
}

function sentenceOf({ proofId, record, index, origin, size, timeMs }: VerifiedReceipt): string {
  return (
    `VALID: the proof ${quoted(proofId)} (${quoted(record.eventType)} of ${quoted(record.agentId)}, ${record.occurredAt}) is at index ` +
    `${index} of the log ${quoted(origin)}, which was signed with ${size} records on ${new Date(timeMs).toISOString()}.`
  );
}

function jsonOf(result: Verified | Failed): object {
  if (!result.ok) {
    const { failure, sentence } = result;
    return { valid: false, failure, exitCode: FAILURES[failure].exitCode, sentence };
  }
  if (!('receipts' in result)) {
    const { promise, log } = result;
    return log === undefined ? { valid: true, promise } : { valid: true, promise, index: result.index, log };
  }
  const receipts = result.receipts.map(({ proofId, origin, index, size, root, timeMs, keyId, eventHash, record }) => {
    const signedAt = new Date(timeMs).toISOString();
    return { proofId, origin, index, size, root, signedAt, keyId, eventHash, record };
  });
  return { valid: true, receipts, isFromTheStart: result.isFromTheStart };
}
