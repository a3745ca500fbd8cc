// The operator trail: what operators did on the dashboard, and with which result.
import { usePages } from '../api.ts';
import type { CsvField } from '../csv.ts';
import { html, type VNode } from '../html.ts';
import { useFilters } from '../router.ts';
import { useSession } from '../session.ts';
import { type Column, Download, Empty, type FilterField, Filters, List, Name, Status, Time } from '../ui.ts';
import type { OperatorAction } from '../wire/operator-trail.ts';

const FIELDS: readonly FilterField[] = [
  {
    name: 'outcome',
    label: 'Result',
    kind: 'choice',
    options: ['done', 'refused', 'failed', ['begun', 'begun (no end recorded)']],
  },
];

const COLUMNS: readonly Column<OperatorAction>[] = [
  {
    title: 'Action',
    cell: ({ action, subject }) =>
      html`<span class="action"><span>${wordsOf(action)}</span>${action.startsWith('sign-') ? '' : html`<span class="action-subject"><${Name} text=${decoded(subject)} length=${90} /></span>`}</span>`,
  },
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
  'outcome',
  'status',
  'code',
  'keyId',
  'keyName',
  'address',
  'requestId',
];

/** Names of the most frequent actions, by method and path template. */
const WORDS: Readonly<Record<string, string>> = {
  'sign-in': 'Signed in',
  'sign-out': 'Signed out',
  'switch-environment': 'Switched to the environment',
  'PATCH /v1/agents/{agentId}': 'Changed an agent',
  'DELETE /v1/agents/{agentId}': 'Terminated an agent',
  'POST /v1/auth/keys': 'Created a key',
  'DELETE /v1/auth/keys/{keyId}': 'Revoked a key',
  'POST /v1/auth/keys/{keyId}/rotate': 'Rotated a key',
  'POST /v1/webhooks': 'Created a webhook',
  'PATCH /v1/webhooks/{webhookId}': 'Changed a webhook',
  'DELETE /v1/webhooks/{webhookId}': 'Deleted a webhook',
  'POST /v1/webhooks/{webhookId}/rotate': 'Rotated the key of a webhook',
  'POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay': 'Replayed a delivery',
  'POST /v1/approvals/{id}/approve': 'Approved a request',
  'POST /v1/approvals/{id}/reject': 'Rejected a request',
  'POST /v1/halt': 'Halted the environment',
  'DELETE /v1/halt': 'Ended the halt',
};

function wordsOf(action: string): string {
  const known = action.replace('/dashboard/api', '');
  return WORDS[known] ?? known;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replace('/dashboard/api', '');
  } catch {
    return path;
  }
}

export function Actions(): VNode {
  const { isOperator } = useSession();
  const [filters, setFilters] = useFilters(['outcome']);
  const pages = usePages<OperatorAction>('/audit/actions', { ...filters, limit: 50 });
  const empty = html`<${Empty} title=${filters.outcome === undefined ? 'No actions yet' : 'No action has this result'} />`;
  return html`<p class="muted hint-line">Every change is recorded before it begins and after it ends; reading is not recorded.${isOperator ? ' Sign-in attempts with unknown keys are shown to the operator.' : ''}</p>
    <div class="toolbar"><${Filters} fields=${FIELDS} values=${filters} onChange=${setFilters} /><${Download} of=${pages} name="operators-actions" fields=${FILE} /></div>
    <${List} pages=${pages} caption="Actions of operators, newest first" columns=${COLUMNS} keyOf=${({ seq }: OperatorAction) => String(seq)} empty=${empty} />`;
}
