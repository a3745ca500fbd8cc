// Modal dialogs: the browser's own <dialog>, which keeps the focus inside and closes with Escape.
import type { Doing } from '../api.ts';
import { type ComponentChildren, html, type RefObject, useId, useLayoutEffect, useRef, type VNode } from '../html.ts';
import { Icon } from '../icons.ts';
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

/** How long the page behind the dialog may take to change after the action. */
const CHANGES_MS = 5_000;

/** Returns the focus to the element that opened the dialog. When the action removes that element, the page's title gets the focus. */
function returnFocus(before: Element | null): void {
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
 * Shows a <dialog> as modal while its component is rendered. The focus starts at the element with `data-first`, else at the first
 * control, and returns to where it was.
 * @param onClose called for Escape and for a click on the backdrop. The content must cover the dialog.
 * @returns the listeners of the dialog
 */
export function useModal(
  dialog: RefObject<HTMLDialogElement | null>,
  onClose: () => void,
): Readonly<Record<'onCancel' | 'onPointerDown' | 'onClick', (event: Event) => void>> {
  // A layout effect, before anything else moves the focus. Closed before the focus returns: the page behind it is inert.
  useLayoutEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    shown?.showModal();
    shown?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      shown?.close();
      returnFocus(before);
    };
  }, []);
  // Selecting text and releasing the button outside is also a click on the backdrop; it must not close the dialog.
  const pressed = useRef<EventTarget | null>(null);
  return {
    onCancel(event) {
      event.preventDefault();
      onClose();
    },
    onPointerDown({ target }) {
      pressed.current = target;
    },
    onClick({ target }) {
      if (target === dialog.current && pressed.current === dialog.current) onClose();
    },
  };
}

/** Open while it is rendered; the focus as in useModal. */
export function Dialog({ title, onClose, wide, children }: DialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const modal = useModal(dialog, onClose);
  return html`<dialog ref=${dialog} class=${wide === true ? 'wide' : ''} aria-labelledby=${id} ...${modal}>
    <div class="dialog-content">
      <div class="dialog-head"><h2 id=${id}>${title}</h2><button type="button" class="button button-quiet button-icon" aria-label="Close" onClick=${onClose}><${Icon} name="x" /></button></div>
      ${children}
    </div>
  </dialog>`;
}

export interface ConfirmProps {
  readonly title: string;
  /** What the action does, and whether it can be undone. */
  readonly children?: ComponentChildren;
  /** The word on the button, such as "Revoke". */
  readonly verb: string;
  /** The field for a reason. */
  readonly reason?: { readonly label: string; readonly required: boolean };
  readonly dangerous?: boolean;
  /** Why the action is not possible any more although the dialog is open. */
  readonly late?: string | undefined;
  /** From useAction, called with the reason ('' without a field). The dialog closes when it succeeds. */
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
      ${late === undefined && html`<${FormError} error=${action.error} />`}
      <${FormActions} verb=${verb} busy=${action.busy} disabled=${missing || late !== undefined} dangerous=${dangerous} cancelFirst=${reason === undefined} onCancel=${onClose} />
    </form>
  <//>`;
}

export interface FormActionsProps {
  readonly verb: string;
  readonly busy: boolean;
  readonly disabled?: boolean;
  readonly dangerous?: boolean;
  /** Whether the button Cancel takes the focus when the dialog opens. */
  readonly cancelFirst?: boolean;
  readonly onCancel: () => void;
}

/** The buttons at the end of a form. */
export function FormActions({ verb, busy, disabled, dangerous, cancelFirst, onCancel }: FormActionsProps): VNode {
  return html`<div class="form-actions">
    <button type="button" class="button" data-first=${cancelFirst === true ? '' : undefined} onClick=${onCancel}>Cancel</button>
    <button type="submit" class=${`button ${dangerous === true ? 'button-danger' : 'button-primary'}`} disabled=${busy || disabled === true}>${busy ? 'Working…' : verb}</button>
  </div>`;
}
