// The table of queues, for the overview and the page of queues.
import { compact, duration } from '../format.ts';
import { html, type VNode } from '../html.ts';
import type { QueueState } from '../wire/overview.ts';
import { Badge } from './badge.ts';
import { Empty } from './states.ts';
import { type Column, Table } from './table.ts';

const COLUMNS: readonly Column<QueueState>[] = [
  {
    title: 'Queue',
    cell: ({ queue, isPaused }) => (isPaused ? html`${queue} <${Badge} tone="bad">paused<//>` : queue),
  },
  { title: 'Waiting', align: 'end', cell: ({ waiting }) => compact(waiting) },
  {
    title: 'Oldest',
    align: 'end',
    // Work can wait without a waiting job, such as work that a hanging worker holds.
    cell: ({ oldestWaitingSeconds }) => (oldestWaitingSeconds === 0 ? '–' : duration(oldestWaitingSeconds)),
  },
  { title: 'Active', align: 'end', cell: ({ active }) => compact(active) },
  { title: 'Failed', align: 'end', cell: ({ failed }) => compact(failed) },
];

/** @param queues null: the store does not answer */
export function QueueTable({ queues }: { readonly queues: readonly QueueState[] | null }): VNode {
  if (queues === null)
    return html`<${Empty} title="The queues' store does not answer">Accepted work waits in the outbox; nothing is lost.<//>`;
  return html`<${Table} plain caption="Queues" columns=${COLUMNS} rows=${queues} keyOf=${({ queue }: QueueState) => queue} />`;
}
