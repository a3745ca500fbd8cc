// Names that callers chose: any text of up to 256 characters, shown so that nothing in it is hidden or breaks the layout.
import { breaksOf, named, short } from '../format.ts';
import { html, type VNode } from '../html.ts';

export interface NameProps {
  readonly text: string;
  /** Longer ones are shortened in the middle. Default: 48 */
  readonly length?: number;
}

/** A caller's name; <bdi> isolates its text direction. */
export function Name({ text, length = 48 }: NameProps): VNode {
  const whole = named(text);
  return html`<bdi class="name" title=${whole}>${breaksOf(short(whole, length)).map((part, at) => (at === 0 ? part : html`<wbr />${part}`))}</bdi>`;
}
