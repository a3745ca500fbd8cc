// Receipts: the records in the log by id, entity or event, and the pages of one receipt, of a chain, and of the check of a file.
import { usePages } from '../api.ts';
import type { ProofItem } from '../answers.ts';
import { whole } from '../format.ts';
import type { CsvField } from '../csv.ts';
import { html, type VNode } from '../html.ts';
import type { PageProps } from '../router.ts';
import { href, Link, navigate, useFilters } from '../router.ts';
import { type Column, Download, Empty, type FilterField, Filters, List, LookUp, Name, PageHead, Time } from '../ui.ts';
import { ChainPage } from './receipts-chain.ts';
import { CheckPage } from './receipts-check.ts';
import { ReceiptPage } from './receipts-item.ts';

const FIELDS: readonly FilterField[] = [
  { name: 'entityId', label: 'Entity', kind: 'text', placeholder: 'agent-7' },
  { name: 'event', label: 'Event', kind: 'text', placeholder: 'custos.decision' },
  { name: 'from', label: 'From', kind: 'moment' },
  { name: 'to', label: 'Before', kind: 'moment' },
];

const COLUMNS: readonly Column<ProofItem>[] = [
  { title: 'Proof', cell: ({ proofId }) => html`<${Name} text=${proofId} length=${34} />` },
  { title: 'Event', cell: ({ event }) => html`<${Name} text=${event} length=${32} />` },
  { title: 'Entity', cell: ({ entityId }) => html`<${Name} text=${entityId} length=${32} />` },
  { title: 'Leaf', align: 'end', cell: ({ index }) => (index === null ? '' : whole(index)) },
  { title: 'When', align: 'end', cell: ({ occurredAt }) => html`<${Time} at=${occurredAt} />` },
];

const FILE: readonly CsvField<ProofItem>[] = ['proofId', 'event', 'entityId', 'index', 'occurredAt'];

/** The id of a decision's proof has the same characters after its prefix. */
export function proofIdOf(text: string): string {
  return /^dec_[0-9a-z]{26}$/.test(text) ? `prf${text.slice(3)}` : text;
}

export function ReceiptsPage({ id }: PageProps): VNode {
  const [{ view, entityId }] = useFilters(['view', 'entityId']);
  if (id !== undefined) return html`<${ReceiptPage} key=${id} id=${id} />`;
  if (view === 'check') return html`<${CheckPage} />`;
  if (view === 'chain' && entityId !== undefined) return html`<${ChainPage} key=${entityId} entityId=${entityId} />`;
  return html`<${Proofs} />`;
}

function Proofs(): VNode {
  const [filters, setFilters] = useFilters(['entityId', 'event', 'from', 'to']);
  const pages = usePages<ProofItem>('/v1/proofs', filters);
  const { entityId } = filters;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const empty = isFiltered
    ? html`<${Empty} title="No record matches these filters">The newest records may not be in the log yet.<//>`
    : html`<${Empty} title="The log is empty">Decisions, proofs and changes appear here within a second, while a worker runs.<//>`;
  const actions = html`<${Link} class="button" to=${href('receipts', undefined, { view: 'check' })}>Check a receipt<//> <${Download} of=${pages} name="proofs" fields=${FILE} />`;
  return html`<${PageHead} title="Receipts" lead="All records in the log. Your browser verifies each receipt." actions=${actions} />
    <div class="finders">
      <${LookUp} label="Proof or decision id" placeholder="prf_… or dec_…" onGo=${(text: string) => navigate(href('receipts', proofIdOf(text)))} />
      <${Filters} fields=${FIELDS} values=${filters} onChange=${setFilters} />
    </div>
    ${entityId !== undefined && html`<p class="hint-line"><${Link} to=${href('receipts', undefined, { view: 'chain', entityId })}>Show the chain of this entity, oldest first<//></p>`}
    <${List} pages=${pages} caption="Anchored proofs, newest first" columns=${COLUMNS} keyOf=${({ proofId }: ProofItem) => proofId} hrefOf=${({ proofId }: ProofItem) => href('receipts', proofId)} empty=${empty} />`;
}
