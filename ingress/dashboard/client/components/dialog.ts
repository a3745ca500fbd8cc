// Questions in front of the page: the browser's own modal dialog, which keeps the focus inside and closes with Escape.
import type { Doing } from '../api.ts';
import { type ComponentChildren, html, useId, useLayoutEffect, useRef, type VNode } from '../html.ts';
import { useKept } from '../session.ts';
import { Notice } from './layout.ts';
import { FormError } from './states.ts';

export interface DialogProps {
  readonly title: string;
  /** Called for Escape, the backdrop and the button at the top. */
  readonly onClose: () => void;
  readonly wide?: boolean;
  readonly children?: ComponentChildren;
}

/** How long what was done may take to change the page behind. */
const CHANGES_MS = 5_000;

/** Where the question came from gets the focus back; should it go away with what was done, the page's title gets it, not nobody. */
function backTo(before: Element | null): void {
  if (!(before instanceof HTMLElement)) return;
  if (before.isConnected) before.focus();
  const observer = new MutationObserver(() => look());
  const look = (): void => {
    if (before.isConnected && document.activeElement === before) return;
    observer.disconnect();
    if (document.activeElement === document.body) document.getElementById('page-title')?.focus({ preventScroll: true });
  };
  observer.observe(document.body, { childList: true, subtree: true });
  window.setTimeout(() => observer.disconnect(), CHANGES_MS);
}

/**
 * Open for as long as it is rendered. The focus begins at what is marked `data-first`, else at the first control, and goes
 * back to where it was.
 */
export function Dialog({ title, onClose, wide, children }: DialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // At once, before anything else can move the focus; and closed before it goes back, for all behind it is inert.
  useLayoutEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    shown?.showModal();
    shown?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      shown?.close();
      backTo(before);
    };
  }, []);
  const onCancel = (event: Event): void => {
    event.preventDefault();
    onClose();
  };
  // Who selects a text and lets go beyond the edge clicks there, too, and must not lose what is written.
  const pressed = useRef<EventTarget | null>(null);
  const onPointerDown = ({ target }: PointerEvent): void => {
    pressed.current = target;
  };
  const onClick = ({ target }: MouseEvent): void => {
    // The dialog's content covers it but for its backdrop.
    if (target === dialog.current && pressed.current === dialog.current) onClose();
  };
  return html`<dialog ref=${dialog} class=${wide === true ? 'wide' : ''} aria-labelledby=${id} onCancel=${onCancel} onPointerDown=${onPointerDown} onClick=${onClick}>
    <div class="dialog-content">
      <div class="dialog-head"><h2 id=${id}>${title}</h2><button type="button" class="button button-quiet button-small" aria-label="Close" onClick=${onClose}>✕</button></div>
      ${children}
    </div>
  </dialog>`;
}

export interface ConfirmProps {
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly children?: ComponentChildren;
  /** The word on the button, such as "Revoke". */
  readonly verb: string;
  /** Whether a reason must be given, and its label. */
  readonly reason?: { readonly label: string; readonly required: boolean };
  readonly dangerous?: boolean;
  /** Why it can not be done any more, though the question is still open. */
  readonly late?: string | undefined;
  /** From useAction, called with the reason ('' when none is asked for). The dialog closes when it went well. */
  readonly action: Doing<[reason: string]>;
  readonly onClose: () => void;
}

export function Confirm({ title, children, verb, reason, dangerous, late, action, onClose }: ConfirmProps): VNode {
  const id = useId();
  const [text, setText] = useKept(`reason: ${title}`, '');
  const missing = reason?.required === true && text.trim() === '';
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!missing && late === undefined && (await action.run(text.trim()))) onClose();
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form class="form" onSubmit=${submit}>
      ${children && html`<div class="dialog-text">${children}</div>`}
      ${reason && html`<div class="field"><label for=${id}>${reason.label}${reason.required ? '' : ' (optional)'}</label><textarea data-first id=${id} rows="3" maxlength="1000" required=${reason.required} value=${text} onInput=${(event: Event) => setText((event.currentTarget as HTMLTextAreaElement).value)}></textarea></div>`}
      <div role="status">${late !== undefined && html`<${Notice} tone="warn" title="Too late">${late}<//>`}</div>
      <${FormError} error=${action.error} />
      <div class="form-actions">
        <button type="button" class="button" data-first=${reason === undefined ? '' : undefined} onClick=${onClose}>Cancel</button>
        <button type="submit" class=${`button ${dangerous === true ? 'button-danger' : 'button-primary'}`} disabled=${action.busy || missing || late !== undefined}>${action.busy ? 'Working…' : verb}</button>
      </div>
    </form>
  <//>`;
}
