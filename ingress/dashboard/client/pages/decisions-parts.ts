// Pieces of decisions that several pages show.
import type { Risk } from '../answers.ts';
import { html, type VNode } from '../html.ts';
import { Badge, type Tone } from '../ui.ts';

const TONES: Readonly<Record<Risk['level'], Tone>> = { low: 'neutral', medium: 'warn', high: 'bad' };

export function RiskLevel({ risk }: { readonly risk: Pick<Risk, 'level' | 'score'> }): VNode {
  return html`<span class="risk"><${Badge} tone=${TONES[risk.level]}>${risk.level}<//> <span class="muted num">${risk.score}</span></span>`;
}
