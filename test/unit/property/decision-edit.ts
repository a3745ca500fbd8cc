// An edit of a recorded decision, and helpers for edits: of one record, of its answer, or of facts, digest and answer together.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { DecisionEvidence } from '../../../shared/core/verification/decision.ts';
import type { DecisionFailureCode, LoggedRecord } from '../../../shared/core/verification/failures.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import type { MadeDecision } from './decision-world.ts';

// A record as its reader sees it; edits go anywhere.
// oxlint-disable-next-line typescript/no-explicit-any -- an edit may break any shape
export type Loose = any;

export interface Edit {
  readonly name: string;
  /** Undefined: this decision has nothing of this kind to change. */
  make(made: MadeDecision): { readonly evidence: DecisionEvidence; readonly code: DecisionFailureCode } | undefined;
}

/** Changes a record. Someone who edits the database can not change its leaf; someone who forges evidence provides none. */
export function edited(record: LoggedRecord, change: (whole: Loose) => void, { keepLeaf = true } = {}): LoggedRecord {
  const whole: Loose = JSON.parse(Buffer.from(record.bytes).toString('utf8'));
  change(whole);
  return { bytes: Buffer.from(canonicalize(whole)), leaf: keepLeaf ? record.leaf : undefined };
}

export function withBody(
  { evidence }: MadeDecision,
  change: (body: Loose) => void,
  keepLeaf = false,
): DecisionEvidence {
  return {
    ...evidence,
    columns: undefined,
    record: edited(evidence.record, ({ payload }) => change(payload.body), { keepLeaf }),
  };
}

/** Changes facts, digest and record together, so that only their meaning can reveal the edit. */
export function falsified(made: MadeDecision, change: (facts: Loose, body: Loose) => void): DecisionEvidence {
  const { facts } = made.evidence;
  if (facts === undefined) return made.evidence;
  const value: Loose = JSON.parse(Buffer.from(facts.text).toString('utf8'));
  const evidence = withBody(made, (body) => {
    change(value, body);
    body.factsDigest = createHash('sha256').update(facts.salt).update(canonicalize(value)).digest('hex');
  });
  return { ...evidence, facts: { ...facts, text: Buffer.from(canonicalize(value)) } };
}

export function bodyOf({ evidence }: MadeDecision): Loose {
  return JSON.parse(Buffer.from(evidence.record.bytes).toString('utf8')).payload.body;
}

export function isApproved(made: MadeDecision): boolean {
  return bodyOf(made).reasons.at(-1).code === 'APPROVED';
}

/** Whether policies alone led to the decision. */
export function isOrdinary(made: MadeDecision): boolean {
  const { code } = bodyOf(made).reasons[0];
  return (
    !code.startsWith('APPROVAL_') && !['HALTED', 'EVALUATION_FAILED', 'AGENT_NOT_ACTIVE', 'KEY_INVALID'].includes(code)
  );
}

export const expect = (code: DecisionFailureCode, evidence: DecisionEvidence) => ({ evidence, code });
