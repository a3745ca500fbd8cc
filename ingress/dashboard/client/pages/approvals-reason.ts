// The field for a reason below a row: between the key that asks for it and the decision.
import { html, useId, useLayoutEffect, useRef, type VNode } from '../html.ts';
import { useKept } from '../session.ts';
import { Notice } from '../ui.ts';
import type { Verb } from './approvals-desk.ts';

export interface ReasonFormProps {
  readonly verb: Verb;
  /** Such as "Approve", or "Approve these 12". */
  readonly action: string;
  readonly busy: boolean;
  /** Why the request cannot be decided any more. */
  readonly late?: string | undefined;
  readonly error?: string | undefined;
  readonly onDecide: (reason: string) => void;
  readonly onCancel: () => void;
}

const MAX_REASON = 1_000;

export function ReasonForm({ verb, action, busy, late, error, onDecide, onCancel }: ReasonFormProps): VNode {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useKept('reason', '');
  const isReady = text.trim() !== '' && late === undefined && !busy;
  // Before the next key arrives: its letter belongs to the reason.
  useLayoutEffect(() => field.current?.focus(), [verb]);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isReady) onDecide(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      onCancel();
    }
    if (event.key !== 'Enter') return;
    // A key that is held down must not decide: Enter submits only when it is pressed here.
    if (event.repeat) event.preventDefault();
    else if (event.ctrlKey || event.metaKey) submit(event);
  };
  return html`<form class="ask-form" onSubmit=${submit} onKeyDown=${onKeyDown}>
    <div class="field"><label for=${id}>${verb === 'approve' ? 'Reason for approving' : 'Reason for rejecting'}, kept in the log</label>
      <input ref=${field} id=${id} type="text" maxlength=${MAX_REASON} required autocomplete="off" value=${text} onInput=${(event: Event) => setText((event.currentTarget as HTMLInputElement).value)} /></div>
    <div class="ask-form-buttons">
      <button type="submit" class=${`button ${verb === 'approve' ? 'button-primary' : 'button-danger'}`} disabled=${!isReady}>${busy ? 'Working…' : action}</button>
      <button type="button" class="button" onClick=${onCancel}>Cancel</button>
    </div>
    <div role="alert" class="ask-form-problem">${late !== undefined ? html`<${Notice} tone="warn" title="Too late">${late}<//>` : error !== undefined && html`<${Notice} tone="bad" title=${error} />`}</div>
  </form>`;
}
