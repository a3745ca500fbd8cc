// The pages, in the order of the menu. A page of an item (`/dashboard/agents/agent-7`) is the same entry with an id.
import type { VNode } from './html.ts';
import { OverviewPage } from './pages/overview.ts';
import { QueuesPage } from './pages/queues.ts';

export interface PageProps {
  /** What follows the page's name in the address, decoded. */
  readonly id: string | undefined;
}

export interface PageEntry {
  /** In the address: '' is the overview. */
  readonly name: string;
  readonly title: string;
  readonly group: 'Watch' | 'Govern' | 'Prove' | 'Run';
  /** Shown only to who holds a live admin key of the operator's organisation. */
  readonly operatorOnly?: boolean;
  readonly component: (props: PageProps) => VNode;
}

export const PAGES: readonly PageEntry[] = [
  { name: '', title: 'Overview', group: 'Watch', component: OverviewPage },
  { name: 'queues', title: 'Queues', group: 'Run', operatorOnly: true, component: QueuesPage },
];
