// The generated files of clients/conformance: cases that every implementation of verification and canonical JSON must agree on.
import { batchedPromises } from './batched-promises.ts';
import type { CallCase } from './call-case.ts';
import { faultCases } from './calls-faults.ts';
import { guardCases } from './calls-guard.ts';
import { realCases } from './calls-real.ts';
import { canonicalCases } from './canonical-cases.ts';
import { definitionCases } from './definition-cases.ts';
import { chainsAndPromises } from './chains-and-promises.ts';
import { forgedReceipts } from './forged-receipts.ts';
import { keyFiles } from './key-files.ts';
import { malformedReceipts } from './malformed-receipts.ts';
import { FILE_KEYS, type ProofCase } from './parts.ts';
import { validReceipts } from './valid-receipts.ts';

export function proofCases(): ProofCase[] {
  return [
    ...validReceipts(),
    ...malformedReceipts(),
    ...forgedReceipts(),
    ...chainsAndPromises(),
    ...batchedPromises(),
    ...keyFiles(),
  ];
}

export function callCases(): CallCase[] {
  return [...realCases(), ...faultCases(), ...guardCases()];
}

/** One case per line, so that a difference shows the cases that changed. */
function lines(cases: readonly object[]): string {
  return cases.map((one) => JSON.stringify(one)).join(',\n');
}

export function receiptsText(): string {
  return `{"keys": ${JSON.stringify(FILE_KEYS)},\n"cases": [\n${lines(proofCases())}\n]}\n`;
}

export function canonicalText(): string {
  return `[\n${lines(canonicalCases())}\n]\n`;
}

export function callsText(): string {
  return `[\n${lines(callCases())}\n]\n`;
}

export function definitionsText(): string {
  return `[\n${lines(definitionCases())}\n]\n`;
}
