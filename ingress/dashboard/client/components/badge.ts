// Coloured words: verdicts, states and trust levels. The colour never carries information of its own.
import { html, type VNode } from '../html.ts';
import type { Tone } from './layout.ts';

const VERDICT_MARKS: Readonly<Record<string, string>> = { ALLOW: '✓', DENY: '✕', ESCALATE: '?', DEGRADE: '~' };

/** A verdict: a sign, a word and a colour. */
export function Verdict({ verdict }: { readonly verdict: string }): VNode {
  return html`<span class=${`badge verdict-${verdict.toLowerCase()}`}><span aria-hidden="true" class="badge-mark">${VERDICT_MARKS[verdict] ?? '•'}</span>${verdict}</span>`;
}

export interface BadgeProps {
  readonly tone?: Tone;
  readonly children?: string | number;
}

/** Any other word. */
export function Badge({ tone = 'neutral', children }: BadgeProps): VNode {
  return html`<span class=${`badge badge-${tone}`}>${children}</span>`;
}

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  ACTIVE: 'good',
  PAUSED: 'warn',
  SUSPENDED: 'bad',
  TERMINATED: 'neutral',
  pending: 'warn',
  approved: 'good',
  used: 'info',
  rejected: 'bad',
  expired: 'neutral',
  open: 'warn',
  dead: 'bad',
  retried: 'good',
  discarded: 'neutral',
  done: 'good',
  refused: 'warn',
  failed: 'bad',
  revoked: 'bad',
  delivered: 'good',
  enabled: 'good',
  disabled: 'bad',
  failing: 'warn',
};

/** The state of an agent, an approval, a key, a job or a webhook. */
export function Status({ status }: { readonly status: string }): VNode {
  return html`<${Badge} tone=${STATUS_TONES[status] ?? 'neutral'}>${status}<//>`;
}

const TIERS = ['Sandbox', 'Observed', 'Provisional', 'Monitored', 'Standard', 'Trusted', 'Certified', 'Autonomous'];

/** The name of a trust level 0..7. */
export function tierName(level: number): string {
  return TIERS[level] ?? `level ${level}`;
}

/** A trust level with its name, and its score when given. */
export function Trust({ level, score }: { readonly level: number; readonly score?: number }): VNode {
  return html`<span class="trust"><span class="trust-level" aria-hidden="true">${level}</span><span class="visually-hidden">level ${level}, </span>${tierName(level)}${score === undefined ? '' : html` <span class="muted num">${score}</span>`}</span>`;
}
