// Shadow mode: how a draft would have decided live requests, without effect on them.
import type { ShadowStatus } from '#shared/domain/drafts/reports.js';
import { useApi } from '../api.ts';
import { compact, count, short, whole } from '../format.ts';
import { type ComponentChildren, html, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import { useSession } from '../session.ts';
import {
  Card,
  type Column,
  Empty,
  Id,
  Notice,
  PageHead,
  Said,
  Stat,
  Stats,
  Table,
  Time,
  ToolName,
  Verdict as VerdictBadge,
  WhenLoaded,
} from '../ui.ts';
import type { SessionInfo } from '../wire.ts';
import { Findings } from './policies-findings.ts';

type Draft = ShadowStatus['drafts'][number];
type RuleChange = Draft['rules']['items'][number];
type AgentChange = Draft['agents']['items'][number];
type Example = Draft['examples'][number];

export function ShadowPage({ views }: { readonly views: ComponentChildren }): VNode {
  const shadow = useApi<ShadowStatus>('/v1/policies/shadow');
  const again = html`<button type="button" class="button" onClick=${shadow.reload}>Reload</button>`;
  return html`<${PageHead} title="Policies" lead="Shadow mode evaluates a draft with live requests, without effect on them." actions=${again} />
    ${views}
    <${WhenLoaded} of=${shadow} what="Reading the results">${(data: ShadowStatus) => html`<${Shown} shadow=${data} />`}<//>`;
}

function Shown({ shadow }: { readonly shadow: ShadowStatus }): VNode {
  const { running, draft, share, findings, drafts } = shadow;
  if (!running && drafts.length === 0)
    return html`<div class="list"><${Empty} title="Shadow mode is off">To use it, start the workers with CUSTOS_SHADOW_POLICY_DIR set to the folder of the draft.<//></div>`;
  return html`<div class="stack">
      ${findings.length > 0 && html`<${Notice} tone="warn" title="The draft cannot be evaluated"><${Findings} findings=${findings} /><//>`}
      ${running && draft !== null && html`<${Notice} tone="info" title="A draft is being evaluated"><code>${short(draft.digest, 24)}</code>, ${percent(share ?? 1)} of live decisions.<//>`}
      ${!running && html`<${Notice} tone="neutral" title="No draft is being evaluated">Earlier results are shown below.<//>`}
    </div>
    ${drafts.length === 0 && html`<div class="list"><${Empty} title="No results yet">Results appear here with the next live decisions.<//></div>`}
    ${drafts.map((each) => html`<${DraftCard} key=${each.digest} draft=${each} />`)}`;
}

const percent = (share: number): string => `${Math.round(1_000 * share) / 10} %`;

function DraftCard({ draft }: { readonly draft: Draft }): VNode {
  const session = useSession();
  const { decisions, changed, transitions, rules, agents, examples } = draft;
  const part = decisions.evaluated === 0 ? 0 : changed.decisions / decisions.evaluated;
  return html`<section class="section">
    <h2 class="section-title">Draft <${Id} id=${draft.digest} length=${24} copy /></h2>
    <${Stats}>
      <${Stat} label="Evaluated" value=${compact(decisions.evaluated)} hint=${`${percent(draft.share)} of decisions`} />
      <${Stat} label="Would change" value=${compact(changed.decisions)} hint=${percent(part)} tone=${changed.decisions > 0 ? 'warn' : 'neutral'} />
      <${Stat} label="Stricter" value=${compact(changed.stricter)} hint="towards DENY" />
      <${Stat} label="Looser" value=${compact(changed.looser)} hint="towards ALLOW" />
      <${Stat} label="Not evaluable" value=${compact(decisions.notEvaluable.total)} hint=${draft.skipped === 0 ? 'facts erased or damaged' : `${whole(draft.skipped)} skipped`} />
    <//>
    <p class="muted section-note">${count(draft.policies, 'policy', 'policies')}, evaluated from <${Time} at=${draft.since} as="moment" /> to <${Time} at=${draft.until} as="moment" />.</p>
    ${
      changed.decisions === 0
        ? html`<${Card}><${Empty} title="No changes">Every decision would have been the same.<//><//>`
        : html`<div class="columns">
            <${Card} title="Verdicts" flush><${Table} plain caption="Verdicts that change" columns=${TRANSITIONS} rows=${transitions} keyOf=${({ from, to }: Transition) => `${from} ${to}`} /><//>
            <${Card} title="Rules" aside=${moreOf(rules)} flush><${Table} plain caption="Rules that change decisions" columns=${RULES} rows=${rules.items} keyOf=${(row: RuleChange) => `${row.policy} ${row.rule} ${row.effect}`} /><//>
            <${Card} title="Agents" aside=${moreOf(agents)} flush><${Table} plain caption="Agents whose decisions change" columns=${AGENTS} rows=${agents.items} keyOf=${(row: AgentChange) => `${row.organisation} ${row.environment} ${row.agentId}`} /><//>
          </div>
          <${Card} title="Examples" flush><${Table} caption="Decisions that would change" columns=${examplesOf(session)} rows=${examples} keyOf=${(row: Example) => row.decisionId} /><//>`
    }
  </section>`;
}

function moreOf({ more, beyond }: Draft['rules'] | Draft['agents']): string | undefined {
  return more + beyond === 0 ? undefined : `and ${compact(more + beyond)} more`;
}

type Transition = Draft['transitions'][number];

const TRANSITIONS: readonly Column<Transition>[] = [
  { title: 'Was', cell: ({ from }) => html`<${VerdictBadge} verdict=${from} />` },
  { title: 'Would be', cell: ({ to }) => html`<${VerdictBadge} verdict=${to} />` },
  { title: 'Decisions', align: 'end', cell: ({ decisions }) => whole(decisions) },
];

const RULES: readonly Column<RuleChange>[] = [
  {
    title: 'Rule',
    cell: ({ policy, rule, effect }) =>
      html`<${VerdictBadge} verdict=${effect} /> ${policy} <span class="muted">/ ${rule}</span>`,
  },
  { title: 'Newly', align: 'end', cell: ({ newly }) => whole(newly) },
  { title: 'No longer', align: 'end', cell: ({ noLonger }) => whole(noLonger) },
];

const AGENTS: readonly Column<AgentChange>[] = [
  {
    title: 'Agent',
    cell: ({ agentId, organisation }) => html`<${Said} text=${agentId} /> <span class="muted">${organisation}</span>`,
  },
  { title: 'Stricter', align: 'end', cell: ({ stricter }) => whole(stricter) },
  { title: 'Looser', align: 'end', cell: ({ looser }) => whole(looser) },
];

/** Decisions of other organisations and environments are listed without a link, because this key may not read them. */
const examplesOf = ({ organisation, environment }: SessionInfo): readonly Column<Example>[] => [
  {
    title: 'Request',
    cell: ({ intent, tool }) =>
      html`${tool && html`<${ToolName} tool=${tool} /> `}<span class=${tool && 'tool-resource muted'}><${Said} text=${intent} /></span>`,
  },
  { title: 'Agent', cell: ({ agentId }) => html`<${Said} text=${agentId} />` },
  { title: 'Was', cell: ({ before }) => html`<${VerdictBadge} verdict=${before.verdict} />` },
  { title: 'Would be', cell: ({ after }) => html`<${VerdictBadge} verdict=${after.verdict} />` },
  { title: 'Reason', cell: ({ after }) => after.reasons[0]?.message ?? '' },
  {
    title: 'Decision',
    cell: (example) => {
      const id = html`<${Id} id=${example.decisionId} length=${16} />`;
      const isOwn = example.organisation === organisation && example.environment === environment;
      return isOwn ? html`<${Link} to=${href('decisions', example.decisionId)}>${id}<//>` : id;
    },
  },
];
