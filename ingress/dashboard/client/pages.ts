// The pages in the order of the menu. The page of one item (`/dashboard/agents/agent-7`) is the same entry with an id.
import type { VNode } from './html.ts';
import { AgentsPage } from './pages/agents.ts';
import { ApprovalsPage } from './pages/approvals.ts';
import { AuditPage } from './pages/audit.ts';
import { DecisionsPage } from './pages/decisions.ts';
import { DeadJobsPage } from './pages/dead-jobs.ts';
import { KeysPage } from './pages/keys.ts';
import { OverviewPage } from './pages/overview.ts';
import { PoliciesPage } from './pages/policies.ts';
import { QueuesPage } from './pages/queues.ts';
import { ReceiptsPage } from './pages/receipts.ts';
import type { PageProps } from './router.ts';

export interface PageEntry {
  /** As in the address; '' is the overview. */
  readonly name: string;
  readonly title: string;
  readonly group: 'Watch' | 'Govern' | 'Prove' | 'Run';
  /** Only for live admin keys of the operator's organisation. */
  readonly operatorOnly?: boolean;
  readonly component: (props: PageProps) => VNode;
}

export const PAGES: readonly PageEntry[] = [
  { name: '', title: 'Overview', group: 'Watch', component: OverviewPage },
  { name: 'decisions', title: 'Decisions', group: 'Govern', component: DecisionsPage },
  { name: 'agents', title: 'Agents', group: 'Govern', component: AgentsPage },
  { name: 'approvals', title: 'Approvals', group: 'Govern', component: ApprovalsPage },
  { name: 'receipts', title: 'Receipts', group: 'Prove', component: ReceiptsPage },
  { name: 'audit', title: 'Audit', group: 'Prove', component: AuditPage },
  { name: 'keys', title: 'Keys', group: 'Run', component: KeysPage },
  { name: 'policies', title: 'Policies', group: 'Run', operatorOnly: true, component: PoliciesPage },
  { name: 'queues', title: 'Queues', group: 'Run', operatorOnly: true, component: QueuesPage },
  { name: 'dead-jobs', title: 'Dead jobs', group: 'Run', component: DeadJobsPage },
];
