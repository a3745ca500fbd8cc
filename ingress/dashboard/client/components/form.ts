// Parts of forms: a field with its label, hint and errors, and a row of links as choices.
import type { FieldError } from '../api.ts';
import { type ComponentChildren, html, useId, type VNode } from '../html.ts';
import { Link } from '../router.ts';

/** The attributes of a field's control. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
}

export interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** The service's errors for this field. */
  readonly errors?: readonly FieldError[];
  /** The control with these attributes: `<${Field} label="Name">${(control) => html`<input ...${control} />`}<//>`. */
  readonly children: (control: ControlProps) => ComponentChildren;
}

export function Field({ label, hint, errors = [], children }: FieldProps): VNode {
  const id = useId();
  const about = `${id}-about`;
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${children({ id, 'aria-describedby': about, 'aria-invalid': errors.length > 0 })}
    <div id=${about}>
      ${hint && html`<p class="field-hint">${hint}</p>`}
      ${errors.map(({ message }) => html`<p class="field-error">${message}</p>`)}
    </div>
  </div>`;
}

export interface SegmentsProps {
  readonly label: string;
  readonly choices: readonly { readonly to: string; readonly text: string; readonly isCurrent: boolean }[];
}

/** Views of the same data, one of which is shown. */
export function Segments({ label, choices }: SegmentsProps): VNode {
  return html`<nav class="segments" aria-label=${label}>${choices.map(({ to, text, isCurrent }) => html`<${Link} key=${text} to=${to} current=${isCurrent} class="segment">${text}<//>`)}</nav>`;
}
