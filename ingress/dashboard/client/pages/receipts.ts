// Receipts: what is in the log, found by id, entity or event; one of them verified, an entity's chain, or one that somebody holds.
import { usePages } from '../api.ts';
import type { ProofItem } from '../answers.ts';
import { whole } from '../format.ts';
import type { CsvField } from '../csv.ts';
import { html, type VNode } from '../html.ts';
import type { PageProps } from '../page-props.ts';
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

const FILE: readonly CsvField<ProofItem>[] = [
  { title: 'proofId', of: ({ proofId }) => proofId },
  { title: 'event', of: ({ event }) => event },
  { title: 'entityId', of: ({ entityId }) => entityId },
  { title: 'index', of: ({ index }) => index },
  { title: 'occurredAt', of: ({ occurredAt }) => occurredAt },
];

/** A decision's receipt has the same letters after prf_ as the decision after dec_. */
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
    ? html`<${Empty} title="Nothing in the log fits">What was accepted in the last moments may still wait for the log.<//>`
    : html`<${Empty} title="Nothing is in the log yet">Decisions, proofs and changes appear here within a second of being accepted, while a worker runs.<//>`;
  const actions = html`<${Link} class="button" to=${href('receipts', undefined, { view: 'check' })}>Check a receipt<//> <${Download} of=${pages} name="proofs" fields=${FILE} />`;
  return html`<${PageHead} title="Receipts" lead="Everything that was anchored in the log. Each receipt is verified here, in your browser." actions=${actions} />
    <div class="finders">
      <${LookUp} label="Proof or decision id" placeholder="prf_… or dec_…" onGo=${(text: string) => navigate(href('receipts', proofIdOf(text)))} />
      <${Filters} fields=${FIELDS} values=${filters} onChange=${setFilters} />
    </div>
    ${entityId !== undefined && html`<p class="hint-line"><${Link} to=${href('receipts', undefined, { view: 'chain', entityId })}>All of this entity as a chain, oldest first<//></p>`}
    <${List} pages=${pages} caption="Anchored proofs, newest first" columns=${COLUMNS} keyOf=${({ proofId }: ProofItem) => proofId} hrefOf=${({ proofId }: ProofItem) => href('receipts', proofId)} empty=${empty} />`;
}
