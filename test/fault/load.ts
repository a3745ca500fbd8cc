// A load of intents, proofs and signals: each request is repeated under its own id until it is accepted.
import { setTimeout as delay } from 'node:timers/promises';

/** Accepted requests, by the id that the load gave them. */
export interface Accepted {
  readonly intents: Map<string, string>;
  readonly signals: Map<string, string>;
  readonly proofs: Map<string, string>;
}

export interface LoadOptions {
  /** Prefix of all ids of this load. */
  readonly name: string;
  readonly key: string;
  readonly addresses: () => string[];
  /** Number of each kind. One request has ten signals. */
  readonly count: number;
  readonly connections: number;
  /** Called with the share of the requests that have been accepted, 0..1. */
  readonly onProgress: (share: number) => void;
}

const AGENTS = 7;
const SIGNALS_PER_REQUEST = 10;
/** A request that is not accepted within this time is an error. */
const ACCEPTED_WITHIN_MS = 90_000;
/** While a store is away, requests are refused within two seconds. The rest is a margin for a busy machine. */
const ANSWER_WITHIN_MS = 15_000;

interface Task {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: object;
  readonly done: (answer: Record<string, unknown>) => void;
}

function tasksOf(name: string, count: number, accepted: Accepted): Task[] {
  const agent = (i: number): string => `agent-${i % AGENTS}`;
  const intents = Array.from(
    { length: count },
    (_, i): Task => ({
      path: '/v1/intents',
      headers: { 'idempotency-key': `${name}-${i}` },
      body: { agentId: agent(i), action: i % 3 === 0 ? 'delete' : 'read', resource: `db/customers/${name}-${i}` },
      done: (answer) => accepted.intents.set(`${name}-${i}`, String(answer['intentId'])),
    }),
  );
  const proofs = Array.from(
    { length: count },
    (_, i): Task => ({
      path: '/v1/proofs',
      headers: {},
      body: {
        proofId: `${name}-${i}`,
        event: 'load.sent',
        entityId: i % 2 === 0 ? agent(i) : `thing-${i % 5}`,
        payload: { i },
      },
      done: (answer) => accepted.proofs.set(`${name}-${i}`, String(answer['recordDigest'])),
    }),
  );
  const signals = Array.from({ length: Math.ceil(count / SIGNALS_PER_REQUEST) }, (_, r): Task => {
    const batch = Array.from({ length: SIGNALS_PER_REQUEST }, (__, j) => {
      const i = r * SIGNALS_PER_REQUEST + j;
      return {
        signalId: `${name}-${i}`,
        agentId: agent(i),
        type: i % 9 === 0 ? 'failure' : 'success',
        weight: ((i % 10) + 1) / 10,
      };
    });
    return {
      path: '/v1/trust/signals',
      headers: {},
      body: { signals: batch },
      done: () => batch.forEach((signal) => accepted.signals.set(signal.signalId, signal.agentId)),
    };
  });
  // Mixed, so that each fault occurs while all three kinds are sent.
  const all = [...intents, ...proofs, ...signals];
  return all
    .map((task, i) => ({ task, at: (i * 7_919) % all.length }))
    .sort((a, b) => a.at - b.at)
    .map(({ task }) => task);
}

/**
 * Sends all requests and adds them to `accepted`. Resolves when all have been accepted.
 * @throws when a request gets a response other than 202, 409 or 503, or none in time
 */
export async function sendLoad(accepted: Accepted, options: LoadOptions): Promise<void> {
  const { name, key, addresses, count, connections, onProgress } = options;
  const tasks = tasksOf(name, count, accepted);
  let next = 0;
  let done = 0;
  const send = async (task: Task, turn: number): Promise<void> => {
    const deadline = Date.now() + ACCEPTED_WITHIN_MS;
    for (let attempt = 0; ; attempt += 1) {
      const all = addresses();
      const sentAt = Date.now();
      try {
        const response = await fetch(`${all[(turn + attempt) % all.length]}${task.path}`, {
          method: 'POST',
          headers: { 'x-api-key': key, 'content-type': 'application/json', ...task.headers },
          body: JSON.stringify(task.body),
          signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
        });
        const answer = (await response.json()) as Record<string, unknown>;
        if (response.status === 202) {
          task.done(answer);
          return;
        }
        // 503: a store is away. 409: the first attempt is still running, or its process was killed.
        if (response.status !== 503 && response.status !== 409)
          throw new Refused(`${response.status} ${JSON.stringify(answer)}`);
      } catch (error) {
        if (error instanceof Refused) throw error;
        if (error instanceof Error && error.name === 'TimeoutError') {
          throw new Error(`${task.path}: no answer for ${Date.now() - sentAt} ms`, { cause: error });
        }
      }
      if (Date.now() > deadline) throw new Error(`${task.path} was not accepted in ${ACCEPTED_WITHIN_MS} ms`);
      await delay(50);
    }
  };
  const connection = async (turn: number): Promise<void> => {
    for (;;) {
      const task = tasks[next];
      next += 1;
      if (task === undefined) return;
      await send(task, turn);
      done += 1;
      onProgress(done / tasks.length);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, turn) => connection(turn)));
}

class Refused extends Error {}
