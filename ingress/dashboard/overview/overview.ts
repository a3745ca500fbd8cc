// Reads the numbers of the overview for a key.
import type { Database } from '../../../shared/platform/db/database.ts';
import type { AuthenticatedKey } from '../../../shared/domain/keys/types.ts';
import type { Overview, SystemState } from '../client/wire.ts';
import { createDecisionRates } from './decisions.ts';
import { memoize } from './memo.ts';
import { readSystem, type SystemDeps } from './system.ts';
import type { Tenant } from '../logs.ts';
import { readHalt } from '../../../shared/domain/decisions/halts.ts';
import { countDisabledWebhooks, readAgents, readLog } from './tenant.ts';

/** Numbers are cached this long, for all pages that show them. */
const TTL_MS = 900;
/** Counting 100,000 agents takes 100 ms, and their levels change slowly. */
const AGENTS_TTL_MS = 2_000;

export interface OverviewDeps extends SystemDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly version: string;
}

/** @throws {ApiError} E6002 */
export type ReadOverview = (key: AuthenticatedKey) => Promise<Overview>;

export function createOverview(deps: OverviewDeps): ReadOverview {
  const { db, nowMs, monotonicMs, version } = deps;
  const readRates = createDecisionRates({ db, nowMs, monotonicMs });
  const keyOf = ({ organisationId, environment }: Tenant): string => `${organisationId}/${environment}`;
  const agents = memoize<Tenant, Overview['agents']>({
    keyOf,
    ttlMs: AGENTS_TTL_MS,
    costly: true,
    monotonicMs,
    load: (tenant) => readAgents(db, tenant),
  });
  const system = memoize<null, SystemState>({
    keyOf: () => '',
    ttlMs: TTL_MS,
    monotonicMs,
    load: () => readSystem(deps),
  });
  const own = memoize<Tenant, Omit<Overview, 'system'>>({
    keyOf,
    ttlMs: TTL_MS,
    monotonicMs,
    load: async (tenant) => {
      const [halt, decisions, log, counted, disabledWebhooks] = await Promise.all([
        readHalt(db, tenant),
        readRates(tenant),
        readLog(db, tenant),
        agents(tenant),
        countDisabledWebhooks(db, tenant),
      ]);
      const { environment } = tenant;
      return {
        at: new Date(nowMs()).toISOString(),
        version,
        environment,
        halt: halt === undefined ? null : { reason: halt.reason, since: halt.createdAt.toISOString() },
        decisions,
        log,
        agents: counted,
        disabledWebhooks,
      };
    },
  });
  return async (key) => {
    const isOperator = key.isOperator && key.environment === 'live';
    const [numbers, installation] = await Promise.all([own(key), isOperator ? system(null) : null]);
    return { ...numbers, system: installation };
  };
}
