// Halt and resume: the button in the frame, the banner on every page, and the dialogs that say what will happen.
import type { HaltAnswer } from '../answers.ts';
import { useAction, useApi } from '../api.ts';
import { type Command, useCommands } from '../commands.ts';
import { askHalt, askResume, closeHalt, halt, resume, useAskedHalt, useHalt } from '../halt.ts';
import { html, useId, useMemo, useState, type VNode } from '../html.ts';
import { useKept, useSession } from '../session.ts';
import { Dialog, FormActions } from './dialog.ts';
import { Notice } from './layout.ts';
import { FormError } from './states.ts';
import { Said, Time } from './text.ts';

const MAX_REASON = 500;
const COMMAND = { group: 'Actions', icon: 'octagon-alert' } as const;

/** A key that is bound to agents can halt its environment, and cannot lift a halt. */
const useMayResume = (): boolean => useSession().bound === null;

/** In the frame, below the environment. */
export function HaltButton(): VNode | null {
  const current = useHalt();
  const mayResume = useMayResume();
  if (current && !mayResume) return null;
  return current === null || current === undefined
    ? html`<button type="button" class="button button-small button-wide halt-button" disabled=${current === undefined} onClick=${askHalt}>Halt…</button>`
    : html`<button type="button" class="button button-small button-wide halt-button" onClick=${askResume}>Resume…</button>`;
}

/** On every page while the environment is halted. */
export function HaltBanner(): VNode {
  const current = useHalt() ?? undefined;
  const { environment } = useSession();
  const mayResume = useMayResume();
  const by = useApi<HaltAnswer>(current === undefined ? null : '/v1/halt').data?.keyId;
  return html`<div role="status">${
    current &&
    html`<div class="halt-banner"><${Notice} tone="bad" title=${`The environment ${environment} is halted: every decision is DENY`}>
      <p><${Said} text=${current.reason} /></p>
      <p class="halt-facts"><span>Since <${Time} at=${current.since} as="moment" /></span>${by && html`<span>by key <code>${by}</code></span>`}</p>
    <//>${mayResume && html`<button type="button" class="button" onClick=${askResume}>Resume…</button>`}</div>`
  }</div>`;
}

/** The open dialog, if any, and the command of the palette. */
export function HaltDialogs(): VNode | null {
  const asked = useAskedHalt();
  const isHalted = Boolean(useHalt());
  const mayResume = useMayResume();
  const commands = useMemo<readonly Command[]>(() => {
    if (!isHalted)
      return [{ ...COMMAND, id: 'halt', title: 'Halt the environment', words: 'stop deny emergency', run: askHalt }];
    if (!mayResume) return [];
    return [{ ...COMMAND, id: 'resume', title: 'Resume the environment', words: 'halt lift end', run: askResume }];
  }, [isHalted, mayResume]);
  useCommands(commands);
  if (asked === undefined) return null;
  return asked === 'halt' ? html`<${HaltDialog} />` : html`<${ResumeDialog} />`;
}

function HaltDialog(): VNode {
  const { organisation, environment } = useSession();
  const mayResume = useMayResume();
  const [reason, setReason] = useKept('halt: reason', '');
  const [typed, setTyped] = useState('');
  const action = useAction(() => halt(reason.trim()));
  // Only live asks for the name: a drill in another environment stays quick.
  const isSure = environment !== 'live' || typed.trim() === environment;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isSure && reason.trim() !== '' && (await action.run())) closeHalt();
  };
  return html`<${Dialog} title=${`Halt ${organisation}, ${environment}?`} onClose=${closeHalt}>
    <form class="form" onSubmit=${submit}>
      <div class="dialog-text">
        <p><strong>Within a second every decision of this environment is DENY</strong>, with the code HALTED, for all agents and all keys, until somebody resumes it.</p>
        <ul class="halt-effects">
          <li>Actions that were already allowed are not called back. Approvals that were given cannot be used.</li>
          <li>Requests, signals and proofs are still accepted and recorded, and this dashboard works.</li>
          <li>Other environments and organisations go on as before.</li>
        </ul>
        ${!mayResume && html`<p><strong>You cannot undo it:</strong> your key is bound to agents, and only an admin key that is not can resume.</p>`}
      </div>
      <${ReasonField} label="Reason, shown in every decision and kept in the log" value=${reason} onInput=${setReason} />
      ${environment === 'live' && html`<${TypedField} word=${environment} value=${typed} onInput=${setTyped} />`}
      <${FormError} error=${action.error} />
      <${FormActions} verb=${`Halt ${environment}`} busy=${action.busy} disabled=${!isSure || reason.trim() === ''} dangerous onCancel=${closeHalt} />
    </form>
  <//>`;
}

function ResumeDialog(): VNode {
  const { organisation, environment } = useSession();
  const current = useHalt();
  const [reason, setReason] = useKept('resume: reason', '');
  const action = useAction(() => resume(reason.trim()));
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (reason.trim() !== '' && (await action.run())) closeHalt();
  };
  return html`<${Dialog} title=${`Resume ${organisation}, ${environment}?`} onClose=${closeHalt}>
    <form class="form" onSubmit=${submit}>
      <div class="dialog-text">
        <p><strong>Within a second policies and trust decide again</strong>, for all agents of this environment. Requests that were denied meanwhile stay denied; agents must ask again.</p>
        ${current && html`<p>Halted since <${Time} at=${current.since} as="moment" />: <${Said} text=${current.reason} /></p>`}
      </div>
      <${ReasonField} label="Reason, kept in the log" value=${reason} onInput=${setReason} />
      <${FormError} error=${action.error} />
      <${FormActions} verb=${`Resume ${environment}`} busy=${action.busy} disabled=${reason.trim() === ''} onCancel=${closeHalt} />
    </form>
  <//>`;
}

interface TextProps {
  readonly value: string;
  readonly onInput: (text: string) => void;
}

function ReasonField({ label, value, onInput }: TextProps & { readonly label: string }): VNode {
  const id = useId();
  return html`<div class="field"><label for=${id}>${label}</label><textarea data-first id=${id} rows="2" maxlength=${MAX_REASON} required value=${value} onInput=${(event: Event) => onInput((event.currentTarget as HTMLTextAreaElement).value)}></textarea></div>`;
}

function TypedField({ word, value, onInput }: TextProps & { readonly word: string }): VNode {
  const id = useId();
  return html`<div class="field"><label for=${id}>Type <strong>${word}</strong> to confirm</label><input id=${id} type="text" autocomplete="off" spellcheck=${false} value=${value} onInput=${(event: Event) => onInput((event.currentTarget as HTMLInputElement).value)} /></div>`;
}
