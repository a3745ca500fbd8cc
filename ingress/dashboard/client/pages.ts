// The pages in the order of the menu. The page of one item (`/dashboard/agents/agent-7`) is the same entry with an id.
import type { VNode } from './html.ts';
import { AgentPage } from './pages/agents-item.ts';
import { AgentList } from './pages/agents.ts';
import { ApprovalPage } from './pages/approvals-item.ts';
import { ApprovalList } from './pages/approvals.ts';
import { AuditPage } from './pages/audit.ts';
import { DecisionPage } from './pages/decisions-item.ts';
import { DecisionList } from './pages/decisions.ts';
import { DeadJobList, DeadJobPage } from './pages/dead-jobs.ts';
import { KeysPage } from './pages/keys.ts';
import { OverviewPage } from './pages/overview.ts';
import { PoliciesPage } from './pages/policies.ts';
import { QueuesPage } from './pages/queues.ts';
import { ReceiptsPage } from './pages/receipts.ts';
import { WebhookPage } from './pages/webhooks-item.ts';
import { WebhooksPage } from './pages/webhooks.ts';
import type { PageProps } from './router.ts';

export interface PageEntry {
  /** As in the address; '' is the overview. */
  readonly name: string;
  readonly title: string;
  readonly group: 'Watch' | 'Govern' | 'Prove' | 'Run';
  /** Only for live admin keys of the operator's organisation. */
  readonly operatorOnly?: boolean;
  /** Gets the rest of the path as `id`, when there is no `item`. */
  readonly component: (props: PageProps) => VNode;
  /** The page of one item of the list. */
  readonly item?: (props: { readonly id: string }) => VNode;
}

export const PAGES: readonly PageEntry[] = [
  { name: '', title: 'Overview', group: 'Watch', component: OverviewPage },
  { name: 'decisions', title: 'Decisions', group: 'Govern', component: DecisionList, item: DecisionPage },
  { name: 'agents', title: 'Agents', group: 'Govern', component: AgentList, item: AgentPage },
  { name: 'approvals', title: 'Approvals', group: 'Govern', component: ApprovalList, item: ApprovalPage },
  { name: 'receipts', title: 'Receipts', group: 'Prove', component: ReceiptsPage },
  { name: 'audit', title: 'Audit', group: 'Prove', component: AuditPage },
  { name: 'keys', title: 'Keys', group: 'Run', component: KeysPage },
  { name: 'webhooks', title: 'Webhooks', group: 'Run', component: WebhooksPage, item: WebhookPage },
  { name: 'policies', title: 'Policies', group: 'Run', operatorOnly: true, component: PoliciesPage },
  { name: 'queues', title: 'Queues', group: 'Run', operatorOnly: true, component: QueuesPage },
  { name: 'dead-jobs', title: 'Dead jobs', group: 'Run', component: DeadJobList, item: DeadJobPage },
];
