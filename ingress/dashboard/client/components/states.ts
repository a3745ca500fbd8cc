// Placeholders for data: empty, loading, or an error with what to do.
import { isTemporary, type Loaded, type Problem } from '../api.ts';
import { type ComponentChildren, html, type VNode } from '../html.ts';
import { Notice } from './layout.ts';
import { Id } from './text.ts';

export interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Empty({ title, children }: EmptyProps): VNode {
  return html`<div class="empty"><p class="empty-title">${title}</p>${children && html`<div class="empty-text">${children}</div>`}</div>`;
}

export function Loading({ what = 'Loading' }: { readonly what?: string }): VNode {
  return html`<div class="loading" role="status"><span class="spinner" aria-hidden="true"></span>${what}…</div>`;
}

const TITLES: Readonly<Record<number, string>> = {
  0: 'The service cannot be reached',
  403: 'Your key does not permit this',
  404: 'Not found',
  429: 'Too many requests',
  503: 'The service is not available',
};

/** An error in place of data. Temporary ones are retried by useApi. */
export function ErrorState({
  error,
  onRetry,
  more,
}: {
  readonly error: Problem;
  readonly onRetry?: () => void;
  /** More buttons. */
  readonly more?: ComponentChildren;
}): VNode {
  return html`<div class="error-state" role="alert">
    <p class="empty-title">${TITLES[error.status] ?? (error.status >= 500 ? 'The service reports an internal error' : 'The request failed')}</p>
    <p class="empty-text">${error.message}</p>
    ${error.errors.length > 0 && html`<${FieldErrors} error=${error} />`}
    ${isTemporary(error) && html`<p class="muted">The page tries again by itself.</p>`}
    <p class="error-foot">
      ${onRetry && html`<button type="button" class="button" onClick=${onRetry}>Try again now</button>`}
      ${more}
      ${error.requestId && html`<span class="muted">${error.code === undefined ? 'Request' : `${error.code}, request`} <${Id} id=${error.requestId} copy /></span>`}
    </p>
  </div>`;
}

function FieldErrors({ error }: { readonly error: Problem }): VNode {
  return html`<ul class="field-errors">${error.errors.map((each) => html`<li><code>${each.pointer || 'body'}</code> ${each.message}</li>`)}</ul>`;
}

/** The error of a form or an action, beside its buttons. */
export function FormError({ error }: { readonly error: Problem | undefined }): VNode | null {
  if (error === undefined) return null;
  return html`<div role="alert"><${Notice} tone="bad" title=${error.message}>
    ${error.errors.length > 1 && html`<${FieldErrors} error=${error} />`}
    ${error.status >= 500 && error.requestId && html`${error.code ?? 'Request'} <${Id} id=${error.requestId} copy />`}
  <//></div>`;
}

export interface WhenLoadedProps<T> {
  readonly of: Loaded<T>;
  readonly what?: string;
  /** Shows the data. After an error the previous data stay, with a notice. */
  readonly children: (data: T) => ComponentChildren;
}

/** The data of a request once they are there; until then its state. */
export function WhenLoaded<T>({ of, what, children }: WhenLoadedProps<T>): VNode {
  const { data, error, reload } = of;
  if (data === undefined)
    return error === undefined
      ? html`<${Loading} what=${what} />`
      : html`<${ErrorState} error=${error} onRetry=${reload} />`;
  return html`${error && html`<${Notice} tone="warn" title="This may be out of date">${error.message}<//>`}${children(data)}`;
}
