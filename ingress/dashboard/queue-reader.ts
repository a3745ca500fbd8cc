// The queues as the dashboard reads them. BullMQ is loaded at the first use: that takes 200 ms, which a start should not wait for.
import type { QueueOptions, Queues } from '../../shared/platform/queues/queues.ts';

export type QueueReader = Pick<Queues, 'counts' | 'connections' | 'opened' | 'close'>;

export function createQueueReader(options: QueueOptions): QueueReader {
  let loading: Promise<Queues> | undefined;
  let loaded: Queues | undefined;
  const load = (): Promise<Queues> => {
    loading ??= import('../../shared/platform/queues/queues.ts').then(
      ({ createQueues }) => (loaded = createQueues(options)),
    );
    return loading;
  };
  return {
    connections: () => loaded?.connections(),
    counts: async (queue) => (await load()).counts(queue),
    opened: async () => (await load()).opened(),
    close: async (timeoutMs) => (await loading)?.close(timeoutMs),
  };
}
