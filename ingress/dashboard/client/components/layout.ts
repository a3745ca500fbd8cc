// The layout of pages: heads, cards, single numbers, lists of facts and notices.
import { type ComponentChildren, html, type VNode } from '../html.ts';
import { Link, listHref } from '../router.ts';

export interface PageHeadProps {
  readonly title: ComponentChildren;
  /** One sentence below the title. */
  readonly lead?: ComponentChildren;
  /** Buttons at the right. */
  readonly actions?: ComponentChildren;
  /** The list that this page belongs to: a page of the menu, or the address of a part of one. */
  readonly back?: ({ readonly page: string } | { readonly to: string }) & { readonly label: string };
}

/** The head of a page. The title takes the focus after navigation, so that a screen reader reads it. */
export function PageHead({ title, lead, actions, back }: PageHeadProps): VNode {
  return html`<header class="page-head">
    <div class="page-head-text">
      ${back && html`<${Link} to=${'page' in back ? listHref(back.page) : back.to} class="back-link"><span aria-hidden="true">←</span> ${back.label}<//>`}
      <h1 tabindex="-1" id="page-title">${title}</h1>
      ${lead && html`<p class="lead">${lead}</p>`}
    </div>
    ${actions && html`<div class="page-actions">${actions}</div>`}
  </header>`;
}

export interface CardProps {
  readonly title?: string;
  /** At the right of the title. */
  readonly aside?: ComponentChildren;
  /** Without padding, for tables. */
  readonly flush?: boolean;
  readonly class?: string;
  readonly children?: ComponentChildren;
}

export function Card({ title, aside, flush, class: name = '', children }: CardProps): VNode {
  return html`<section class=${`card ${flush === true ? 'card-flush' : ''} ${name}`}>
    ${title && html`<div class="card-head"><h2>${title}</h2>${aside && html`<div class="card-aside">${aside}</div>`}</div>`}
    <div class="card-body">${children}</div>
  </section>`;
}

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info';

export interface StatProps {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly hint?: ComponentChildren;
  /** Marks a number that needs attention; the hint states the reason in words. */
  readonly tone?: Tone;
  readonly to?: string;
}

/** One number with its label. */
export function Stat({ label, value, hint, tone = 'neutral', to }: StatProps): VNode {
  return html`<div class=${`stat tone-${tone}`}>
    <dt>${to === undefined ? label : html`<${Link} to=${to}>${label}<//>`}</dt>
    <dd class="stat-value">${value}</dd>
    ${hint && html`<dd class="stat-hint">${hint}</dd>`}
  </div>`;
}

/** A row of Stat. */
export function Stats({ children }: { readonly children?: ComponentChildren }): VNode {
  return html`<dl class="stats">${children}</dl>`;
}

export interface KeyValueProps {
  /** Labels with values: null is shown as "none", undefined is left out. */
  readonly items: readonly (readonly [name: string, value: ComponentChildren])[];
}

export function KeyValue({ items }: KeyValueProps): VNode {
  return html`<dl class="key-value">
    ${items
      .filter(([, value]) => value !== undefined)
      .map(
        ([name, value]) =>
          html`<div key=${name}><dt>${name}</dt><dd>${value === null ? html`<span class="muted">none</span>` : value}</dd></div>`,
      )}
  </dl>`;
}

export interface NoticeProps {
  readonly tone: Tone;
  readonly title: string;
  readonly children?: ComponentChildren;
}

const MARKS: Readonly<Record<Tone, string>> = { neutral: 'i', info: 'i', good: '✓', warn: '!', bad: '!' };

/** A message at the top of a page or form: what has happened, and what to do. */
export function Notice({ tone, title, children }: NoticeProps): VNode {
  return html`<div class=${`notice tone-${tone}`}>
    <span class="notice-mark" aria-hidden="true">${MARKS[tone]}</span>
    <div><strong>${title}</strong>${children && html`<div class="notice-text">${children}</div>`}</div>
  </div>`;
}
