// The dialogs to register or change a resource, with a field for each declared attribute, and to remove one.
import type { AttributeDeclaration } from '#shared/core/attributes/schema.js';
import { api, type FieldError, useAction } from '../api.ts';
import type { ControlProps } from '../components/form.ts';
import { html, useState, type VNode } from '../html.ts';
import { Confirm, Dialog, Field, FormActions, FormError, Notice } from '../ui.ts';
import type { KnownResource, ListedResources } from '../wire/resources.ts';

/** The texts of the form's fields by the names of the attributes. */
type Texts = Readonly<Record<string, string>>;

const valueOf = (event: Event): string => (event.currentTarget as HTMLInputElement).value;
const pathOf = (name: string): string => `/v1/resources/${encodeURIComponent(name)}`;
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The value of an attribute as text for its field. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The value that a text stands for. What is not of the type is sent as it is, and the service says what is wrong. */
function valueFrom(text: string, type: AttributeDeclaration['type']): unknown {
  if (type === 'list') return linesOf(text);
  if (type === 'boolean') return text === 'true';
  const number = Number(text);
  return type === 'number' && Number.isFinite(number) ? number : text;
}

interface EditProps {
  /** Undefined: a new one. */
  readonly of: KnownResource | undefined;
  readonly declared: ListedResources['declared'];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function EditResource({ of: known, declared, onDone, onClose }: EditProps): VNode {
  const entry = known?.registered ?? known?.inFolder ?? undefined;
  const [name, setName] = useState(known?.name ?? '');
  const [kind, setKind] = useState(entry?.class ?? '');
  const [owner, setOwner] = useState(entry?.owner ?? '');
  const [texts, setTexts] = useState<Texts>(() =>
    Object.fromEntries(Object.keys(declared).map((each) => [each, textOf(entry?.attributes?.[each])])),
  );
  const lost = Object.keys(entry?.attributes ?? {}).filter((each) => !Object.hasOwn(declared, each));
  const save = useAction(async () => {
    const given = Object.entries(declared).filter(([each]) => (texts[each] ?? '').trim() !== '');
    const attributes = Object.fromEntries(
      given.map(([each, { type }]) => [each, valueFrom((texts[each] ?? '').trim(), type)]),
    );
    const body = {
      ...(kind.trim() === '' ? {} : { class: kind.trim() }),
      ...(owner.trim() === '' ? {} : { owner: owner.trim() }),
      ...(given.length === 0 ? {} : { attributes }),
    };
    await api(pathOf(name.trim()), { method: 'PUT', body });
    onDone();
  });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await save.run()) onClose();
  };
  const errors = save.error?.errors ?? [];
  const isPlaced = ({ pointer }: FieldError): boolean =>
    pointer === '{name}' || pointer === '/class' || pointer === '/owner' || pointer.startsWith('/attributes/');
  const of = (pointer: string): FieldError[] =>
    errors.filter((each) => each.pointer === pointer || each.pointer.startsWith(`${pointer}/`));
  return html`<${Dialog} title=${known === undefined ? 'Register a resource' : `Attributes of ${known.name}`} onClose=${onClose} wide>
    <form class="form" onSubmit=${submit} novalidate>
      ${known?.registered === null && html`<p class="dialog-text">The registered entry overrides the entry of the policy folder in this environment, attribute by attribute.</p>`}
      ${known === undefined && html`<${Field} label="Name" hint="A resource, or a pattern with * as its last part." errors=${of('{name}')}>${(control: ControlProps) => html`<input ...${control} data-first required autocomplete="off" spellcheck=${false} placeholder="db/customers/*" value=${name} onInput=${(event: Event) => setName(valueOf(event))} />`}<//>`}
      <${Field} label="Class (optional)" hint="Such as confidential: the fact resource.attributes.class." errors=${of('/class')}>${(control: ControlProps) => html`<input ...${control} data-first=${known !== undefined} autocomplete="off" value=${kind} onInput=${(event: Event) => setKind(valueOf(event))} />`}<//>
      <${Field} label="Owner (optional)" errors=${of('/owner')}>${(control: ControlProps) => html`<input ...${control} autocomplete="off" value=${owner} onInput=${(event: Event) => setOwner(valueOf(event))} />`}<//>
      ${Object.entries(declared)
        .filter(([each]) => each !== 'class' && each !== 'owner')
        .map(
          ([each, declaration]) =>
            html`<${AttributeField} key=${each} name=${each} declaration=${declaration} text=${texts[each] ?? ''} errors=${of(`/attributes/${each}`)} onText=${(text: string) => setTexts((before) => ({ ...before, [each]: text }))} />`,
        )}
      ${lost.length > 0 && html`<${Notice} tone="warn" title="Attributes that are not declared any more are removed"><p>${lost.join(', ')}</p><//>`}
      ${!errors.some(isPlaced) && html`<${FormError} error=${save.error} />`}
      <${FormActions} verb="Save" busy=${save.busy} onCancel=${onClose} />
    </form>
  <//>`;
}

interface AttributeFieldProps {
  readonly name: string;
  readonly declaration: AttributeDeclaration;
  readonly text: string;
  readonly errors: readonly FieldError[];
  readonly onText: (text: string) => void;
}

const HINTS: Readonly<Record<AttributeDeclaration['type'], string>> = {
  text: '',
  number: 'A number.',
  boolean: '',
  time: 'A time such as 2026-11-30T17:00:00Z.',
  list: 'One per line.',
};

/** A field of the attribute's type. */
function AttributeField({ name, declaration, text, errors, onText }: AttributeFieldProps): VNode {
  const { type, description, values } = declaration;
  const hint = [
    description && `${description}.`,
    HINTS[type],
    type === 'list' && values && `Allowed: ${values.join(', ')}.`,
  ]
    .filter(Boolean)
    .join(' ');
  const choices = type === 'boolean' ? ['true', 'false'] : type === 'text' ? values : undefined;
  const set = (event: Event): void => onText(valueOf(event));
  const control = (given: ControlProps): VNode => {
    if (choices !== undefined)
      return html`<select ...${given} value=${text} onChange=${set}><option value="" selected=${text === ''}>not set</option>${choices.map((each) => html`<option key=${each} value=${each} selected=${each === text}>${each}</option>`)}</select>`;
    if (type === 'list')
      return html`<textarea ...${given} rows="3" spellcheck=${false} value=${text} onInput=${set}></textarea>`;
    return html`<input ...${given} autocomplete="off" inputmode=${type === 'number' ? 'decimal' : undefined} value=${text} onInput=${set} />`;
  };
  return html`<${Field} label=${`${name} (optional)`} hint=${hint} errors=${errors}>${control}<//>`;
}

interface DeleteProps {
  readonly of: KnownResource;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function DeleteResource({ of: { name, inFolder }, onDone, onClose }: DeleteProps): VNode {
  const remove = useAction(async () => {
    await api(pathOf(name), { method: 'DELETE' });
    onDone();
  });
  return html`<${Confirm} title="Remove this resource?" verb="Remove" dangerous action=${remove} onClose=${onClose}>
    <p>${inFolder === null ? 'Policies see its attributes no longer, unless another entry covers it.' : 'The entry of the policy folder stays and decides again.'} <code>${name}</code></p>
  <//>`;
}
