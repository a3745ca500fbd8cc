// Routes of dead jobs: the operator handles all of them, an admin of an organisation those of the organisation.
import type { Owner } from '../../../shared/kernel/owner.ts';
import { Type } from 'typebox';
import type { EntitySql } from '../../../shared/platform/db/database.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { changedFields, type RecordedChange } from '../../../shared/kernel/recorded-change.ts';
import { isOperatorsKey } from '../../../shared/domain/keys/operator.ts';
import type { AuthenticatedKey } from '../../../shared/domain/keys/types.ts';
import {
  countDeadJobKinds,
  type DeadJobRecord,
  discardDeadJob,
  listDeadJobs,
  readDeadJob,
  retryDeadJob,
} from '../../../shared/platform/queues/dead-jobs.ts';
import { MAX_REASON } from '../../../shared/api/approval.ts';
import { closed, IdParams, NO_NUL, NOT_BLANK, PAGE, StringEnum } from '../../../shared/api/common.ts';
import { QUEUE_NAMES } from '../../../shared/kernel/jobs.ts';
import type { Route } from '../../route.ts';
import { readPage } from '../../routes/paging.ts';
import type { DeadJob, DeadJobKinds, JobSubject } from '../client/wire/jobs.ts';
import { readOrganisations, readSubjects } from '../job-subjects.ts';
import { pageRoute } from './page-route.ts';

const MAX_FILTER = 200;
const MAX_KINDS = 20;

const Query = closed({
  state: Type.Optional(StringEnum(['dead', 'retried', 'discarded'])),
  queue: Type.Optional(StringEnum(QUEUE_NAMES)),
  name: Type.Optional(Type.String({ maxLength: MAX_FILTER, pattern: NO_NUL })),
  error: Type.Optional(Type.String({ maxLength: MAX_FILTER, pattern: NO_NUL })),
  ...PAGE,
});
const Reason = Type.String({ minLength: 1, maxLength: MAX_REASON, pattern: NOT_BLANK });
const Discard = closed({ reason: Reason });
const Retry = closed({ reason: Type.Optional(Reason) });

/** The database's numbers of dead jobs: at most 18 digits, which fit in a bigint. */
const ID = /^[1-9]\d{0,17}$/;

/** Whose jobs a key may see; undefined: all jobs of the installation. @throws {ApiError} E1004 */
function scopeOf(key: AuthenticatedKey): Owner | undefined {
  // A job does not tell which agents it concerns.
  if (key.agentIds !== null)
    throw new ApiError('E1004', 'Dead jobs need an admin key that is not bound to single agents.');
  if (isOperatorsKey(key)) return undefined;
  return { organisationId: key.organisationId, environment: key.environment };
}

function shownAs(job: DeadJobRecord, subject: JobSubject = {}, organisation?: string): DeadJob {
  const { failedAt, resolvedAt, ...rest } = job;
  const times = { failedAt: failedAt.toISOString(), resolvedAt: resolvedAt?.toISOString() ?? null };
  return { ...rest, ...times, subject, organisation: organisation ?? job.organisationId };
}

/** Only a dead job can be resolved. */
function resolution({ deadJobId, state, reason }: DeadJob): RecordedChange {
  const fields = changedFields({ state: 'dead' }, { state });
  return { subject: 'dead job', id: deadJobId, fields, ...(reason === null ? {} : { reason }) };
}

const noSuchJob = (): ApiError => new ApiError('E4001', 'There is no such dead job.');

function assertJobId(id: string): string {
  if (!ID.test(id)) throw noSuchJob();
  return id;
}

export function deadJobRoutes(db: EntitySql): Route[] {
  const shownAll = async (sql: EntitySql, jobs: readonly DeadJobRecord[]): Promise<DeadJob[]> => {
    const subjects = await readSubjects(sql, jobs);
    const organisations = await readOrganisations(sql, jobs);
    return jobs.map((job) => shownAs(job, subjects.get(job.deadJobId), organisations.get(job.organisationId ?? '')));
  };
  const shown = async (sql: EntitySql, job: DeadJobRecord): Promise<DeadJob> => {
    const [one] = await shownAll(sql, [job]);
    return one ?? shownAs(job);
  };

  /** The job that was retried or discarded. @throws {ApiError} E5002 when somebody else did so first; E4001 */
  const resolved = async (
    sql: EntitySql,
    key: AuthenticatedKey,
    id: string,
    job: DeadJobRecord | undefined,
  ): Promise<DeadJob> => {
    if (job !== undefined) return shown(sql, job);
    const current = await readDeadJob(sql, id, scopeOf(key));
    if (current === undefined) throw noSuchJob();
    throw new ApiError('E5002', `The job is not dead any more: it was ${current.state} by ${current.resolvedBy}.`);
  };

  return [
    pageRoute({
      path: '/dead-jobs',
      summary: 'Dead jobs, newest first',
      request: { query: Query },
      errors: ['E1004'],
      answer: async ({ key, query: { state = 'dead', queue, name, error, ...query } }) => {
        const owner = scopeOf(key);
        const page = await readPage(query, {
          cursor: ID,
          read: (before, limit) => listDeadJobs(db, { state, owner, queue, name, error, before, limit }),
          sortKey: (job) => job.deadJobId,
        });
        return { ...page, items: await shownAll(db, page.items) };
      },
    }),
    pageRoute({
      path: '/dead-jobs/kinds',
      summary: 'Dead jobs that wait, counted by job and error',
      errors: ['E1004'],
      answer: async ({ key }): Promise<DeadJobKinds> => ({
        kinds: await countDeadJobKinds(db, scopeOf(key), MAX_KINDS),
      }),
    }),
    pageRoute({
      path: '/dead-jobs/{id}',
      summary: 'One dead job',
      request: { params: IdParams },
      errors: ['E1004', 'E4001'],
      answer: async ({ key, params }) => {
        const job = await readDeadJob(db, assertJobId(params.id), scopeOf(key));
        if (job === undefined) throw noSuchJob();
        return shown(db, job);
      },
    }),
    pageRoute({
      method: 'POST',
      path: '/dead-jobs/{id}/retry',
      summary: 'Put a job back into its queue',
      request: { params: IdParams, body: Retry },
      errors: ['E1004', 'E4001', 'E5002'],
      write: async ({ key, params, body }, sql) => {
        const how = { owner: scopeOf(key), reason: body.reason };
        return resolved(sql, key, params.id, await retryDeadJob(sql, assertJobId(params.id), key.keyId, how));
      },
      changeOf: resolution,
    }),
    pageRoute({
      method: 'POST',
      path: '/dead-jobs/{id}/discard',
      summary: 'Mark a job as not to be done',
      request: { params: IdParams, body: Discard },
      errors: ['E1004', 'E4001', 'E5002'],
      write: async ({ key, params, body }, sql) => {
        const job = await discardDeadJob(sql, assertJobId(params.id), key.keyId, body.reason, scopeOf(key));
        return resolved(sql, key, params.id, job);
      },
      changeOf: resolution,
    }),
  ];
}
