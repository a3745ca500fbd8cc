// Decides whether a recorded decision may still be acted upon, from its content and the present state. Pure.
import { type AgentStatus, permits, type Verdict } from '../../kernel/vocabulary.ts';

/** Why a decision does not stand. */
export const LAPSES = ['verdict', 'expired', 'halted', 'agent_not_active', 'key_invalid', 'not_carried_out'] as const;
export type Lapse = (typeof LAPSES)[number];

/** The members of a decision that matter later. */
export interface Said {
  readonly verdict: Verdict;
  readonly expiresAtMs: number;
}

/** The present state of its environment, its agent and its key. */
export interface Present {
  readonly nowMs: number;
  readonly halted: boolean;
  /** `UNREGISTERED` agents count as active; policies limit what they may do. */
  readonly agent: AgentStatus | 'UNREGISTERED';
  /** Whether the requesting key, or its successor after a rotation, is valid. */
  readonly keyIsValid: boolean;
  /** Whether it was reported as not carried out, which gave its budgets back. */
  readonly notCarriedOut: boolean;
}

/** Why a decision may not be acted upon any more; undefined while it stands. Of several reasons, the first in LAPSES. */
export function lapseOf(said: Said, present: Present): Lapse | undefined {
  if (!permits(said.verdict)) return 'verdict';
  // Written so that an invalid time (NaN) counts as expired.
  if (!(present.nowMs < said.expiresAtMs)) return 'expired';
  if (present.halted) return 'halted';
  if (present.agent !== 'ACTIVE' && present.agent !== 'UNREGISTERED') return 'agent_not_active';
  if (!present.keyIsValid) return 'key_invalid';
  if (present.notCarriedOut) return 'not_carried_out';
  return undefined;
}

/** Of a repeat of a used approval, which is evaluated again: it is denied, or more is demanded of the approval. */
export type LapseNow = 'denied_now' | 'not_approved_now';

const WHY: Readonly<Record<Lapse | LapseNow, string>> = {
  verdict: 'it permits nothing',
  expired: 'it has expired',
  halted: 'the environment is halted',
  agent_not_active: 'the agent is not active',
  key_invalid: 'the key that asked is not valid any more',
  not_carried_out: 'it was reported as not carried out',
  denied_now: 'the same question is denied now',
  not_approved_now: 'the policies now demand more of its approval than it has',
};

/** The message of E5004. */
export function lapseSentence(lapse: Lapse | LapseNow): string {
  return `This decision no longer stands, because ${WHY[lapse]}; ask again.`;
}
