// What is shown instead of data: nothing there yet, still on its way, or what went wrong and what one can do.
import type { Loaded, Problem } from '../api.ts';
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
  503: 'Something the service needs is away',
};

/** What an error means for the reader. Those that pass are tried again by themselves (see useApi). */
export function ErrorState({
  error,
  onRetry,
  more,
}: {
  readonly error: Problem;
  readonly onRetry?: () => void;
  /** Other ways on, as buttons. */
  readonly more?: ComponentChildren;
}): VNode {
  const passes = error.status === 0 || error.status === 429 || error.status === 503;
  return html`<div class="error-state" role="alert">
    <p class="empty-title">${TITLES[error.status] ?? (error.status >= 500 ? 'Something went wrong in the service' : 'This did not work')}</p>
    <p class="empty-text">${error.message}</p>
    ${error.errors.length > 0 && html`<ul class="field-errors">${error.errors.map((each) => html`<li><code>${each.pointer || 'body'}</code> ${each.message}</li>`)}</ul>`}
    ${passes && html`<p class="muted">It is tried again by itself.</p>`}
    <p class="error-foot">
      ${onRetry && html`<button type="button" class="button" onClick=${onRetry}>Try again now</button>`}
      ${more}
      ${error.requestId && html`<span class="muted">${error.code === undefined ? 'Request' : `${error.code}, request`} <${Id} id=${error.requestId} copy /></span>`}
    </p>
  </div>`;
}

/** An error of a form or an action, beside its buttons. */
export function FormError({ error }: { readonly error: Problem | undefined }): VNode | null {
  if (error === undefined) return null;
  return html`<div role="alert"><${Notice} tone="bad" title=${error.message}>
    ${error.errors.length > 1 && html`<ul class="field-errors">${error.errors.map((each) => html`<li><code>${each.pointer || 'body'}</code> ${each.message}</li>`)}</ul>`}
    ${error.status >= 500 && error.requestId && html`${error.code ?? 'Request'} <${Id} id=${error.requestId} copy />`}
  <//></div>`;
}

export interface WhenLoadedProps<T> {
  readonly of: Loaded<T>;
  readonly what?: string;
  /** What is shown of the data; older data stay on the page, with a notice, while newer ones fail. */
  readonly children: (data: T) => ComponentChildren;
}

/** Data when there are some, else the state of the question. */
export function WhenLoaded<T>({ of, what, children }: WhenLoadedProps<T>): VNode {
  const { data, error, reload } = of;
  if (data === undefined)
    return error === undefined
      ? html`<${Loading} what=${what} />`
      : html`<${ErrorState} error=${error} onRetry=${reload} />`;
  return html`${error && html`<${Notice} tone="warn" title="This may be out of date">${error.message}<//>`}${children(data)}`;
}
