// Jobs that gave up: an operator decides about all of them, an admin of a tenant about those of the tenant.
import { Type } from 'typebox';
import type { Database } from '../../../shared/platform/db/database.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import type { AuthenticatedKey } from '../../../shared/domain/keys/types.ts';
import {
  type DeadJobOwner,
  type DeadJobRecord,
  discardDeadJob,
  listDeadJobs,
  readDeadJob,
  retryDeadJob,
} from '../../../shared/platform/queues/dead-jobs.ts';
import { MAX_REASON } from '../../../shared/api/approval.ts';
import { Cursor, DEFAULT_LIMIT, Limit, NOT_BLANK, StringEnum } from '../../../shared/api/common.ts';
import { defineRoute, type Route } from '../../route.ts';
import { decodeCursor, pageOf } from '../../routes/paging.ts';
import type { DeadJob } from '../client/wire.ts';

const closed = { additionalProperties: false };
const Query = Type.Object(
  {
    state: Type.Optional(StringEnum(['dead', 'retried', 'discarded'])),
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
  },
  closed,
);
const Params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) }, closed);
const Discard = Type.Object(
  { reason: Type.String({ minLength: 1, maxLength: MAX_REASON, pattern: NOT_BLANK }) },
  closed,
);

/** What the database numbers them with, and nothing that it would refuse to compare. */
const ID = /^[1-9]\d{0,17}$/;

/** Whose jobs a key may see; undefined: everybody's. @throws {ApiError} E1004 */
function scopeOf(key: AuthenticatedKey): DeadJobOwner | undefined {
  // A job does not say which agents it is about.
  if (key.agentIds !== null)
    throw new ApiError('E1004', 'Dead jobs need an admin key that is not bound to single agents.');
  if (key.isOperator && key.environment === 'live') return undefined;
  return { organisationId: key.organisationId, environment: key.environment };
}

function shown(job: DeadJobRecord): DeadJob {
  const { failedAt, resolvedAt, ...rest } = job;
  return { ...rest, failedAt: failedAt.toISOString(), resolvedAt: resolvedAt?.toISOString() ?? null };
}

const noSuchJob = (): ApiError => new ApiError('E4001', 'There is no such dead job.');

export function deadJobRoutes({ db }: { readonly db: Database }): Route[] {
  const common = { access: ['admin:*'], tag: 'Dashboard' } as const;

  /** What one of several who decide at the same time is told when another was first. */
  const decided = async (key: AuthenticatedKey, id: string, job: DeadJobRecord | undefined): Promise<DeadJob> => {
    if (job !== undefined) return shown(job);
    const there = await readDeadJob(db, id, scopeOf(key));
    if (there === undefined) throw noSuchJob();
    throw new ApiError('E5002', `The job is not dead any more: it was ${there.state} by ${there.resolvedBy}.`);
  };
  const known = (id: string): string => {
    if (!ID.test(id)) throw noSuchJob();
    return id;
  };

  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dashboard/api/dead-jobs',
      summary: 'Jobs that gave up, newest first',
      request: { query: Query },
      responses: { 200: { description: 'One page of them.' } },
      errors: ['E1004'],
      handler: async ({ key, query }) => {
        const limit = query.limit ?? DEFAULT_LIMIT;
        const before = decodeCursor(query.cursor, ID);
        const owner = scopeOf(key);
        const jobs = await listDeadJobs(db, { state: query.state ?? 'dead', owner, before, limit: limit + 1 });
        return { status: 200, body: pageOf(jobs, limit, shown, (job) => job.deadJobId) };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dashboard/api/dead-jobs/{id}',
      summary: 'One job that gave up',
      request: { params: Params },
      responses: { 200: { description: 'The job.' } },
      errors: ['E1004', 'E4001'],
      handler: async ({ key, params }) => {
        const job = await readDeadJob(db, known(params.id), scopeOf(key));
        if (job === undefined) throw noSuchJob();
        return { status: 200, body: shown(job) };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dashboard/api/dead-jobs/{id}/retry',
      summary: 'Put a job back into its queue',
      request: { params: Params },
      responses: { 200: { description: 'The job, retried.' } },
      errors: ['E1004', 'E4001', 'E5002'],
      handler: async ({ key, params }) => {
        const job = await retryDeadJob(db, known(params.id), key.keyId, scopeOf(key));
        return { status: 200, body: await decided(key, params.id, job) };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dashboard/api/dead-jobs/{id}/discard',
      summary: 'Say that a job need not be done',
      request: { params: Params, body: Discard },
      responses: { 200: { description: 'The job, discarded.' } },
      errors: ['E1004', 'E4001', 'E5002'],
      handler: async ({ key, params, body }) => {
        const job = await discardDeadJob(db, known(params.id), key.keyId, body.reason, scopeOf(key));
        return { status: 200, body: await decided(key, params.id, job) };
      },
    }),
  ];
}
