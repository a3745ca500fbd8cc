// Small pieces of text: times, ids with a copy button, and formatted JSON.
import { byService } from '../clock.ts';
import { html, useEffect, useRef, useState, type VNode } from '../html.ts';
import { moment, named, relative, short, spelled, timeZone } from '../format.ts';
import { createStore, useStore } from '../store.ts';

/** One timer for all relative times of the page. */
const clock = createStore(new Date());
window.setInterval(() => {
  if (!document.hidden) clock.set(new Date());
}, 1_000);

/** The service's time, updated every second while the page is visible. */
export const useNow = (): Date => new Date(byService(useStore(clock).getTime()));

/** Text of unknown origin with its line breaks: its direction is isolated, and invisible characters are spelled out. */
export function Said({ text }: { readonly text: string }): VNode {
  return html`<bdi class="said">${text.split('\n').map(spelled).join('\n')}</bdi>`;
}

export interface TimeProps {
  /** RFC 3339. */
  readonly at: string;
  /** Default: relative ("12 s ago"), with the time as a tooltip. A moment is shown with its time zone. */
  readonly as?: 'relative' | 'moment';
}

export function Time({ at, as = 'relative' }: TimeProps): VNode {
  const now = useNow();
  const date = new Date(at);
  const text = as === 'relative' ? relative(date, now) : `${moment(date, now)} ${timeZone(date)}`;
  return html`<time datetime=${at} title=${at} class="num">${text}</time>`;
}

/** A button that copies a text and announces the result. */
export function Copy({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }): VNode {
  const [status, setStatus] = useState('');
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    const done = await copyText(text);
    setStatus(done ? 'Copied' : 'Copying is not allowed here');
    timer.current = window.setTimeout(() => setStatus(''), 1_500);
  };
  return html`<span class="copy"><button type="button" class="button button-quiet button-small" aria-label=${`${label}: ${short(named(text), 24)}`} onClick=${copy}>${status === '' ? 'Copy' : status}</button><span class="visually-hidden" role="status">${status}</span></span>`;
}

/** The clipboard API needs a secure context, which plain HTTP from another machine is not; execCommand works there. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'visually-hidden';
    // While a dialog is open, only text inside it can be selected.
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    // oxlint-disable-next-line typescript/no-deprecated -- the only way to copy on a page without https
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/** An id or a hash: shortened when it is long, with the whole text as a tooltip and a copy button. */
export function Id({
  id,
  length = 40,
  copy = false,
}: {
  readonly id: string;
  readonly length?: number;
  readonly copy?: boolean;
}): VNode {
  return html`<span class="id"><code title=${id}>${short(id, length)}</code>${copy && html`<${Copy} text=${id} />`}</span>`;
}

/** Formatted JSON with syntax colours; long texts scroll. */
export function JsonView({ value, label = 'JSON' }: { readonly value: unknown; readonly label?: string }): VNode {
  // Invisible and direction-changing characters are written as JSON escapes: the text is still the same JSON.
  const text = (JSON.stringify(value, null, 2) ?? 'undefined').replaceAll(UNSEEN, (character) =>
    character === '\n' ? character : escapesOf(character),
  );
  return html`<div class="json"><div class="json-tools"><${Copy} text=${text} label=${`Copy ${label}`} /></div><pre tabindex="0" role="region" aria-label=${label}><code>${tokens(text)}</code></pre></div>`;
}

/** As in `spelled`. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

function escapesOf(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Longer texts are shown without colours, which would be slow. */
const MAX_COLOURED = 100_000;

function tokens(text: string): (string | VNode)[] {
  if (text.length > MAX_COLOURED) return [text];
  const parts: (string | VNode)[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, quoted, colon, word] = match;
    parts.push(text.slice(at, match.index));
    const kind =
      quoted === undefined ? (word === undefined ? 'number' : 'word') : colon === undefined ? 'string' : 'name';
    parts.push(html`<span class=${`json-${kind}`}>${quoted ?? whole}</span>`, colon ?? '');
    at = match.index + whole.length;
  }
  parts.push(text.slice(at));
  return parts;
}
