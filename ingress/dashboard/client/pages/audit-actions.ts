// The operator trail: what operators did on the dashboard, and with which result.
import { type Pages, usePages } from '../api.ts';
import type { CsvField } from '../csv.ts';
import { html, type VNode } from '../html.ts';
import { href, Link, useFilters } from '../router.ts';
import { mayOpen } from '../page-access.ts';
import { useSession } from '../session.ts';
import { type Column, Download, Empty, type FilterField, Filters, List, Name, Said, Status, Time } from '../ui.ts';
import type { ChangedField, OperatorAction, OperatorActions } from '../wire/operator-trail.ts';
import { actionWords } from './audit-words.ts';

const FIELDS: readonly FilterField[] = [
  {
    name: 'outcome',
    label: 'Result',
    kind: 'choice',
    options: ['done', 'refused', 'failed', ['begun', 'begun (no end recorded)']],
  },
];

const COLUMNS: readonly Column<OperatorAction>[] = [
  { title: 'Action', cell: (action) => html`<${ActionCell} action=${action} />` },
  { title: 'Change', cell: ({ change, outcome }) => html`<${Change} change=${change} outcome=${outcome} />` },
  {
    title: 'Result',
    cell: ({ outcome, status, code }) =>
      html`<span class="result"><${Status} status=${outcome} /> ${status === null ? html`<span class="muted">no end recorded</span>` : html`<span class="muted num">${status}${code === null ? '' : ` ${code}`}</span>`}</span>`,
  },
  {
    title: 'Who',
    cell: ({ keyId, keyName }) =>
      keyId === null
        ? html`<span class="muted">no key</span>`
        : html`<span>${keyName === null ? '' : html`<${Name} text=${keyName} length=${30} /> `}<code class="muted">${keyId}</code></span>`,
  },
  { title: 'From', cell: ({ address }) => html`<code>${address}</code>` },
  { title: 'When', align: 'end', cell: ({ at }) => html`<${Time} at=${at} as="moment" />` },
];

const FILE: readonly CsvField<OperatorAction>[] = [
  'seq',
  'at',
  'action',
  'subject',
  ['changedSubject', ({ change }) => change?.subject],
  ['changedId', ({ change }) => change?.id],
  [
    'change',
    ({ change }) => change?.fields.map(({ name, from, to }) => `${name}: ${from ?? ''} -> ${to ?? ''}`).join('; '),
  ],
  ['reason', ({ change }) => change?.reason],
  'outcome',
  'status',
  'code',
  'keyId',
  'keyName',
  'address',
  'requestId',
];

function ActionCell({ action: { action, subject, change } }: { readonly action: OperatorAction }): VNode {
  const session = useSession();
  if (change === null)
    return html`<span class="action"><span>${actionWords(action)}</span>${!action.startsWith('sign-') && html`<span class="action-subject"><${Name} text=${decoded(subject)} length=${60} /></span>`}</span>`;
  const known = PAGES_OF[change.subject];
  const page = known !== undefined && mayOpen({ name: known }, session) ? known : undefined;
  const name = html`<${Name} text=${change.id} length=${44} />`;
  return html`<span class="action"><span>${actionWords(action)}</span><span class="action-subject">${change.subject.replaceAll('_', ' ')} ${page === undefined ? name : html`<${Link} to=${href(page, change.id)}>${name}<//>`}</span></span>`;
}

/** The pages of subjects. */
const PAGES_OF: Readonly<Record<string, string>> = {
  agent: 'agents',
  approval: 'approvals',
  decision: 'decisions',
  webhook: 'webhooks',
  'dead job': 'dead-jobs',
  policy_set: 'policies',
  proof: 'receipts',
};

function Change({ change, outcome }: Pick<OperatorAction, 'change' | 'outcome'>): VNode {
  if (change === null || change.fields.length === 0)
    return html`<span class="muted">${outcome === 'begun' ? 'unknown' : outcome === 'done' ? 'nothing changed' : '–'}</span>`;
  const { fields, reason } = change;
  return html`<span class="change">${fields.map((field) => html`<${ChangedMember} key=${field.name} field=${field} />`)}${reason !== undefined && html`<span class="change-reason">“<${Said} text=${reason} />”</span>`}</span>`;
}

/** A time as the service writes it. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

function ChangedMember({ field: { name, from, to } }: { readonly field: ChangedField }): VNode {
  const value = (text: string | undefined): VNode =>
    text === undefined
      ? html`<span class="muted">none</span>`
      : MOMENT.test(text)
        ? html`<${Time} at=${text} as="moment" />`
        : html`<${Name} text=${text} length=${60} />`;
  return html`<span><span class="muted">${name}</span> ${from !== undefined && html`${value(from)} <span aria-hidden="true">→</span><span class="visually-hidden">to</span> `}${value(to)}</span>`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replace('/dashboard/api', '');
  } catch {
    return path;
  }
}

function Erased({ pages }: { readonly pages: Pages<OperatorAction> }): VNode | null {
  // The route answers this list with one more member.
  const found = pages.data as OperatorActions | undefined;
  const erasedBefore = found?.erasedBefore ?? null;
  return erasedBefore === null
    ? null
    : html`<p class="muted hint-line">Actions before <${Time} at=${erasedBefore} as="moment" /> were erased by retention; the log keeps their records, with hashes of addresses and changes.</p>`;
}

export function Actions(): VNode {
  const { isOperator } = useSession();
  const [filters, setFilters] = useFilters(['outcome']);
  const pages = usePages<OperatorAction>('/audit/actions', { ...filters, limit: 50 });
  const empty = html`<${Empty} title=${filters.outcome === undefined ? 'No actions yet' : 'No action has this result'} />`;
  return html`<p class="muted hint-line">Every change is recorded before it begins and after it ends; reading is not recorded.${isOperator ? ' Sign-in attempts with unknown keys are shown to the operator.' : ''}</p>
    <div class="toolbar"><${Filters} fields=${FIELDS} values=${filters} onChange=${setFilters} /><${Download} of=${pages} name="operators-actions" fields=${FILE} /></div>
    <${Erased} pages=${pages} />
    <${List} pages=${pages} caption="Actions of operators, newest first" columns=${COLUMNS} keyOf=${({ seq }: OperatorAction) => String(seq)} empty=${empty} />`;
}
