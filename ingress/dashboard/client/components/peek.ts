// The first members of an object on a few lines; all of it on demand.
import { count, named, short, spelled } from '../format.ts';
import { html, useState, type VNode } from '../html.ts';
import type { Masked } from '../wire.ts';
import { ValueTree } from './value-tree.ts';

const MAX_MEMBERS = 4;
const MAX_CHARACTERS = 140;
/** What the service writes in place of a secret. */
const MASK = '[secret]';

export interface PeekProps {
  readonly label: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly masked?: readonly Masked[];
}

const lineOf = (value: unknown): string =>
  spelled((typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll(/\s+/g, ' '));

export function Peek({ label, value, masked = [] }: PeekProps): VNode {
  const [isOpen, setOpen] = useState(false);
  const members = Object.entries(value);
  const lines = members.slice(0, MAX_MEMBERS).map(([name, member]) => [name, lineOf(member)] as const);
  const isCut =
    members.length > MAX_MEMBERS || lines.some(([, line]) => line.length > MAX_CHARACTERS) || masked.length > 0;
  if (members.length === 0) return html`<p class="peek muted">${label}: none</p>`;
  return html`<div class="peek">
    ${
      isOpen
        ? html`<${ValueTree} value=${value} masked=${masked} />`
        : html`<dl aria-label=${label} data-label=${label}>${lines.map(([name, line]) => html`<div key=${name}><dt><bdi>${short(named(name), 40)}</bdi></dt><dd><bdi>${marked(short(line, MAX_CHARACTERS))}</bdi></dd></div>`)}</dl>`
    }
    ${isCut && html`<button type="button" class="button button-quiet button-small" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>${isOpen ? 'Less' : `Show all ${label.toLowerCase()} (${count(members.length, 'value')})`}</button>`}
  </div>`;
}

function marked(line: string): (string | VNode)[] {
  return line
    .split(MASK)
    .flatMap((part, at) => [...(at === 0 ? [] : [html`<mark class="masked">secret</mark>`]), part]);
}
