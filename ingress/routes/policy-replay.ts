// Replay of stored decisions under a draft, at once or as a job; and the findings of shadow mode.
import type { Static } from 'typebox';
import type { EntitySql } from '../../shared/platform/db/database.ts';
import { type Draft, draftOfDigest, draftOfFiles } from '../../shared/domain/drafts/replay-draft.ts';
import { replayHtml } from '../../shared/domain/drafts/replay-html.ts';
import {
  COUNTED_AT_ONCE,
  MAX_OPEN_REPLAYS,
  queueReplay,
  readReplay,
  type ReplayRow,
} from '../../shared/domain/drafts/replay-jobs.ts';
import { countDecisions, type ReplayRange, replayRange } from '../../shared/domain/drafts/replay-store.ts';
import { type ReplayReport, ReplayReportSchema, ShadowStatusSchema } from '../../shared/domain/drafts/reports.ts';
import { readShadowStatus } from '../../shared/domain/drafts/shadow-store.ts';
import { ApiError, invalidField } from '../../shared/kernel/errors.ts';
import { stored } from '../../shared/kernel/recorded-change.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { readDuration } from '../../shared/domain/keys/durations.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import { IdParams } from '../../shared/api/common.ts';
import { ReplayRequest, ReplaySchema } from '../../shared/api/replay.ts';
import { findingErrors } from '../pushed-set.ts';
import { defineRoute, type Reply, type Route } from '../route.ts';
import { prefers } from './caching.ts';
import { assertOperator } from './policies.ts';

/** Up to this many decisions are replayed while the caller waits, in a tenth of a second. More are a job. */
const AT_ONCE = 1_000;
const DEFAULT_SINCE = '7d';

export interface PolicyReplayDeps {
  readonly db: EntitySql;
  readonly nowMs: () => number;
}

type RequestBody = Static<typeof ReplayRequest>;

/** The report as a download: its page must not run on the origin where keys are used. */
function pageOf(report: ReplayReport): Reply {
  return {
    status: 200,
    text: replayHtml(report),
    contentType: 'text/html; charset=utf-8',
    headers: { vary: 'Accept', 'content-disposition': 'attachment; filename="replay.html"' },
  };
}

/** @throws {ApiError} E2001 */
function rangeOf(body: RequestBody, key: AuthenticatedKey, nowMs: number): ReplayRange {
  const { since, from, to, environment = key.environment, agentId } = body;
  if (since !== undefined && from !== undefined) throw invalidField('/since', 'can not be given with from');
  if (since !== undefined && to !== undefined) throw invalidField('/since', 'can not be given with to');
  // Not beyond now: decisions of a later moment are not complete yet.
  const toMs = Math.min(to === undefined ? nowMs : Date.parse(to), nowMs);
  const fromMs =
    from === undefined
      ? toMs - readDuration(since ?? DEFAULT_SINCE, { min: '1m', max: '3650d' }, '/since')
      : Date.parse(from);
  if (fromMs >= toMs) throw invalidField('/from', 'must be before to, and not in the future');
  return { organisationId: key.organisationId, environment, agentId, fromMs: Math.max(0, fromMs), toMs };
}

/** @throws {ApiError} E2001 with every finding, by its file in the request; E4001 for an unknown digest */
async function draftOf(db: EntitySql, body: RequestBody): Promise<PolicySet<Lexicon>> {
  const { files, digest } = body;
  if ((files === undefined) === (digest === undefined))
    throw invalidField('', 'must name its draft by files or by digest, and not by both');
  const draft: Draft | undefined =
    files === undefined ? await draftOfDigest(db, digest ?? '') : await draftOfFiles(db, files);
  if (draft === undefined) throw new ApiError('E4001', 'There is no policy set with this digest.');
  if (draft.ok) return draft.set;
  const errors = findingErrors(files, draft.findings);
  throw new ApiError('E2001', `The draft can not be evaluated: ${errors[0]?.message ?? 'it has no policies'}.`, {
    errors,
  });
}

function bodyOf(row: ReplayRow): object {
  return {
    replayId: row.replay_id,
    status: row.status,
    draft: { digest: row.draft_digest },
    progress: { replayed: row.replayed, total: row.total },
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    error: row.error,
    report: reportOf(row) ?? null,
  };
}

function reportOf({ report }: ReplayRow): ReplayReport | undefined {
  // Written by the worker.
  return report === null ? undefined : (JSON.parse(report) as ReplayReport);
}

export function policyReplayRoutes({ db, nowMs }: PolicyReplayDeps): Route[] {
  /** One replay at a time: two would block other requests twice as long. */
  let isReplaying = false;

  const atOnce = async (set: PolicySet<Lexicon>, range: ReplayRange): Promise<ReplayReport> => {
    isReplaying = true;
    try {
      return await replayRange({ db, set, range });
    } finally {
      isReplaying = false;
    }
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/policies/replay',
      operationId: 'replayPolicies',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'What a draft would have decided',
      description: `Evaluates stored decisions of the operator's organisation again under a draft: up to ${AT_ONCE} at once, with \`Accept: text/html\` as a page; more as a job at Location.`,
      request: { body: ReplayRequest },
      responses: {
        200: { description: 'The difference.', schema: ReplayReportSchema, alsoAs: ['text/html'] },
        202: { description: 'It is queued; Location says where to look.', schema: ReplaySchema },
      },
      errors: ['E4001', 'E2010', 'E6002'],
      cost: () => 10,
      idempotent: true,
      handler: async ({ key, body, headers, commit }) => {
        assertOperator(key);
        const now = nowMs();
        const range = rangeOf(body, key, now);
        const set = await draftOf(db, body);
        const few = await countDecisions(db, range, AT_ONCE + 1);
        if (few <= AT_ONCE && !isReplaying) {
          const report = await atOnce(set, range);
          return prefers('text/html', headers['accept']) ? pageOf(report) : { status: 200, body: report };
        }
        const total = await countDecisions(db, range, COUNTED_AT_ONCE);
        const replayId = newId('rpl', now);
        return commit(async (sql) => {
          const { organisationId, environment } = key;
          const { canonical, digest } = set;
          const isQueued = await queueReplay(sql, {
            replayId,
            organisationId,
            environment: range.environment ?? environment,
            agentId: range.agentId,
            fromMs: range.fromMs,
            toMs: range.toMs,
            keyId: key.keyId,
            draft: { canonical, digest },
            total,
            createdAtMs: now,
          });
          if (!isQueued)
            throw new ApiError('E3001', `${MAX_OPEN_REPLAYS} replays are open already; wait until one is done.`, {
              headers: { 'retry-after': '30' },
            });
          const row = await readReplay(sql, organisationId, replayId);
          if (row === undefined) throw new Error(`the replay ${replayId} was not stored`);
          const headers = { location: `/v1/policies/replays/${replayId}` };
          return { status: 202, body: bodyOf(row), headers, change: stored('replay', [replayId]) };
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/policies/replays/{id}',
      operationId: 'getReplay',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'A replay that runs as a job',
      description: 'Kept for a week. With `Accept: text/html`, once it is done: its report as a page.',
      request: { params: IdParams },
      responses: {
        200: {
          description: 'How far it is, and its report when it is done.',
          schema: ReplaySchema,
          alsoAs: ['text/html'],
        },
      },
      errors: ['E4001'],
      handler: async ({ key, params, headers }) => {
        assertOperator(key);
        const row = await readReplay(db, key.organisationId, params.id);
        if (row === undefined) throw new ApiError('E4001', 'There is no such replay.');
        const report = prefers('text/html', headers['accept']) ? reportOf(row) : undefined;
        return report === undefined ? { status: 200, body: bodyOf(row), headers: { vary: 'Accept' } } : pageOf(report);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/policies/shadow',
      operationId: 'getShadow',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'What the draft in shadow mode would change',
      description:
        'With CUSTOS_SHADOW_POLICY_DIR the workers evaluate a second folder beside the set in force for a share of live decisions, after they were answered.',
      responses: {
        200: { description: 'The draft, and what it and earlier ones would have changed.', schema: ShadowStatusSchema },
      },
      errors: ['E6002'],
      handler: async ({ key }) => {
        assertOperator(key);
        return { status: 200, body: await readShadowStatus(db) };
      },
    }),
  ];
}
