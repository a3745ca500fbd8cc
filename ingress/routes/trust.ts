// Trust: report signals, read scores and their history.
import type { EntitySql } from '../../shared/platform/db/database.ts';
import type { SignalRow, SignalStore } from '../../shared/domain/trust/signals.ts';
import { listTrustChanges, loadTrust, loadTrustAt, type TrustChange } from '../../shared/domain/trust/state.ts';
import { ApiError, type FieldError } from '../../shared/kernel/errors.ts';
import { stored } from '../../shared/kernel/recorded-change.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { assertMayName } from '../../shared/domain/keys/bound.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { AgentIdParams } from '../../shared/api/agent.ts';
import {
  Trust,
  type TrustBody,
  type TrustChangeBody,
  TrustHistory,
  TrustHistoryQuery,
  TrustQuery,
  type TrustSignalBody,
  TrustSignalsAccepted,
  TrustSignalsBody,
  TrustSignalsRequest,
} from '../../shared/api/trust.ts';
import { dayOf, dayText } from '../../shared/core/trust/beta.ts';
import { NOTHING_RECORDED } from '../../shared/core/trust/recorded.ts';
import { levelOf, tierName } from '../../shared/core/trust/score.ts';
import { MAX_FIELD_ERRORS } from '../request/field-errors.ts';
import { defineRoute, type Reply, type Route } from '../route.ts';
import { instant, readPage } from './paging.ts';

const MAX_AHEAD_MS = 5 * 60_000;
const MAX_BACK_MS = 30 * 86_400_000;
const EVIDENCE_MAX_BYTES = 16_384;

const REGISTERED = 'SELECT created_at FROM agent WHERE organisation_id = $1 AND environment = $2 AND agent_id = $3';

export interface TrustDeps {
  readonly db: EntitySql;
  readonly signals: SignalStore;
  readonly nowMs: () => number;
  /** Positive evidence that counts per key and day, in thousandths (CUSTOS_TRUST_DAILY_CAP). */
  readonly trustDailyCap: number;
}

/** A weight in whole thousandths; undefined when it is not a multiple, such as 0.0005 or 0.30000000000000004. */
function thousandthsOf(weight: number): number | undefined {
  const thousandths = Math.round(weight * 1_000);
  return thousandths >= 1 && thousandths <= 1_000 && thousandths / 1_000 === weight ? thousandths : undefined;
}

/** The signals of a request as rows. @throws {ApiError} E2001 with an error for each member that cannot be accepted */
function rowsOf(
  key: AuthenticatedKey,
  members: readonly TrustSignalBody[],
  at: (i: number) => string,
  now: number,
): SignalRow[] {
  const errors: FieldError[] = [];
  const receivedAt = new Date(now).toISOString();
  const rows = members.map((member, i): SignalRow => {
    const refuse = (name: string, message: string): void => void errors.push({ pointer: `${at(i)}/${name}`, message });
    const weight = thousandthsOf(member.weight ?? 1);
    if (weight === undefined) refuse('weight', 'must be a whole number of thousandths, 0.001 to 1');
    const occurredMs = member.occurredAt === undefined ? now : Date.parse(member.occurredAt);
    if (occurredMs > now + MAX_AHEAD_MS) refuse('occurredAt', 'must not be more than 5 minutes ahead');
    if (occurredMs < now - MAX_BACK_MS) refuse('occurredAt', 'must not be more than 30 days back');
    const evidence = member.evidence === undefined ? undefined : canonicalize(member.evidence);
    if (evidence !== undefined && Buffer.byteLength(evidence) > EVIDENCE_MAX_BYTES)
      refuse('evidence', `must be at most ${EVIDENCE_MAX_BYTES} bytes of JSON`);
    return {
      organisationId: key.organisationId,
      environment: key.environment,
      signalId: member.signalId ?? newId('sig', now),
      agentId: member.agentId,
      keyId: key.keyId,
      type: member.type,
      weight: weight ?? 0,
      occurredAt: occurredMs === now ? receivedAt : new Date(occurredMs).toISOString(),
      receivedAt,
      source: member.source,
      evidence,
    };
  });
  const [first] = errors;
  if (first !== undefined)
    throw new ApiError('E2001', `The request is invalid: ${first.pointer} ${first.message}; nothing was accepted.`, {
      errors: errors.slice(0, MAX_FIELD_ERRORS),
    });
  return rows;
}

/** A bound key belongs to agents, and an agent must not report its own success. */
function assertUnbound(key: AuthenticatedKey, pointer: string): void {
  if (key.agentIds === null) return;
  throw new ApiError('E1004', 'A key that is bound to agents may not send signals.', {
    errors: [{ pointer, message: 'a bound key may not send signals, about its own agents or any other' }],
  });
}

function changeOf(change: TrustChange): TrustChangeBody {
  const { score, success, failure, violation } = change;
  const level = levelOf(score);
  return {
    at: change.folded_at.toISOString(),
    score,
    level,
    tier: tierName(level),
    cause: {
      firstSignal: change.first_n,
      lastSignal: change.last_n,
      success,
      failure,
      violation,
      proofId: change.proof_id,
    },
  };
}

export function trustRoutes(deps: TrustDeps): Route[] {
  const { db, signals, nowMs, trustDailyCap } = deps;

  const trustOf = async (key: AuthenticatedKey, agentId: string, at: string | undefined): Promise<TrustBody> => {
    const { organisationId, environment } = key;
    const subject = { organisationId, environment, agentId };
    const now = nowMs();
    const atMs = at === undefined ? now : Date.parse(at);
    const [trust, [agent]] = await Promise.all([
      at === undefined
        ? loadTrust(db, [subject], now, trustDailyCap).then(([only = NOTHING_RECORDED]) => only)
        : loadTrustAt(db, subject, atMs, trustDailyCap),
      db.query<{ created_at: Date }>(REGISTERED, [organisationId, environment, agentId]),
    ]);
    const day = dayOf(atMs);
    const { score, uncertainty } = trust.on(day);
    const level = levelOf(score);
    return {
      agentId,
      registered: agent !== undefined && (at === undefined || agent.created_at.getTime() <= atMs),
      score,
      level,
      tier: tierName(level),
      uncertainty,
      evidence: {
        ...trust.evidenceOn(day),
        lastSignalAt: trust.lastSignalAtMs === null ? null : new Date(trust.lastSignalAtMs).toISOString(),
      },
      asOf: { signals: trust.signals, day: dayText(day) },
    };
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/trust/signals',
      operationId: 'sendTrustSignals',
      access: ['trust:write'],
      tag: 'Trust',
      summary: 'Report how agents behaved',
      description:
        'One signal, or up to a thousand in `signals`: all are accepted or none. Accepted means durable; a worker folds them into scores within moments. A signalId counts once, for ever. A key that is bound to agents may not send signals.',
      request: { body: TrustSignalsBody, described: TrustSignalsRequest },
      responses: { 202: { description: 'Accepted.', schema: TrustSignalsAccepted } },
      errors: ['E2010', 'E6002'],
      cost: (body) => ('signals' in body ? Math.ceil(body.signals.length / 10) : 1),
      idempotent: true,
      handler: async ({ key, body, idempotencyKey, lookAgain, commit }) => {
        const many = 'signals' in body;
        const at = (i: number): string => (many ? `/signals/${i}` : '');
        assertUnbound(key, `${at(0)}/agentId`);
        const rows = rowsOf(key, many ? body.signals : [body], at, nowMs());
        const signalIds = rows.map((row) => row.signalId);
        const reply: Reply = { status: 202, body: { signalIds }, change: stored('trust signal', signalIds) };
        if (idempotencyKey === undefined) {
          await lookAgain();
          await signals.accept(rows, at);
          return reply;
        }
        return signals.acceptWith(rows, at, (insert) => commit((sql) => insert(sql).then(() => reply)));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/trust/{agentId}',
      operationId: 'getTrust',
      access: ['trust:read'],
      tag: 'Trust',
      summary: 'The trust in an agent, now or at any time',
      description:
        "What the agent's signals say; without any, the trust of no evidence. With `at`: as it was then; a moment to come says what idleness would make of it.",
      request: { params: AgentIdParams, query: TrustQuery },
      responses: { 200: { description: 'Score, level and evidence.', schema: Trust } },
      handler: async ({ key, params, query }) => {
        assertMayName(key, params.agentId, '{agentId}');
        return { status: 200, body: await trustOf(key, params.agentId, query.at) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/trust/{agentId}/history',
      operationId: 'getTrustHistory',
      access: ['trust:read'],
      tag: 'Trust',
      summary: 'How the trust in an agent changed, newest first',
      description:
        'One item for each time that signals were folded; a score also drifts towards 250 day by day without any. `from` is inclusive, `to` exclusive.',
      request: { params: AgentIdParams, query: TrustHistoryQuery },
      responses: { 200: { description: 'One page of changes.', schema: TrustHistory } },
      handler: async ({ key, params, query }) => {
        assertMayName(key, params.agentId, '{agentId}');
        const { organisationId, environment } = key;
        const subject = { organisationId, environment, agentId: params.agentId };
        const range = { from: instant(query.from), to: instant(query.to) };
        const page = await readPage(query, {
          cursor: /^\d{1,15}$/,
          read: (before, count) => listTrustChanges(db, subject, { ...range, before }, count),
          sortKey: (change) => String(change.last_n),
        });
        return { status: 200, body: { ...page, items: page.items.map(changeOf) } };
      },
    }),
  ];
}
