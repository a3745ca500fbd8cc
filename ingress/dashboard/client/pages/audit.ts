// The audit page: the state of the logs with the auditor's findings, and the operator trail.
import { useApi, usePages } from '../api.ts';
import type { CheckpointItem } from '../answers.ts';
import { LogFacts } from '../components/log-facts.ts';
import { count, short, whole } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { href, Link, useFilters } from '../router.ts';
import { Card, type Column, Copy, Empty, List, Name, Notice, PageHead, Table, Time, WhenLoaded } from '../ui.ts';
import type { AuditedLog, AuditedLogs, AuditFinding } from '../wire.ts';
import { Actions } from './audit-actions.ts';

export function AuditPage(): VNode {
  const [{ view }] = useFilters(['view']);
  const isActions = view === 'actions';
  return html`<${PageHead} title="Audit" lead="The integrity of the log, and the actions of operators on this dashboard." />
    <nav class="tabs" aria-label="Parts of the audit">
      <${Link} to=${href('audit')} current=${!isActions}>The log<//>
      <${Link} to=${href('audit', undefined, { view: 'actions' })} current=${isActions}>Operators' actions<//>
    </nav>
    ${isActions ? html`<${Actions} />` : html`<${Logs} />`}`;
}

function Logs(): VNode {
  const audited = useApi<AuditedLogs>('/audit/logs');
  return html`<${WhenLoaded} of=${audited} what="Reading the state of the log">${({ logs }: AuditedLogs) => {
    const [newest, ...older] = logs;
    if (newest === undefined)
      return html`<${Card}><${Empty} title="Nothing is recorded yet">The log begins with the first decision; a worker then audits it.<//><//>`;
    return html`<${Log} log=${newest} />
      ${older.map((log) => html`<${Card} key=${log.generation} title=${`Older log, number ${log.generation}`} aside="Replaced by a newer log; it does not grow any more"><${Findings} log=${log} /><${LogFacts} log=${log} /><//>`)}
      <${Checkpoints} />`;
  }}<//>`;
}

function Log({ log }: { readonly log: AuditedLog }): VNode {
  const { audit, haltedReason } = log;
  const isBad = haltedReason !== null || audit?.ok === false;
  return html`
    <div class="stack" role=${isBad ? 'alert' : 'status'}>
      ${haltedReason !== null && html`<${Notice} tone="bad" title="The log is halted: it records, but does not sign"><p>${haltedReason}</p><p>Decisions are made and recorded as usual, but there are no new receipts. First find the cause. Then "custos log resume" accepts the findings; if the tree differs from the signed one, "custos log fork" starts a new log.</p><//>`}
      ${audit?.ok === false && html`<${Notice} tone="bad" title="The log was changed"><p>The auditor computed the log again with another implementation, and ${audit.findings.length === 1 ? 'found one difference' : `found ${whole(audit.findings.length)} differences`}. Receipts issued before stay valid and prove the earlier content.</p><p>Do not change the database, and make a copy of it. "custos audit" checks all of it; compare with a backup or with receipts that others hold.</p><//>`}
      ${!isBad && audit !== null && audit.findings.length > 0 && html`<${Notice} tone="neutral" title="An operator has accepted the findings">They are listed below as long as they last, and recorded in the log.<//>`}
      ${!isBad && audit !== null && audit.findings.length === 0 && html`<${Notice} tone="good" title="The audit found no difference">The auditor computed ${whole(audit.auditedSize)} of ${whole(log.size)} leaves again with another implementation.<//>`}
      ${!isBad && audit === null && html`<${Notice} tone="neutral" title="Not audited yet">A worker audits the log within a minute of its first leaves.<//>`}
    </div>
    ${audit !== null && audit.findings.length > 0 && html`<${Card} title="Findings" flush aside=${count(audit.findings.length, 'finding')}><${Findings} log=${log} /><//>`}
    <${Card} title="Log"><${LogFacts} log=${log} /><//>`;
}

const FINDING_COLUMNS: readonly Column<AuditFinding>[] = [
  {
    title: 'Finding',
    cell: ({ kind, sentence }) =>
      html`<span class="audit-finding"><span class="code-word">${kind}</span> <span>${sentence}</span></span>`,
  },
  { title: 'Meaning', cell: ({ meaning }) => meaning },
  { title: 'Leaf', align: 'end', cell: ({ leafIndex }) => (leafIndex === null ? '–' : whole(leafIndex)) },
  {
    title: 'Proof',
    cell: ({ proofId }) =>
      proofId === null
        ? '–'
        : html`<${Link} to=${href('receipts', proofId)}><${Name} text=${proofId} length=${20} /><//>`,
  },
];

function Findings({ log: { audit } }: { readonly log: AuditedLog }): VNode {
  if (audit === null || audit.findings.length === 0) return html``;
  const numbered = audit.findings.map((finding, n) => ({ ...finding, n }));
  return html`<${Table} caption="Findings of the audit" columns=${FINDING_COLUMNS} rows=${numbered} keyOf=${({ n }: { n: number }) => String(n)} />`;
}

const CHECKPOINT_COLUMNS: readonly Column<CheckpointItem>[] = [
  { title: 'Size', cell: ({ size }) => html`<span class="num">${whole(size)}</span>` },
  { title: 'Root', cell: ({ root }) => html`<code title=${root}>${short(root, 24)}</code>` },
  { title: 'Signed', cell: ({ signedAt }) => html`<${Time} at=${signedAt} as="moment" />` },
  {
    title: 'Note',
    align: 'end',
    cell: ({ note, size }) => html`<${Copy} text=${note} label=${`Copy the checkpoint of size ${size}`} />`,
  },
];

function Checkpoints(): VNode {
  const pages = usePages<CheckpointItem>('/v1/log/checkpoints', { limit: 20 });
  return html`<section class="section" aria-labelledby="checkpoints"><h2 id="checkpoints">Checkpoints</h2>
    <p class="muted">The signed states of the log. Copies that are kept elsewhere prove later that the log was not rewritten.</p>
    <${List} pages=${pages} caption="Checkpoints, newest first" columns=${CHECKPOINT_COLUMNS} keyOf=${({ size }: CheckpointItem) => String(size)} empty=${html`<${Empty} title="No checkpoint yet">A worker signs one soon after the first leaves.<//>`} />
  </section>`;
}
