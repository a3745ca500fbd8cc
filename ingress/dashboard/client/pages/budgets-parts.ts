// Parts of the budget pages: the columns of a list of counts, and the cards on the pages of agents and policies.
import { useApi } from '../api.ts';
import { exact } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import { Badge, Card, type Column, Empty, Name, Table, WhenLoaded } from '../ui.ts';
import type { BudgetCount, ListedBudgets } from '../wire/budgets.ts';

/** From this share on a budget is nearly used up. */
const NEAR = 0.8;
const FULL = 1;
/** Counts on the pages of agents and policies. */
const FEW = 8;

export const countKey = ({ name, countedFor }: BudgetCount): string => JSON.stringify([name, countedFor]);

const budgetColumn: Column<BudgetCount> = {
  title: 'Budget',
  cell: ({ name }) => html`<${Link} to=${href('budgets', undefined, { budget: name })}>${name}<//>`,
};

export const COUNT_COLUMNS: readonly Column<BudgetCount>[] = [
  budgetColumn,
  { title: 'For', cell: (row) => html`<${CountedFor} of=${row} />` },
  { title: 'Used', sortBy: ({ share }) => share, cell: (row) => html`<${Used} of=${row} />` },
  { title: 'Left', align: 'end', narrow: 'labelled', cell: ({ left }) => exact(left) },
  { title: 'Window', align: 'end', narrow: 'labelled', cell: ({ window }) => html`<code>${window}</code>` },
];

/** What has this count. */
function CountedFor({ of: { countedFor } }: { readonly of: BudgetCount }): VNode {
  const entries = Object.entries(countedFor);
  if (entries.length === 0) return html`<span class="muted">the organisation</span>`;
  return html`<span class="counted-for">${entries.map(([scope, value]) => {
    const text = typeof value === 'string' ? value : value.join('/');
    const name = html`<${Name} text=${text} length=${48} />`;
    return html`<span key=${scope}><span class="muted">${scope}</span> ${scope === 'agent' ? html`<${Link} to=${href('agents', text)}>${name}<//>` : name}</span>`;
  })}</span>`;
}

/** A bar with its numbers; the bar is decoration. */
function Used({ of: { used, limit, share } }: { readonly of: BudgetCount }): VNode {
  const state = share >= FULL ? 'budget-full' : share >= NEAR ? 'budget-near' : '';
  return html`<span class="budget-used"><span class=${`budget-bar ${state}`} aria-hidden="true"><span style=${{ width: `${100 * share}%` }}></span></span><span class="num">${exact(used)} of ${exact(limit)}</span>${state !== '' && html`<${Badge} tone=${share >= FULL ? 'bad' : 'warn'}>${share >= FULL ? 'used up' : 'nearly used up'}<//>`}</span>`;
}

/** What an agent has used of the budgets that have a count for each agent; nothing when no set has such a budget. */
export function BudgetsOfAgent({ agentId }: { readonly agentId: string }): VNode | null {
  const budgets = useApi<ListedBudgets>('/budgets', { agentId, limit: FEW });
  const hasOwn = budgets.data?.budgets.some(({ per }) => per.includes('agent')) ?? false;
  if (budgets.error === undefined && !hasOwn) return null;
  return html`<${Card} title="Budgets" flush aside=${html`<${Link} to=${href('budgets', undefined, { agentId })}>All of this agent<//>`}>
    <${WhenLoaded} of=${budgets}>${({ items }: ListedBudgets) => html`<${Table} caption="Budgets of this agent, fullest first" columns=${COUNT_COLUMNS} rows=${items} keyOf=${countKey} empty=${html`<${Empty} title="It has used nothing of its budgets" />`} />`}<//>
  <//>`;
}

/** The use of the budgets of a policy; nothing when it has none in the set in force. */
export function BudgetsOfPolicy({ policy }: { readonly policy: string }): VNode | null {
  const budgets = useApi<ListedBudgets>('/budgets', { policy, limit: FEW });
  if (budgets.error === undefined && (budgets.data?.budgets.length ?? 0) === 0) return null;
  return html`<${Card} title="Budgets" flush aside="Fullest first, in this environment">
    <${WhenLoaded} of=${budgets}>${({ items }: ListedBudgets) => html`<${Table} caption="Budgets of this policy, fullest first" columns=${COUNT_COLUMNS} rows=${items} keyOf=${countKey} empty=${html`<${Empty} title="Nothing of its budgets is used" />`} />`}<//>
  <//>`;
}
