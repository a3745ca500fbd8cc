// Bars for counts.
import { html, type VNode } from '../html.ts';

export interface BarsProps {
  /** What is counted; for screen readers. */
  readonly caption: string;
  readonly items: readonly { readonly label: string; readonly value: number }[];
  readonly format?: (value: number) => string;
}

/** Counts as a table; its bars are decoration. */
export function Bars({ caption, items, format = String }: BarsProps): VNode {
  const most = Math.max(1, ...items.map(({ value }) => value));
  return html`<table class="bars">
    <caption class="visually-hidden">${caption}</caption>
    <tbody>${items.map(({ label, value }) => html`<tr key=${label}><th scope="row">${label}</th><td class="bar-cell"><span class=${value === 0 ? 'bar bar-none' : 'bar'} aria-hidden="true" style=${{ width: `${(100 * value) / most}%` }}></span></td><td class="end num">${format(value)}</td></tr>`)}</tbody>
  </table>`;
}
