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

/** The body of a record that begins a halt, or without a reason ends it. */
export function haltRecordBody(keyId: string, reason?: string): object {
  return reason === undefined ? { change: 'lifted', keyId } : { change: 'halted', keyId, reason };
}
