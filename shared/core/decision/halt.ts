// Halts as decisions and records state them: the DENY with reason HALTED, and the body of a `custos.halt` record.
import { BUILT_IN_POLICY } from '../policy/schema.ts';
import type { Evaluation, Reason } from '../policy/types.ts';

/** Recorded, and parsed back by haltReasonOf: it never changes. */
const MESSAGE = 'everything is halted: ';
const HEAD = { policy: BUILT_IN_POLICY, rule: 'halted', effect: 'DENY', code: 'HALTED' } as const;

/** The evaluation of every question while a halt with this reason is in force. */
export function haltEvaluation(reason: string): Evaluation {
  return { verdict: 'DENY', reasons: [{ ...HEAD, message: `${MESSAGE}${reason}` }], obligations: [] };
}

/** The reason of the halt that a recorded reason names; undefined: it names none. */
export function haltReasonOf({
  policy,
  rule,
  effect,
  code,
  message,
}: Record<keyof Reason, string>): string | undefined {
  const isHalt = policy === HEAD.policy && rule === HEAD.rule && effect === HEAD.effect && code === HEAD.code;
  return isHalt && message.startsWith(MESSAGE) ? message.slice(MESSAGE.length) : undefined;
}

export interface HaltChange {
  readonly change: 'halted' | 'lifted';
  readonly keyId: string;
  /** A halt always has one; its end has one when the caller gave it. */
  readonly reason?: string | undefined;
}

/** The body of a `custos.halt` record. Without a reason it has no such member, as in records of earlier versions. */
export function haltRecordBody({ change, keyId, reason }: HaltChange): object {
  return reason === undefined ? { change, keyId } : { change, keyId, reason };
}
