// The dialogs to create, rotate and revoke keys.
import type { RATE_LIMIT_TABLE, ScopeEntry } from '#shared/kernel/vocabulary.js';
import { api, type FieldError, useAction } from '../api.ts';
import { html, useEffect, useState, type VNode } from '../html.ts';
import type { ControlProps } from '../components/form.ts';
import { useKept } from '../session.ts';
import { Confirm, Dialog, Field, FormActions, FormError, Notice, Said } from '../ui.ts';
import type { Key, MadeKey } from '../answers.ts';

type RateLimit = (typeof RATE_LIMIT_TABLE)[number];

/** A reference table, which is public; undefined until it has loaded. Without it the service still validates the form. */
function useReference<T>(name: string): readonly T[] | undefined {
  const [items, setItems] = useState<readonly T[]>();
  useEffect(() => {
    const abort = new AbortController();
    const read = async (): Promise<void> => {
      const response = await fetch(`/v1/reference/${name}`, { signal: abort.signal });
      // The shape of all reference tables.
      if (response.ok) setItems(((await response.json()) as { items: T[] }).items);
    };
    read().catch(() => undefined);
    return () => abort.abort();
  }, [name]);
  return items;
}

const LIFETIMES = [
  ['1d', '1 day'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
  ['365d', '1 year'],
  ['', 'Never expires'],
  ['other', 'Custom…'],
] as const;
const ENVIRONMENTS = ['live', 'test', 'dev'] as const;

const valueOf = (event: Event): string => (event.currentTarget as HTMLInputElement).value;

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

/** The errors of a field and of its members. */
function at(errors: readonly FieldError[], pointer: string): FieldError[] {
  return errors.filter((error) => error.pointer === pointer || error.pointer.startsWith(`${pointer}/`));
}

/** Replaces the service's regular expression by words. */
function lifetimeErrors(errors: readonly FieldError[]): FieldError[] {
  return at(errors, '/expiresIn').map(({ pointer, message }) => ({
    pointer,
    message: message.startsWith('must match') ? 'must be a number and a unit letter, from 1m to 3650d' : message,
  }));
}

export interface CreateDialogProps {
  /** Of the signed-in key. */
  readonly environment: Key['environment'];
  readonly onMade: (made: MadeKey) => void;
  readonly onClose: () => void;
}

export function CreateDialog({ environment: own, onMade, onClose }: CreateDialogProps): VNode {
  const scopes = useReference<ScopeEntry>('scopes');
  const limits = useReference<RateLimit>('rate-limits');
  const [name, setName] = useKept('key name', '');
  const [chosen, setChosen] = useKept<readonly string[]>('key scopes', []);
  const [lifetime, setLifetime] = useKept('key lifetime', '90d');
  const [other, setOther] = useKept('key lifetime, other', '');
  const [agents, setAgents] = useKept('key agents', '');
  const [tags, setTags] = useKept('key tags', '');
  const [environment, setEnvironment] = useKept<string>('key environment', own);
  const [tier, setTier] = useKept('key tier', '');
  const create = useAction(async () => {
    const agentIds = linesOf(agents);
    const tagList = linesOf(tags).map((line) => line.trim());
    const expiresIn = lifetime === 'other' ? other.trim() : lifetime;
    const made = await api<MadeKey>('/v1/auth/keys', {
      body: {
        name: name.trim(),
        scopes: chosen,
        environment,
        ...(expiresIn === '' && lifetime !== 'other' ? {} : { expiresIn }),
        ...(agentIds.length === 0 ? {} : { agentIds }),
        ...(tagList.length === 0 ? {} : { tags: tagList }),
        ...(tier === '' ? {} : { tier: Number(tier) }),
      },
    });
    onMade(made);
  });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await create.run()) onClose();
  };
  const errors = create.error?.errors ?? [];
  const toggle = (scope: string): void =>
    setChosen(chosen.includes(scope) ? chosen.filter((each) => each !== scope) : [...chosen, scope]);
  const isShown = (pointer: string): boolean =>
    ['/name', '/scopes', '/expiresIn', '/agentIds', '/tags', '/environment', '/tier'].some(
      (field) => pointer === field || pointer.startsWith(`${field}/`),
    );
  // Other errors are shown below the form.
  const allShown = create.error === undefined || (errors.length > 0 && errors.every(({ pointer }) => isShown(pointer)));
  return html`<${Dialog} title="Create an API key" onClose=${onClose} wide>
    <form class="form" onSubmit=${submit} novalidate>
      <${Field} label="Name" hint="What the key is for, such as “Production cluster”." errors=${at(errors, '/name')}>${(control: ControlProps) => html`<input ...${control} data-first autocomplete="off" maxlength="100" value=${name} onInput=${(event: Event) => setName(valueOf(event))} />`}<//>
      <${ScopeChoice} scopes=${scopes} chosen=${chosen} errors=${at(errors, '/scopes')} onToggle=${toggle} />
      <div class="field-row">
        <${Field} label="Expires after" errors=${lifetime === 'other' ? [] : lifetimeErrors(errors)}>${(control: ControlProps) => html`<select ...${control} value=${lifetime} onChange=${(event: Event) => setLifetime(valueOf(event))}>${LIFETIMES.map(([value, text]) => html`<option key=${text} value=${value} selected=${value === lifetime}>${text}</option>`)}</select>`}<//>
        ${lifetime === 'other' && html`<${Field} label="Duration" hint="Minutes m, hours h, days d, weeks w." errors=${lifetimeErrors(errors)}>${(control: ControlProps) => html`<input ...${control} autocomplete="off" spellcheck=${false} placeholder="36h" value=${other} onInput=${(event: Event) => setOther(valueOf(event))} />`}<//>`}
        <${Field} label="Environment" hint=${own === 'live' ? 'Keys of another environment are listed there.' : 'Only a live key may create keys for other environments.'} errors=${at(errors, '/environment')}>${(control: ControlProps) => html`<select ...${control} value=${environment} disabled=${own !== 'live'} onChange=${(event: Event) => setEnvironment(valueOf(event))}>${ENVIRONMENTS.map((each) => html`<option key=${each} value=${each} selected=${each === environment}>${each}</option>`)}</select>`}<//>
        <${Field} label="Rate limit tier" hint="At most the tier of the organisation." errors=${at(errors, '/tier')}>${(control: ControlProps) => html`<select ...${control} value=${tier} onChange=${(event: Event) => setTier(valueOf(event))}><option value="">Default</option>${(limits ?? []).map((limit) => html`<option key=${limit.tier} value=${limit.tier} selected=${String(limit.tier) === tier}>${limit.tier}: ${limit.perSecond}/s, ${limit.perMinute}/min</option>`)}</select>`}<//>
      </div>
      <${Field} label="Agents (optional)" hint="One id per line. The key is restricted to these agents. Leave empty for all agents." errors=${at(errors, '/agentIds')}>${(control: ControlProps) => html`<textarea ...${control} rows="2" spellcheck=${false} value=${agents} onInput=${(event: Event) => setAgents(valueOf(event))}></textarea>`}<//>
      <${Field} label="Tags (optional)" hint="One per line. Policies can require a tag of the key that asks, and of those who approve. Tags never change." errors=${at(errors, '/tags')}>${(control: ControlProps) => html`<textarea ...${control} rows="2" spellcheck=${false} value=${tags} onInput=${(event: Event) => setTags(valueOf(event))}></textarea>`}<//>
      ${allShown ? errors.length > 0 && html`<p class="field-error" role="alert">${errors.length === 1 ? 'A field needs' : 'Some fields need'} another value.</p>` : html`<${FormError} error=${create.error} />`}
      <${FormActions} verb="Create key" busy=${create.busy} onCancel=${onClose} />
    </form>
  <//>`;
}

interface ScopeChoiceProps {
  readonly scopes: readonly ScopeEntry[] | undefined;
  readonly chosen: readonly string[];
  readonly errors: readonly FieldError[];
  readonly onToggle: (scope: string) => void;
}

function ScopeChoice({ scopes, chosen, errors, onToggle }: ScopeChoiceProps): VNode {
  const isAdmin = chosen.includes('admin:*');
  return html`<fieldset class="choices" aria-describedby="scopes-about">
    <legend>Scopes</legend>
    ${scopes === undefined ? html`<p class="muted">Reading the scopes…</p>` : scopes.map(({ scope, permits }) => html`<label class="choice" key=${scope}><input type="checkbox" checked=${chosen.includes(scope)} onChange=${() => onToggle(scope)} /><span><code>${scope}</code> <span class="muted">${permits}</span></span></label>`)}
    <div id="scopes-about">
      ${isAdmin && html`<p class="field-hint">admin:* includes all other scopes, and permits signing in here.</p>`}
      ${errors.map(({ message }) => html`<p class="field-error">${message}</p>`)}
    </div>
  </fieldset>`;
}

export interface KeyDialogProps {
  readonly of: Key;
  /** Whether it is the signed-in key. */
  readonly isOwn: boolean;
  readonly onClose: () => void;
}

const OVERLAPS = [
  ['0m', 'Immediately'],
  ['1h', 'In an hour'],
  ['1d', 'In a day'],
  ['7d', 'In 7 days'],
  ['30d', 'In 30 days'],
] as const;

export function RotateDialog({
  of: key,
  isOwn,
  onMade,
  onClose,
}: KeyDialogProps & { readonly onMade: (made: MadeKey) => void }): VNode {
  const [overlap, setOverlap] = useKept('overlap', '1h');
  const rotate = useAction(async () => {
    onMade(await api<MadeKey>(`/v1/auth/keys/${encodeURIComponent(key.keyId)}/rotate`, { body: { overlap } }));
  });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await rotate.run()) onClose();
  };
  // Ending the signed-in key at once would end the session before the new key is shown.
  const overlaps = isOwn ? OVERLAPS.slice(1) : OVERLAPS;
  const errors = at(rotate.error?.errors ?? [], '/overlap');
  return html`<${Dialog} title="Rotate this key?" onClose=${onClose}>
    <form class="form" onSubmit=${submit}>
      <div class="dialog-text">A new key replaces <strong><${Said} text=${key.name} /></strong> <code>${key.keyId}</code>, with the same scopes, agents, tags and tier.</div>
      <${Field} label="The old key expires" hint=${isOwn ? 'You are signed in with this key: sign in with the new one before it ends.' : undefined} errors=${errors}>${(control: ControlProps) => html`<select ...${control} data-first value=${overlap} onChange=${(event: Event) => setOverlap(valueOf(event))}>${overlaps.map(([value, text]) => html`<option key=${value} value=${value} selected=${value === overlap}>${text}</option>`)}</select>`}<//>
      ${errors.length === 0 && html`<${FormError} error=${rotate.error} />`}
      <${FormActions} verb="Rotate" busy=${rotate.busy} onCancel=${onClose} />
    </form>
  <//>`;
}

export function RevokeDialog({
  of: key,
  isOwn,
  onDone,
  onClose,
}: KeyDialogProps & { readonly onDone: () => void }): VNode {
  const revoke = useAction(async () => {
    await api(`/v1/auth/keys/${encodeURIComponent(key.keyId)}`, { method: 'DELETE' });
    onDone();
  });
  return html`<${Confirm} title="Revoke this key?" verb="Revoke" dangerous action=${revoke} onClose=${onClose}>
    <p><strong><${Said} text=${key.name} /></strong> <code>${key.keyId}</code> is refused everywhere within a second. This cannot be undone.</p>
    ${isOwn && html`<${Notice} tone="warn" title="You are signed in with this key">You will be signed out. Make sure that you have another admin key.<//>`}
  <//>`;
}
