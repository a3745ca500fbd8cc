// Reads the numbers of the overview for a key.
import type { Database } from '../../../shared/platform/db/database.ts';
import { isOperatorsKey } from '../../../shared/domain/keys/operator.ts';
import type { AuthenticatedKey } from '../../../shared/domain/keys/types.ts';
import type { Overview, SystemState } from '../client/wire/overview.ts';
import { readDueApprovals } from './due-approvals.ts';
import { memoize } from './memo.ts';
import { createSystemReader, type SystemDeps } from './system.ts';
import type { Tenant } from '../logs.ts';
import { readHalt } from '../../../shared/domain/decisions/halts.ts';
import { countDeadJobs } from '../../../shared/platform/queues/dead-jobs.ts';
import { countWebhooks, readAgents, readLog } from './tenant.ts';

/** Numbers are cached this long, for all pages that show them. */
const TTL_MS = 900;
/** Counting 100,000 agents takes 100 ms, and their levels change slowly. */
const AGENTS_TTL_MS = 2_000;
const NO_WEBHOOKS: Overview['webhooks'] = { disabled: 0, failing: 0 };

export interface OverviewDeps extends SystemDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  readonly version: string;
}

/** @throws {ApiError} E6002 */
export type ReadOverview = (key: AuthenticatedKey) => Promise<Overview>;

export function createOverview(deps: OverviewDeps): ReadOverview {
  const { db, nowMs, monotonicMs, version } = deps;
  const readSystem = createSystemReader(deps);
  const keyOf = ({ organisationId, environment }: Tenant): string => `${organisationId}/${environment}`;
  // A bound key sees only its agents and their approvals, and neither dead jobs nor webhooks.
  const sightOf = (key: AuthenticatedKey): string => `${keyOf(key)} ${key.agentIds === null ? '' : key.keyId}`;
  const agents = memoize<AuthenticatedKey, Overview['agents']>({
    keyOf: sightOf,
    ttlMs: AGENTS_TTL_MS,
    costly: true,
    monotonicMs,
    load: (key) => readAgents(db, key),
  });
  const system = memoize<null, SystemState>({
    keyOf: () => '',
    ttlMs: TTL_MS,
    monotonicMs,
    load: readSystem,
  });
  const own = memoize<AuthenticatedKey, Omit<Overview, 'system' | 'approvals' | 'deadJobs'>>({
    keyOf: sightOf,
    ttlMs: TTL_MS,
    monotonicMs,
    load: async (key) => {
      const [halt, log, counted, webhooks] = await Promise.all([
        readHalt(db, key),
        readLog(db, key),
        agents(key),
        key.agentIds === null ? countWebhooks(db, key, nowMs()) : NO_WEBHOOKS,
      ]);
      const { environment } = key;
      return {
        at: new Date(nowMs()).toISOString(),
        version,
        environment,
        halt: halt === undefined ? null : { reason: halt.reason, since: halt.createdAt.toISOString() },
        log,
        agents: counted,
        webhooks,
      };
    },
  });
  // As the page of dead jobs: the operator's are those of the whole installation.
  const deadJobs = memoize<Tenant | undefined, number>({
    keyOf: (tenant) => (tenant === undefined ? '' : keyOf(tenant)),
    ttlMs: TTL_MS,
    monotonicMs,
    load: async (tenant) => [...(await countDeadJobs(db, tenant)).values()].reduce((sum, jobs) => sum + jobs, 0),
  });
  const approvals = memoize<AuthenticatedKey, Overview['approvals']>({
    keyOf: sightOf,
    ttlMs: TTL_MS,
    monotonicMs,
    load: (key) => readDueApprovals(db, key, nowMs()),
  });
  return async (key) => {
    const isOperator = isOperatorsKey(key);
    const [numbers, due, dead, installation] = await Promise.all([
      own(key),
      approvals(key),
      key.agentIds === null ? deadJobs(isOperator ? undefined : key) : 0,
      isOperator ? system(null) : null,
    ]);
    return { ...numbers, approvals: due, deadJobs: dead, system: installation };
  };
}
