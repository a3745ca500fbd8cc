// The failures of proofs: one table for the command line, the HTTP interface and the guide.

/**
 * The closed list of failures, each with its exit code of `custos verify` and its meaning. Codes are never reused, because scripts rely on
 * them. 0 is success, 2 is a usage error or an unreadable file.
 */
export const FAILURES = {
  MALFORMED: { exitCode: 10, meaning: 'It is not a receipt, a tlog-proof or a promise in the exact form.' },
  CHECKPOINT_SIGNATURE: {
    exitCode: 11,
    meaning:
      'A signature of the checkpoint is missing or does not fit: its text, its time or the signature was changed.',
  },
  KEY_NOT_OF_LOG: { exitCode: 12, meaning: 'No key that is trusted for this log has signed.' },
  KEY_NOT_AT_SIZE: {
    exitCode: 13,
    meaning: 'The key belongs to this log, but may not sign a tree of this size: it was not yet, or no longer, in use.',
  },
  WRONG_SIZE: {
    exitCode: 14,
    meaning: 'The signed tree has another size than the tree that the index and the path were made for.',
  },
  WRONG_INDEX: { exitCode: 15, meaning: 'The record is in the log, but at another index.' },
  WRONG_PATH: { exitCode: 16, meaning: 'The path from the record to the root was changed.' },
  RECORD_ALTERED: { exitCode: 17, meaning: 'The record is not the one that the log holds at this index.' },
  RECORD_NOT_CANONICAL: {
    exitCode: 18,
    meaning: 'The log holds these bytes, but they are not a record: canonical JSON of exactly its five members.',
  },
  WRONG_PROOF_ID: { exitCode: 19, meaning: 'The record belongs to another proof than the one that the receipt names.' },
  WRONG_LOG: { exitCode: 20, meaning: "The record names another organisation or environment than the log's origin." },
  CHAIN_BROKEN: { exitCode: 21, meaning: 'The records are in the log, but do not link to one another as one chain.' },
  PROMISE_SIGNATURE: { exitCode: 22, meaning: "The promise's signature does not fit: it was changed." },
  PROMISE_BROKEN: { exitCode: 23, meaning: 'The log went past the deadline without the record that was promised.' },
  PROMISE_NOT_DUE: {
    exitCode: 24,
    meaning: 'The record is not in this copy of the log, whose last checkpoint is older than the deadline.',
  },
  LOG_ALTERED: { exitCode: 25, meaning: 'The records of the exported log do not lead to its signed checkpoints.' },
} as const;

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
