// The package's entry point for programs (`exports` in package.json): verifies receipts and promises without a service.
export { canonicalize } from './canonical.ts';
export { type Failed, type FailureCode, FAILURES, ProofError } from './failures.ts';
export { type TrustedKey, trustKey, trustPublishedKeys } from './keys.ts';
export { promiseOf, verifyPromise } from './promise.ts';
export { parseReceipt, receiptOf, type VerifiedReceipt, verifyReceipt, type VerifyOptions } from './receipt.ts';
export type { PublishedKey, Receipt, SignedPromise } from './shapes.ts';
export { parseTlogProof, writeTlogProof } from './tlog-proof.ts';
export {
  checkPromiseInLog,
  type Evidence,
  type KeptPromise,
  parseEvidence,
  type PromiseCheck,
  type VerifiedChain,
  verifyChain,
} from './verify.ts';
