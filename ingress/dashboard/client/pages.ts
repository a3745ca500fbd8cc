// The pages in the order of the menu. The page of one item (`/dashboard/agents/agent-7`) is the same entry with an id.
import { lazy, type LazyComponent } from './lazy.ts';
import type { IconName } from './icons.ts';
import { OverviewPage } from './pages/overview.ts';
import type { PageProps } from './router.ts';

/** The groups of the menu. */
export const GROUPS = ['Watch', 'Govern', 'Prove', 'Run'] as const;

export interface PageEntry {
  /** As in the address; '' is the overview. */
  readonly name: string;
  readonly title: string;
  readonly group: (typeof GROUPS)[number];
  readonly icon: IconName;
  /** Other words that find it in the palette. */
  readonly words?: string;
  /** Gets the rest of the path as `id`, when there is no `item`. */
  readonly component: LazyComponent<PageProps>;
  /** The page of one item of the list. */
  readonly item?: LazyComponent<{ readonly id: string }>;
}

/** The overview is part of the first load; the code of every other page is loaded when it is opened. */
export const PAGES: readonly PageEntry[] = [
  {
    name: '',
    title: 'Overview',
    group: 'Watch',
    icon: 'gauge',
    words: 'home dashboard status problems',
    component: lazy(async () => OverviewPage),
  },
  {
    name: 'decisions',
    title: 'Decisions',
    group: 'Govern',
    icon: 'scale',
    words: 'log verdicts allow deny escalate degrade',
    component: lazy(async () => (await import('./pages/decisions.ts')).DecisionList),
    item: lazy(async () => (await import('./pages/decisions-item.ts')).DecisionPage),
  },
  {
    name: 'agents',
    title: 'Agents',
    group: 'Govern',
    icon: 'bot',
    words: 'trust',
    component: lazy(async () => (await import('./pages/agents.ts')).AgentList),
    item: lazy(async () => (await import('./pages/agents-item.ts')).AgentPage),
  },
  {
    name: 'tools',
    title: 'Tools',
    group: 'Govern',
    icon: 'wrench',
    words: 'catalogues mcp servers import unknown changed',
    component: lazy(async () => (await import('./pages/tools.ts')).ToolsPage),
  },
  {
    name: 'budgets',
    title: 'Budgets',
    group: 'Govern',
    icon: 'wallet',
    words: 'limits quotas used left',
    component: lazy(async () => (await import('./pages/budgets.ts')).BudgetsPage),
  },
  {
    name: 'resources',
    title: 'Resources',
    group: 'Govern',
    icon: 'database',
    words: 'attributes owners classes register',
    component: lazy(async () => (await import('./pages/resources.ts')).ResourcesPage),
  },
  {
    name: 'approvals',
    title: 'Approvals',
    group: 'Govern',
    icon: 'user-check',
    words: 'requests approve reject',
    component: lazy(async () => (await import('./pages/approvals.ts')).ApprovalList),
    item: lazy(async () => (await import('./pages/approvals-item.ts')).ApprovalPage),
  },
  {
    name: 'receipts',
    title: 'Receipts',
    group: 'Prove',
    icon: 'file-check',
    words: 'proofs verify',
    component: lazy(async () => (await import('./pages/receipts.ts')).ReceiptsPage),
  },
  {
    name: 'audit',
    title: 'Audit',
    group: 'Prove',
    icon: 'shield-check',
    words: 'log trail operators checkpoints',
    component: lazy(async () => (await import('./pages/audit.ts')).AuditPage),
  },
  {
    name: 'keys',
    title: 'Keys',
    group: 'Run',
    icon: 'key-round',
    words: 'api tokens',
    component: lazy(async () => (await import('./pages/keys.ts')).KeysPage),
  },
  {
    name: 'webhooks',
    title: 'Webhooks',
    group: 'Run',
    icon: 'webhook',
    component: lazy(async () => (await import('./pages/webhooks.ts')).WebhooksPage),
    item: lazy(async () => (await import('./pages/webhooks-item.ts')).WebhookPage),
  },
  {
    name: 'policies',
    title: 'Policies',
    group: 'Run',
    icon: 'scroll-text',
    words: 'rules sets shadow',
    component: lazy(async () => (await import('./pages/policies.ts')).PoliciesPage),
  },
  {
    name: 'queues',
    title: 'Queues',
    group: 'Run',
    icon: 'layers',
    words: 'jobs bull board',
    component: lazy(async () => (await import('./pages/queues.ts')).QueuesPage),
  },
  {
    name: 'dead-jobs',
    title: 'Dead jobs',
    group: 'Run',
    icon: 'octagon-alert',
    words: 'failed retry errors',
    component: lazy(async () => (await import('./pages/dead-jobs.ts')).DeadJobList),
    item: lazy(async () => (await import('./pages/dead-jobs-item.ts')).DeadJobPage),
  },
];
