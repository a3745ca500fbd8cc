// Toasts: short messages about what just happened, at the edge of the window. They are announced, and go away by themselves.
import { html, useEffect, type VNode } from '../html.ts';
import { Icon } from '../icons.ts';
import { createStore, useStore } from '../store.ts';

interface ToastMessage {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 6_000;
const MAX_SHOWN = 3;
const messages = createStore<readonly ToastMessage[]>([]);
let lastId = 0;

/** Shows a message, such as "Agent paused". Errors belong beside what caused them. */
export function toast(text: string): void {
  lastId += 1;
  messages.set([...messages.get(), { id: lastId, text }].slice(-MAX_SHOWN));
}

const dismiss = (id: number): void => messages.set(messages.get().filter((each) => each.id !== id));

function Toast({ id, text }: ToastMessage): VNode {
  useEffect(() => {
    const timer = window.setTimeout(() => dismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id]);
  return html`<div class="toast"><span>${text}</span><button type="button" class="round-button" aria-label="Dismiss" onClick=${() => dismiss(id)}><${Icon} name="x" size=${14} /></button></div>`;
}

/** Where toasts appear; once, in the frame. */
export function Toasts(): VNode {
  return html`<div class="toasts" role="status">${useStore(messages).map((each) => html`<${Toast} key=${each.id} ...${each} />`)}</div>`;
}
