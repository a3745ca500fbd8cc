// The list of decisions with its filters, and a notice when there are new ones.
import { api, type Pages, usePages } from '../api.ts';
import type { DecisionAnswer } from '../answers.ts';
import { whole } from '../format.ts';
import { html, useEffect, useState, type VNode } from '../html.ts';
import { type FilterValues, href, navigate, useFilters } from '../router.ts';
import { Download, Empty, type FilterField, Filters, List, LookUp, PageHead } from '../ui.ts';
import type { NewerDecisions } from '../wire/decisions.ts';
import { DECISION_COLUMNS, DECISION_FIELDS, decisionHref, decisionKey } from './decisions-parts.ts';

const FIELDS: readonly FilterField[] = [
  { name: 'agentId', label: 'Agent', kind: 'text', placeholder: 'agent-7' },
  { name: 'verdict', label: 'Verdict', kind: 'choice', options: ['ALLOW', 'DENY', 'ESCALATE', 'DEGRADE'] },
  { name: 'tool', label: 'Tool', kind: 'text', placeholder: 'server/tool' },
  { name: 'from', label: 'From', kind: 'moment' },
  { name: 'to', label: 'Before', kind: 'moment' },
  { name: 'requestId', label: 'Request id', kind: 'text', placeholder: 'X-Request-Id' },
];

/** `server` or `server/tool`, as parameters of the API. The operator chose the names of servers, and only tools have slashes in theirs. */
function toolFilter(tool: string | undefined): { readonly toolServer?: string; readonly toolName?: string } {
  const [, toolServer = '', toolName = ''] = /^([^/]*)\/?(.*)$/s.exec(tool ?? '') ?? [];
  return { toolServer, toolName };
}

export function DecisionList(): VNode {
  const [filters, setFilters] = useFilters(['agentId', 'verdict', 'tool', 'from', 'to', 'requestId']);
  const { tool, ...others } = filters;
  const pages = usePages<DecisionAnswer>('/v1/decisions', { ...others, ...toolFilter(tool) });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const empty = isFiltered
    ? html`<${Empty} title="No decision matches these filters">Change or clear the filters.<//>`
    : html`<${Empty} title="No decisions yet">Decisions appear here as soon as an agent sends a request.<//>`;
  return html`<${PageHead} title="Decisions" lead="What agents asked for, the verdicts, and the reasons. Open a decision for its full explanation." actions=${html`<${Download} of=${pages} name="decisions" fields=${DECISION_FIELDS} />`} />
    <div class="finders">
      <${LookUp} label="Decision id" placeholder="dec_…" onGo=${(text: string) => navigate(href('decisions', text))} />
      <${Filters} fields=${FIELDS} values=${filters} onChange=${setFilters} />
    </div>
    <${NewDecisions} pages=${pages} filters=${filters} />
    <${List} pages=${pages} caption="Decisions, newest first" columns=${DECISION_COLUMNS} keyOf=${decisionKey} hrefOf=${decisionHref} empty=${empty} />`;
}

const POLL_MS = 2_500;

/** The number of new decisions, with a button that shows them. The list does not move by itself, so that it can be read. */
function NewDecisions({
  pages,
  filters,
}: {
  readonly pages: Pages<DecisionAnswer>;
  readonly filters: FilterValues;
}): VNode {
  const { data, page, loading, reload } = pages;
  const { agentId, verdict, tool, to, requestId } = filters;
  const isClosed = page > 1 || to !== undefined || requestId !== undefined;
  const after = data === undefined || isClosed ? undefined : (data.items[0]?.decision_id ?? '');
  const [found, setFound] = useState<NewerDecisions & { readonly after: string }>();
  useEffect(() => {
    if (after === undefined) return undefined;
    const abort = new AbortController();
    const poll = (): void => {
      if (document.hidden) return;
      api<NewerDecisions>('/decisions/newer', {
        query: { after: after === '' ? undefined : after, agentId, verdict, ...toolFilter(tool) },
        signal: abort.signal,
      }).then(
        (newer) => setFound({ ...newer, after }),
        // The next poll tries again; the list shows errors.
        () => undefined,
      );
    };
    const timer = window.setInterval(poll, POLL_MS);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }, [after, agentId, verdict, tool]);
  const isNew = found !== undefined && found.after === after && found.newer > 0;
  const text = isNew ? `${found.more ? 'over ' : ''}${whole(found.newer)} new` : '';
  return html`<div class="news" role="status">${isNew && html`<button type="button" class="button button-small" disabled=${loading} onClick=${reload}>${text}, show</button>`}</div>`;
}
