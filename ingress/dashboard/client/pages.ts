// The pages in the order of the menu. The page of one item (`/dashboard/agents/agent-7`) is the same entry with an id.
import { lazy, type LazyComponent } from './lazy.ts';
import { OverviewPage } from './pages/overview.ts';
import type { PageProps } from './router.ts';

export interface PageEntry {
  /** As in the address; '' is the overview. */
  readonly name: string;
  readonly title: string;
  readonly group: 'Watch' | 'Govern' | 'Prove' | 'Run';
  /** Only for live admin keys of the operator's organisation. */
  readonly operatorOnly?: boolean;
  /** Gets the rest of the path as `id`, when there is no `item`. */
  readonly component: LazyComponent<PageProps>;
  /** The page of one item of the list. */
  readonly item?: LazyComponent<{ readonly id: string }>;
}

/** The overview is part of the first load; the code of every other page is loaded when it is opened. */
export const PAGES: readonly PageEntry[] = [
  { name: '', title: 'Overview', group: 'Watch', component: lazy(async () => OverviewPage) },
  {
    name: 'decisions',
    title: 'Decisions',
    group: 'Govern',
    component: lazy(async () => (await import('./pages/decisions.ts')).DecisionList),
    item: lazy(async () => (await import('./pages/decisions-item.ts')).DecisionPage),
  },
  {
    name: 'agents',
    title: 'Agents',
    group: 'Govern',
    component: lazy(async () => (await import('./pages/agents.ts')).AgentList),
    item: lazy(async () => (await import('./pages/agents-item.ts')).AgentPage),
  },
  {
    name: 'approvals',
    title: 'Approvals',
    group: 'Govern',
    component: lazy(async () => (await import('./pages/approvals.ts')).ApprovalList),
    item: lazy(async () => (await import('./pages/approvals-item.ts')).ApprovalPage),
  },
  {
    name: 'receipts',
    title: 'Receipts',
    group: 'Prove',
    component: lazy(async () => (await import('./pages/receipts.ts')).ReceiptsPage),
  },
  {
    name: 'audit',
    title: 'Audit',
    group: 'Prove',
    component: lazy(async () => (await import('./pages/audit.ts')).AuditPage),
  },
  {
    name: 'keys',
    title: 'Keys',
    group: 'Run',
    component: lazy(async () => (await import('./pages/keys.ts')).KeysPage),
  },
  {
    name: 'webhooks',
    title: 'Webhooks',
    group: 'Run',
    component: lazy(async () => (await import('./pages/webhooks.ts')).WebhooksPage),
    item: lazy(async () => (await import('./pages/webhooks-item.ts')).WebhookPage),
  },
  {
    name: 'policies',
    title: 'Policies',
    group: 'Run',
    operatorOnly: true,
    component: lazy(async () => (await import('./pages/policies.ts')).PoliciesPage),
  },
  {
    name: 'queues',
    title: 'Queues',
    group: 'Run',
    operatorOnly: true,
    component: lazy(async () => (await import('./pages/queues.ts')).QueuesPage),
  },
  {
    name: 'dead-jobs',
    title: 'Dead jobs',
    group: 'Run',
    component: lazy(async () => (await import('./pages/dead-jobs.ts')).DeadJobList),
    item: lazy(async () => (await import('./pages/dead-jobs.ts')).DeadJobPage),
  },
];
