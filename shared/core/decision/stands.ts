// Whether a decision on record may still be acted upon. Pure: what it said, and what holds now.
import type { AgentStatus, Verdict } from '../../kernel/vocabulary.ts';

/** Why a decision does not stand. */
export const LAPSES = ['verdict', 'expired', 'halted', 'agent_not_active', 'key_invalid'] as const;
export type Lapse = (typeof LAPSES)[number];

/** What a decision said, as far as it matters later. */
export interface Said {
  readonly verdict: Verdict;
  readonly expiresAtMs: number;
}

/** What holds now for its environment, its agent and its key. */
export interface Present {
  readonly nowMs: number;
  readonly halted: boolean;
  /** `UNREGISTERED` agents are active, as far as policies let them do anything. */
  readonly agent: AgentStatus | 'UNREGISTERED';
  /** Whether the key that asked is valid, or what a rotation made of it. */
  readonly keyIsValid: boolean;
}

export function permits(verdict: Verdict): boolean {
  return verdict === 'ALLOW' || verdict === 'DEGRADE';
}

/** Why a decision may not be acted upon (any more); undefined: it stands. Several reasons: the first of LAPSES. */
export function lapseOf(said: Said, present: Present): Lapse | undefined {
  if (!permits(said.verdict)) return 'verdict';
  // Of a time that is none, nothing can be said: such a decision does not stand.
  if (!(present.nowMs < said.expiresAtMs)) return 'expired';
  if (present.halted) return 'halted';
  if (present.agent !== 'ACTIVE' && present.agent !== 'UNREGISTERED') return 'agent_not_active';
  if (!present.keyIsValid) return 'key_invalid';
  return undefined;
}

const WHY: Readonly<Record<Lapse | 'denied_now', string>> = {
  verdict: 'it permits nothing',
  expired: 'it has expired',
  halted: 'the environment is halted',
  agent_not_active: 'the agent is not active',
  key_invalid: 'the key that asked is not valid any more',
  denied_now: 'the same question is denied now',
};

/** What E5004 says. `denied_now`: of a used approval, whose repeat is evaluated anew. */
export function lapseSentence(lapse: Lapse | 'denied_now'): string {
  return `This decision no longer stands, because ${WHY[lapse]}; ask anew.`;
}
