// The reasons for which a receipt is not valid, with the codes of `custos verify`, and the errors of the checks.

/** The codes of `custos verify` for a single receipt, with their meanings. A test compares them with shared/core/proof. */
export const FAILURES = {
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
} as const;

export type FailureCode = keyof typeof FAILURES;

/** A failed check, with the details in a sentence. */
export class Failure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, sentence: string) {
    super(sentence);
    this.name = 'Failure';
    this.code = code;
  }
}

/** The browser lacks a function that verification needs; the receipt may be valid or not. */
export class CannotVerify extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'CannotVerify';
  }
}
