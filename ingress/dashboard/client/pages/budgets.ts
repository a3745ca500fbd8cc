// The page of budgets: those of the set in force, and what is used of them, fullest first.
import { usePages } from '../api.ts';
import { exact, short, whole } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { href, Link, useFilters } from '../router.ts';
import { Card, type Column, Empty, type FilterField, Filters, List, PageHead, Table } from '../ui.ts';
import type { BudgetCount, BudgetInForce, ListedBudgets } from '../wire/budgets.ts';
import { COUNT_COLUMNS, countKey } from './budgets-parts.ts';

const LEAD =
  'Budgets limit what rules permit within a sliding window. A request for which nothing is left is denied, unless another rule permits it.';

export function BudgetsPage(): VNode {
  const [filters, setFilters] = useFilters(['budget', 'agentId']);
  const pages = usePages<BudgetCount>('/budgets', filters);
  // The answer has more than the rows.
  const data = pages.data as ListedBudgets | undefined;
  const isFiltered = filters.budget !== undefined || filters.agentId !== undefined;
  const fields: readonly FilterField[] = [
    { name: 'budget', label: 'Budget', kind: 'text', placeholder: 'the whole name' },
    { name: 'agentId', label: 'Agent', kind: 'text', placeholder: 'the whole id' },
  ];
  const empty = isFiltered
    ? html`<${Empty} title="No count matches">Nothing is used of such a budget.<//>`
    : html`<${Empty} title="Nothing of any budget is used">${data?.budgets.length === 0 ? 'The policy set in force has no budgets.' : 'What requests use appears here.'}<//>`;
  return html`<${PageHead} title="Budgets" lead=${LEAD} />
    <${Filters} fields=${fields} values=${filters} onChange=${setFilters} />
    <${List} pages=${pages} ways=${['Fuller', 'Emptier']} caption="Counts of budgets, fullest first" columns=${COUNT_COLUMNS} keyOf=${countKey} empty=${empty} />
    ${data !== undefined && (pages.older ?? pages.newer) !== undefined && html`<p class="muted card-note">At most the fullest ${whole(data.most)} counts are listed; name a budget or an agent for others.</p>`}
    ${data !== undefined && data.budgets.length > 0 && html`<div class="section"><${InForce} budgets=${data.budgets} /></div>`}`;
}

function InForce({ budgets }: { readonly budgets: readonly BudgetInForce[] }): VNode {
  return html`<${Card} title="Budgets in force" flush><${Table} caption="Budgets of the policy set in force, by name" columns=${COLUMNS} rows=${budgets} keyOf=${({ name }: BudgetInForce) => name} /><//>`;
}

const COLUMNS: readonly Column<BudgetInForce>[] = [
  {
    title: 'Budget',
    cell: ({ name }) => html`<${Link} to=${href('budgets', undefined, { budget: name })}>${name}<//>`,
  },
  {
    title: 'Limit',
    cell: ({ limit, amount, window, per }) =>
      html`<span class="num">${exact(limit)}</span> ${amount === null ? (limit === 1 ? 'permission' : 'permissions') : html`of <code>${short(amount, 60)}</code>`} in <code>${window}</code>${per.length > 0 && ` for each ${per.join(' and ')}`}`,
  },
  {
    title: 'Rules',
    cell: ({ rules }) =>
      html`<span class="codes">${rules.map(({ policy, rule }) => html`<code key=${`${policy}/${rule}`}>${policy}/${rule}</code>`)}</span>`,
  },
];
