// The arguments of a tool call for reading: an indented tree, long parts folded, secrets masked with the reason.
import { count, named, spelled, whole } from '../format.ts';
import { html, useState, type VNode } from '../html.ts';
import type { Masked } from '../wire.ts';

/** Longer texts are folded after this many characters or lines, and longer lists after this many items. */
const MAX_CHARACTERS = 600;
const MAX_LINES = 12;
const MAX_ITEMS = 50;
/** Deeper objects are opened by a click, so that a page stays small for any arguments. */
const MAX_OPEN_DEPTH = 4;

const WHY_MASKED: Readonly<Record<Masked['reason'], string>> = {
  name: 'its name is one of secrets',
  private_key: 'it holds a private key',
  credential: 'it has the form of a credential',
};
/** What the service writes in place of a secret. */
const MASK = '[secret]';

interface NodeProps {
  readonly value: unknown;
  /** RFC 6901 pointer. */
  readonly at: string;
  readonly depth: number;
  readonly masked: ReadonlyMap<string, Masked['reason']>;
}

export interface ValueTreeProps {
  readonly value: Readonly<Record<string, unknown>>;
  readonly masked: readonly Masked[];
}

export function ValueTree({ value, masked }: ValueTreeProps): VNode {
  const reasons = new Map(masked.map(({ pointer, reason }) => [pointer, reason]));
  return html`<div class="tree">${Object.keys(value).length === 0 ? html`<span class="muted">None.</span>` : html`<${Members} value=${value} at="" depth=${1} masked=${reasons} />`}</div>`;
}

function Node(props: NodeProps): VNode {
  const { value, at, masked } = props;
  if (typeof value === 'string') return html`<${Text} text=${value} masked=${masked.get(at)} />`;
  if (typeof value !== 'object' || value === null)
    return html`<code class="json-number">${String(value)}</code>${value !== null && html` <span class="muted">${typeof value}</span>`}`;
  return html`<${Inner} ...${props} />`;
}

/** An object or a list inside the arguments. */
function Inner(props: NodeProps): VNode {
  const { value, depth } = props;
  const size = Object.keys(value as object).length;
  const [isOpen, setOpen] = useState(depth < MAX_OPEN_DEPTH);
  const what = Array.isArray(value) ? count(size, 'item') : count(size, 'member');
  if (size === 0) return html`<span class="muted">${Array.isArray(value) ? 'empty list' : 'empty object'}</span>`;
  if (!isOpen) return html`<${ShowAll} text=${`Show ${what}`} onClick=${() => setOpen(true)} />`;
  return html`<span class="muted">${what}</span><${Members} ...${props} depth=${depth + 1} />`;
}

function Members({ value, at, depth, masked }: NodeProps): VNode {
  const [all, setAll] = useState(false);
  const members = Object.entries(value as object);
  const shown = all ? members : members.slice(0, MAX_ITEMS);
  const hidden = members.length - shown.length;
  return html`<ul>${shown.map(([name, member]) => {
    const place = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return html`<li key=${name}><bdi class="tree-name">${Array.isArray(value) ? `${Number(name) + 1}.` : named(name)}</bdi><div class="tree-value"><${Node} value=${member} at=${place} depth=${depth} masked=${masked} /></div></li>`;
  })}</ul>${hidden > 0 && html`<${ShowAll} text=${`Show all ${whole(members.length)}`} onClick=${() => setAll(true)} />`}`;
}

function Text({ text, masked }: { readonly text: string; readonly masked: Masked['reason'] | undefined }): VNode {
  const [all, setAll] = useState(false);
  if (text === '') return html`<span class="muted">empty text</span>`;
  const first = text
    .split('\n')
    .slice(0, MAX_LINES)
    .join('\n')
    .slice(0, MAX_CHARACTERS)
    .replace(/[\ud800-\udbff]$/, '');
  const shown = all ? text : first;
  const said = masked === undefined ? spelledLines(shown) : withMasks(shown);
  return html`<bdi class="tree-text">${said}</bdi>${masked !== undefined && html` <span class="muted">masked: ${WHY_MASKED[masked]}</span>`}${shown.length < text.length && html`<span class="muted">…</span> <${ShowAll} text=${`Show all ${whole(text.length)} characters`} onClick=${() => setAll(true)} />`}`;
}

const spelledLines = (text: string): string => text.split('\n').map(spelled).join('\n');

function withMasks(text: string): (string | VNode)[] {
  return text
    .split(MASK)
    .flatMap((part, at) => [...(at === 0 ? [] : [html`<mark class="masked">secret</mark>`]), spelledLines(part)]);
}

function ShowAll({ text, onClick }: { readonly text: string; readonly onClick: () => void }): VNode {
  return html`<button type="button" class="button button-quiet button-small" onClick=${onClick}>${text}</button>`;
}
