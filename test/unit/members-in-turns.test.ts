// Requests with many questions: reading one of them may take long, so between two of them the process does its other work.
import { expect } from 'chai';
import { authzenRoutes } from '../../ingress/routes/authzen.ts';
import { enforceBatchRoute } from '../../ingress/routes/enforce-batch.ts';
import type { Route } from '../../ingress/route.ts';
import { ApiError } from '../../shared/kernel/errors.ts';

const MEMBERS = 8;
/** Longer than a slice (shared/platform/process/slices.ts). */
const BUSY_MS = 8;

/** Counts the turns of the event loop; `read` takes long, refuses, and notes in which turn it was called. */
function createCounter() {
  let turn = 0;
  let isOver = false;
  const next = (): void => {
    turn += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  const reads: number[] = [];
  return {
    reads,
    read: (): never => {
      reads.push(turn);
      const until = performance.now() + BUSY_MS;
      while (performance.now() < until);
      throw new ApiError('E2001', 'It is not read.');
    },
    end: (): void => {
      isOver = true;
    },
  };
}

/** Whether no two members were read in the same turn. */
function expectOneEach(reads: readonly number[]): void {
  expect(reads).to.have.lengthOf(MEMBERS);
  expect(new Set(reads).size).to.equal(MEMBERS);
}

const active = {
  set: {
    lexicon: { forOrganisation: () => ({ verbs: new Map(), actions: new Map(), commands: new Map() }) },
    authzenActions: {},
  },
};
const policies = { current: () => active };
const key = { organisationId: 'o', organisationSlug: 'o', agentIds: null };

async function handle(route: Route | undefined, more: object): Promise<void> {
  // The handlers use only these members before they read.
  const request = { key, requestId: 'r', idempotencyKey: undefined, earlier: undefined, ...more };
  if (route === undefined) throw new Error('there is no such route');
  await (route.handler as unknown as (request: object) => Promise<unknown>)(request);
}

describe('questions of one request', () => {
  const requests = Array.from({ length: MEMBERS }, (_, i) => ({ agent_id: 'a', intent: `data.read.x${i}` }));

  for (const isOnce of [false, true])
    it(`are read in turns of their own, in a batch ${isOnce ? 'with' : 'without'} an Idempotency-Key`, async () => {
      const counter = createCounter();
      const evaluation = {
        evaluate: async () => counter.read(),
        inTransaction: (_: unknown, work: (write: () => Promise<[]>) => unknown) => work(async () => []),
      };
      const deps = { policies, presence: {}, onError: () => undefined };
      const route = enforceBatchRoute(...([deps, evaluation] as unknown as Parameters<typeof enforceBatchRoute>));
      const commit = (work: (sql: unknown) => unknown): unknown => work(undefined);
      await handle(route, { body: { requests }, commit, ...(isOnce ? { idempotencyKey: 'k' } : {}) });
      counter.end();
      expectOneEach(counter.reads);
    });

  it('are read in turns of their own, in evaluations of AuthZEN', async () => {
    const counter = createCounter();
    const deps = { policies, readings: { ofAction: counter.read }, onError: () => undefined, nowMs: () => 0 };
    const route = authzenRoutes(deps as unknown as Parameters<typeof authzenRoutes>[0]).find(
      ({ path }) => path === '/access/v1/evaluations',
    );
    const evaluations = Array.from({ length: MEMBERS }, (_, i) => ({
      subject: { type: 'agent', id: 'a' },
      action: { name: 'read' },
      resource: { type: 'x', id: String(i) },
    }));
    await handle(route, { body: { evaluations } });
    counter.end();
    expectOneEach(counter.reads);
  });
});
