// The failures of offline verification, with the names that the service and `custos verify` use.

export const FAILURES = {
  MALFORMED: 'It is not a receipt, a tlog-proof, a promise or a key in the exact form.',
  CHECKPOINT_SIGNATURE: 'A signature of the checkpoint is missing or does not fit.',
  KEY_NOT_OF_LOG: 'No key that is trusted for this log has signed.',
  KEY_NOT_AT_SIZE: 'The key belongs to this log, but may not sign a tree of this size.',
  WRONG_SIZE: 'The signed tree has another size than the tree that the index and the path were made for.',
  WRONG_INDEX: 'The record is in the log, but at another index.',
  WRONG_PATH: 'The path from the record to the root was changed.',
  RECORD_ALTERED: 'The record is not the one that the log holds at this index.',
  RECORD_NOT_CANONICAL: 'The log holds these bytes, but they are not a record.',
  WRONG_PROOF_ID: 'The record belongs to another proof than the one that the receipt names.',
  WRONG_LOG: "The record names another organisation or environment than the log's origin.",
  CHAIN_BROKEN: 'The records are in the log, but do not link to one another as one chain.',
  PROMISE_SIGNATURE: "The promise's signature does not fit.",
} as const;

export type FailureCode = keyof typeof FAILURES;

export interface Failed {
  readonly ok: false;
  readonly failure: FailureCode;
  /** The particulars, in words. */
  readonly sentence: string;
}

/** Thrown inside this folder; the exported functions return it as `Failed`. */
export class VerificationError extends Error {
  readonly failure: FailureCode;

  constructor(failure: FailureCode, sentence: string) {
    super(sentence);
    this.failure = failure;
  }
}

export async function asResult<T extends { readonly ok: true }>(check: () => T | Promise<T>): Promise<T | Failed> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof VerificationError) return { ok: false, failure: error.failure, sentence: error.message };
    throw error;
  }
}
