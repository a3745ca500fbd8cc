// The failures of proofs: one table for the command line, the HTTP interface and the guide.

/**
 * Gives each failure its exit code, counted from `firstExitCode` in the order of the list. Scripts rely on the codes, so a
 * failure is added at the end and never removed.
 */
export function failureTable<Code extends string>(firstExitCode: number, meanings: Readonly<Record<Code, string>>) {
  const entries = Object.entries<string>(meanings);
  return Object.fromEntries(
    entries.map(([code, meaning], i) => [code, { exitCode: firstExitCode + i, meaning }]),
  ) as Readonly<Record<Code, { readonly exitCode: number; readonly meaning: string }>>;
}

/** The closed list of failures of `custos verify`. The exit code 0 is success, 2 is a usage error or an unreadable file. */
export const FAILURES = failureTable(10, {
  MALFORMED: 'It is not a receipt, a tlog-proof or a promise in the exact form.',
  CHECKPOINT_SIGNATURE:
    'A signature of the checkpoint is missing or does not fit: its text, its time or the signature was changed.',
  KEY_NOT_OF_LOG: 'No key that is trusted for this log has signed.',
  KEY_NOT_AT_SIZE:
    'The key belongs to this log, but may not sign a tree of this size: it was not yet, or no longer, in use.',
  WRONG_SIZE: 'The signed tree has another size than the tree that the index and the path were made for.',
  WRONG_INDEX: 'The record is in the log, but at another index.',
  WRONG_PATH: 'The path from the record to the root was changed.',
  RECORD_ALTERED: 'The record is not the one that the log holds at this index.',
  RECORD_NOT_CANONICAL:
    'The log holds these bytes, but they are not a record: canonical JSON of exactly its five members.',
  WRONG_PROOF_ID: 'The record belongs to another proof than the one that the receipt names.',
  WRONG_LOG: "The record names another organisation or environment than the log's origin.",
  CHAIN_BROKEN: 'The records are in the log, but do not link to one another as one chain.',
  PROMISE_SIGNATURE: "The promise's signature does not fit: it was changed.",
  PROMISE_BROKEN: 'The log went past the deadline without the record that was promised.',
  PROMISE_NOT_DUE: 'The record is not in this copy of the log, whose last checkpoint is older than the deadline.',
  LOG_ALTERED: 'The records of the exported log do not lead to its signed checkpoints.',
  RECORD_DROPPED:
    'The exported log has a leaf for the proof, and retention has dropped its record, so it can not be compared.',
});

export type FailureCode = keyof typeof FAILURES;

/** A failed check: its code, and a sentence with the particulars. */
export interface Failed {
  readonly ok: false;
  readonly failure: FailureCode;
  readonly sentence: string;
}

/** Why a proof is refused. Thrown inside this folder and converted to `Failed` by the functions called `verify...`. */
export class ProofError extends Error {
  readonly failure: FailureCode;

  constructor(failure: FailureCode, sentence: string) {
    super(sentence);
    this.name = 'ProofError';
    this.failure = failure;
  }
}

/** Runs a check and converts a ProofError into a value. Other errors propagate, because they are defects. */
export function asResult<T extends { readonly ok: true }>(check: () => T): T | Failed {
  try {
    return check();
  } catch (error) {
    if (error instanceof ProofError) return { ok: false, failure: error.failure, sentence: error.message };
    throw error;
  }
}
