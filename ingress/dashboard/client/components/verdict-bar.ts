// A small bar of verdict counts. The numbers are in its text alternative and beside it.
import { compact, whole } from '../format.ts';
import { html, type VNode } from '../html.ts';
import type { VerdictCounts } from '../wire.ts';

const ORDER = ['ALLOW', 'DEGRADE', 'ESCALATE', 'DENY'] as const;

export interface VerdictBarProps {
  readonly counts: VerdictCounts;
  /** Whether counting stopped at a limit. */
  readonly more?: boolean;
}

export function VerdictBar({ counts, more = false }: VerdictBarProps): VNode {
  const total = ORDER.reduce((sum, verdict) => sum + counts[verdict], 0);
  if (total === 0) return html`<span class="muted">none</span>`;
  const parts = ORDER.filter((verdict) => counts[verdict] > 0);
  const words = parts.map((verdict) => `${whole(counts[verdict])} ${verdict}`).join(', ');
  return html`<span class="verdicts" title=${words}><span class="verdict-bar" role="img" aria-label=${words}>${parts.map((verdict) => html`<span key=${verdict} class=${`verdict-part verdict-${verdict.toLowerCase()}`} style=${{ flexGrow: counts[verdict] }}></span>`)}</span><span class="num">${compact(total)}${more ? '+' : ''}</span></span>`;
}
