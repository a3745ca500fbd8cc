// How proofs fail in tests: the failure of a receipt, and the refusal of malformed input.
import { type FailureCode, ProofError } from '../../../shared/core/proof/failures.ts';
import { verifyReceipt } from '../../../shared/core/proof/receipt.ts';
import type { Receipt } from '../../../shared/core/proof/shapes.ts';
import { TRUSTED } from './sample-log.ts';

/** The failure code of a receipt, or VALID. */
export function failureOf(receipt: Receipt, keys = TRUSTED): FailureCode | 'VALID' {
  const result = verifyReceipt(receipt, keys);
  return result.ok ? 'VALID' : result.failure;
}

/** The code and message of the ProofError that work throws, or `accepted`. */
export function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ProofError) return `${error.failure}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}
