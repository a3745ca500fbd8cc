// Upkeep: what must be done now and then, once for the whole installation, as scheduled jobs.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Statement } from '../shared/platform/db/database.ts';
import { expireApprovals } from '../shared/domain/approvals/store.ts';
import { forgetReplays } from '../shared/domain/drafts/replay-jobs.ts';
import type { JobName } from '../shared/kernel/jobs.ts';
import type { Auditor } from '../shared/domain/ledger/audit.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import type { Handlers, Queues } from '../shared/platform/queues/queues.ts';
import { auditHandler } from './audit.ts';
import type { ReplayRunner } from './replay.ts';
import { sweep } from './sweep.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** Rows a statement, so that no lock is held and no log written for long. */
const BATCH = 5_000;

/** How often each upkeep job is made. */
export const UPKEEP_EVERY_MS: { readonly [N in JobName<'upkeep'>]: number } = {
  sweep: 2 * SECOND_MS,
  'expire-approvals': 5 * SECOND_MS,
  'forget-changes': 10 * MINUTE_MS,
  'forget-idempotency': 60 * MINUTE_MS,
  audit: 10 * SECOND_MS,
  // Each replay wakes a worker when it is asked for; this finds what a worker that was killed left behind.
  replay: 10 * SECOND_MS,
  'forget-replays': 60 * MINUTE_MS,
};
/** A store that was emptied has lost the schedulers too; nobody tells. */
const ENSURE_EVERY_MS = 5 * SECOND_MS;

// A process that has not asked for half an hour forgets all it knows (shared/platform/db/changes.ts), so an hour is enough.
const FORGET_CHANGES: Statement = {
  name: 'changes-forget',
  text: `DELETE FROM change WHERE seq IN (SELECT seq FROM change WHERE changed_at < now() - interval '1 hour' ORDER BY seq LIMIT ${BATCH}) RETURNING seq`,
};
const FORGET_PARSES: Statement = {
  name: 'recent-parses-forget',
  text: `DELETE FROM recent_parse WHERE ctid = ANY (ARRAY(SELECT ctid FROM recent_parse WHERE bucket < now() - $1::float8 * interval '1 ms' LIMIT ${BATCH})) RETURNING bucket`,
};
/**
 * Longest that parses are looked at beside the life of an approval: they count for 15 minutes before it is opened, a row
 * begins up to five minutes before its last parse, and work that is submitted may wait for a while before it is evaluated.
 */
const PARSES_BEFORE_APPROVAL_MS = 60 * MINUTE_MS;
const FORGET_IDEMPOTENCY: Statement = {
  name: 'idempotency-forget',
  text: `DELETE FROM idempotency WHERE (organisation_id, environment, route, key_hash) IN (
      SELECT organisation_id, environment, route, key_hash FROM idempotency WHERE created_at < now() - interval '24 hours' ORDER BY created_at LIMIT ${BATCH}
    ) RETURNING created_at`,
};

/** Deletes batch by batch until one is not full. */
async function forget(db: Database, statement: Statement, values: readonly unknown[] = []): Promise<void> {
  while ((await db.query(statement, values)).length === BATCH);
}

export interface UpkeepDeps {
  readonly db: Database;
  readonly queues: Pick<Queues, 'oldestWaitingAtMs'>;
  readonly logger: Logger;
  readonly auditor: Pick<Auditor, 'run'>;
  readonly nowMs: () => number;
  readonly replays: Pick<ReplayRunner, 'run'>;
  /** CUSTOS_APPROVAL_TTL. */
  readonly approvalTtlMs: number;
}

export function upkeepHandlers(deps: UpkeepDeps): Handlers<'upkeep'> {
  const { db, queues, logger, auditor, replays, nowMs, approvalTtlMs } = deps;
  return {
    sweep: async () => {
      const swept = await sweep({ db, queues });
      if (swept.logs + swept.trust + swept.intents + swept.resolved > 0)
        logger.debug(swept, 'swept what stayed behind');
    },
    'expire-approvals': async () => {
      const expired = await expireApprovals(db, nowMs());
      if (expired > 0) logger.info({ expired }, 'approvals expired');
    },
    'forget-changes': async () => {
      await forget(db, FORGET_CHANGES);
      await forget(db, FORGET_PARSES, [approvalTtlMs + PARSES_BEFORE_APPROVAL_MS]);
    },
    'forget-idempotency': () => forget(db, FORGET_IDEMPOTENCY),
    audit: auditHandler({ auditor, logger }),
    replay: () => replays.run(),
    'forget-replays': () => forgetReplays(db),
  };
}

export interface Schedule {
  close(): Promise<void>;
}

/**
 * Sees to it that upkeep jobs are made, from when the queue's store answers, and again after it was emptied. Every worker
 * does so; the schedulers are the store's and exist once.
 */
export function keepSchedule(queues: Pick<Queues, 'every'>, logger: Logger, ensureEveryMs = ENSURE_EVERY_MS): Schedule {
  const stop = new AbortController();
  const { signal } = stop;
  const names = Object.keys(UPKEEP_EVERY_MS) as JobName<'upkeep'>[];

  const run = async (): Promise<void> => {
    let away = false;
    while (!signal.aborted) {
      try {
        for (const name of names) await queues.every('upkeep', name, UPKEEP_EVERY_MS[name], { v: 1 });
        if (away) logger.info('upkeep jobs are scheduled again');
        away = false;
      } catch (error) {
        if (!away) logger.warn({ err: error }, 'upkeep jobs could not be scheduled; it is tried again');
        away = true;
      }
      await delay(ensureEveryMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}
