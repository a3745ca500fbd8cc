// @custos/client/verify: offline verification of receipts, chains and promises. Needs no service, and runs in browsers.
export { type VerifiedChain, verifyChain } from './chain.ts';
export { type Failed, FAILURES, type FailureCode } from './failures.ts';
export type { PublishedKey, TrustedKeys } from './keys.ts';
export { type VerifiedPromise, verifyPromise } from './promise.ts';
export { type VerifiedReceipt, verifyReceipt } from './receipt.ts';
export type { LogRecord } from './record.ts';
