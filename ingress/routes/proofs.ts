// Proofs: accept statements, list them, and read their receipts and chains.
import { ownerOf } from '../../shared/kernel/owner.ts';
import { createHash } from 'node:crypto';
import { ApiError, droppedByRetention, invalidField } from '../../shared/kernel/errors.ts';
import { stored } from '../../shared/kernel/recorded-change.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { assertMayName, mayName } from '../../shared/domain/keys/bound.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { type AcceptedProof, isOwnId, type ProofRow, type ProofStore } from '../../shared/domain/ledger/proof-store.ts';
import type { Anchored } from '../../shared/domain/ledger/read.ts';
import type { Promiser } from '../../shared/domain/ledger/promises.ts';
import type { ReceiptStore } from '../../shared/domain/ledger/receipts.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { recordDigest, recordPrefix } from '../../shared/core/proof/record.ts';
import { writeTlogProof } from '../../shared/core/proof/tlog-proof.ts';
import { ReceiptSchema } from '../../shared/core/proof/shapes.ts';
import { DEFAULT_LIMIT, PageQuery } from '../../shared/api/common.ts';
import {
  EntityIdParams,
  ProofAccepted,
  ProofBatchAccepted,
  ProofBatchCreate,
  ProofChain,
  ProofCreate,
  type ProofCreateBody,
  ProofIdParams,
  ProofList,
  ProofListQuery,
} from '../../shared/api/proof.ts';
import { defineRoute, type Reply, type RequestContext, type Route } from '../route.ts';
import { immutable, prefers } from './caching.ts';
import { agentsOf, decodeCursor, encodeCursor, instant, readPage } from './paging.ts';

const RETRY_AFTER_SECONDS = '1';

export interface ProofDeps {
  readonly proofs: ProofStore;
  readonly log: ReceiptStore;
  readonly nowMs: () => number;
  readonly promiser: Promiser | undefined;
}

function rowOf(
  key: AuthenticatedKey,
  body: ProofCreateBody,
  at: string,
  { nowMs, traceparent }: { readonly nowMs: number; readonly traceparent: string | undefined },
): ProofRow {
  assertMayName(key, body.entityId, `${at}/entityId`);
  if (body.proofId !== undefined && isOwnId(body.proofId)) {
    throw invalidField(`${at}/proofId`, 'has the form of an id that the service makes itself');
  }
  const { event, entityId, payload } = body;
  const proofId = body.proofId ?? newId('prf', nowMs);
  const occurredAt = new Date(nowMs).toISOString();
  const canonicalPayload = canonicalize(payload);
  const record = recordPrefix({
    entityId,
    event,
    occurredAt,
    body: canonicalPayload,
    environment: key.environment,
    organisationSlug: key.organisationSlug,
    proofId,
  });
  return {
    organisationId: key.organisationId,
    environment: key.environment,
    proofId,
    entityId,
    event,
    occurredAt,
    record,
    requestDigest: createHash('sha256')
      .update(canonicalize({ entityId, event }))
      .update(canonicalPayload)
      .digest('hex'),
    keyId: key.keyId,
    traceparent,
  };
}

/** A leaf's place, of the cursor of a list. */
function placeOf(sortKey: string | undefined): { readonly logId: number; readonly index: number } | undefined {
  const [logId, index] = sortKey?.split('.').map(Number) ?? [];
  return logId === undefined || index === undefined ? undefined : { logId, index };
}

function proofOf(leaf: Anchored): object {
  return {
    proofId: leaf.proofId,
    status: 'anchored',
    event: leaf.event,
    entityId: leaf.entityId,
    record: leaf.record === null ? null : leaf.record.toString('base64'),
    index: leaf.index,
    chainIndex: leaf.chainIndex,
    eventHash: leaf.eventHash,
    previousHash: leaf.previousHash,
    occurredAt: leaf.occurredAt.toISOString(),
    anchoredAt: leaf.anchoredAt.toISOString(),
  };
}

export function proofRoutes(deps: ProofDeps): Route[] {
  const { proofs, log, nowMs, promiser } = deps;

  /** The answer for an accepted proof; the promise of a repeat says what that of the first time said. */
  const bodyOf = async (key: AuthenticatedKey, accepted: AcceptedProof): Promise<object> => {
    const { proofId, status, recordDigest, occurredAtMs } = accepted;
    const { organisationId, organisationSlug, environment } = key;
    const promise = await promiser?.together({
      organisationId,
      organisationSlug,
      environment,
      proofId,
      recordDigest,
      issuedAtMs: occurredAtMs,
    });
    return { proofId, status, recordDigest, promise };
  };

  const accept = async (
    rows: readonly ProofRow[],
    pointerOf: (index: number) => string,
    {
      idempotencyKey,
      lookAgain,
      commit,
    }: Pick<RequestContext<unknown, unknown, unknown>, 'idempotencyKey' | 'lookAgain' | 'commit'>,
    reply: (accepted: AcceptedProof[]) => Promise<Reply>,
  ): Promise<Reply> => {
    if (idempotencyKey !== undefined) return commit(async (sql) => reply(await proofs.acceptIn(sql, rows, pointerOf)));
    await lookAgain();
    return reply(await proofs.accept(rows, pointerOf));
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/proofs',
      operationId: 'createProof',
      // Also for observers, which report what happened and ask for nothing.
      access: ['intents:write', 'trust:write'],
      tag: 'Proofs',
      summary: 'Have a statement anchored',
      description:
        'Accepted means durable: a worker appends it to the log. The same proofId gives the first answer again; with another proof it is a 422. The payload is permanent.',
      request: { body: ProofCreate },
      responses: { 202: { description: 'Accepted.', schema: ProofAccepted } },
      errors: ['E2010', 'E6002'],
      idempotent: true,
      handler: (request) =>
        accept(
          [rowOf(request.key, request.body, '', { nowMs: nowMs(), traceparent: request.traceparent })],
          () => '/proofId',
          request,
          async ([proof]) => {
            if (proof === undefined) throw new Error('a proof was accepted, and none returned');
            const location = `/v1/proofs/${encodeURIComponent(proof.proofId)}`;
            const change = stored('proof', [proof.proofId]);
            return { status: 202, body: await bodyOf(request.key, proof), headers: { location }, change };
          },
        ),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/proofs/batch',
      operationId: 'createProofBatch',
      access: ['intents:write'],
      tag: 'Proofs',
      summary: 'Have up to a thousand statements anchored',
      description: 'All are accepted or none.',
      request: { body: ProofBatchCreate },
      responses: { 202: { description: 'Accepted, in the order of the request.', schema: ProofBatchAccepted } },
      errors: ['E2010', 'E6002'],
      cost: (body) => Math.ceil(body.proofs.length / 10),
      idempotent: true,
      handler: (request) => {
        const { key, body, traceparent } = request;
        const made = { nowMs: nowMs(), traceparent };
        const rows = body.proofs.map((proof, i) => rowOf(key, proof, `/proofs/${i}`, made));
        return accept(
          rows,
          (i) => `/proofs/${i}/proofId`,
          request,
          async (accepted) => ({
            status: 202,
            body: { proofs: await Promise.all(accepted.map((proof) => bodyOf(key, proof))) },
            change: stored(
              'proof',
              accepted.map(({ proofId }) => proofId),
            ),
          }),
        );
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/proofs',
      operationId: 'listProofs',
      access: ['proofs:read'],
      tag: 'Proofs',
      summary: 'List anchored proofs, newest first',
      description: 'Accepted proofs appear once they are in the log.',
      request: { query: ProofListQuery },
      responses: { 200: { description: 'One page of proofs.', schema: ProofList } },
      handler: async ({ key, query }) => {
        const filter = {
          ...ownerOf(key),
          entityIds: agentsOf(key, query.entityId, '?entityId'),
          event: query.event,
          from: instant(query.from),
          to: instant(query.to),
        };
        const { items, nextCursor } = await readPage(query, {
          cursor: /^\d{1,9}\.\d{1,15}$/,
          read: (after, count) => log.list({ ...filter, before: placeOf(after) }, count),
          sortKey: (leaf) => `${leaf.logId}.${leaf.index}`,
        });
        const shown = items.map(({ proofId, event, entityId, index, occurredAt }) => ({
          proofId,
          status: 'anchored',
          event,
          entityId,
          index,
          occurredAt: occurredAt.toISOString(),
        }));
        return { status: 200, body: { items: shown, nextCursor } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/proofs/{id}',
      operationId: 'getProof',
      access: ['proofs:read'],
      cached: true,
      tag: 'Proofs',
      summary: 'The receipt of one proof',
      description:
        'A receipt proves the record to whoever trusts the log key, offline (`custos verify`). It never changes. With `Accept: text/plain` it comes as a C2SP tlog-proof.',
      request: { params: ProofIdParams },
      responses: {
        200: { description: 'The receipt.', schema: ReceiptSchema, alsoAs: ['text/plain'] },
        202: { description: 'It is accepted and not under a signed checkpoint yet.', schema: ProofAccepted },
      },
      errors: ['E4003', 'E4006'],
      wait: { kind: 'proof', isSettled: ({ status }) => status === 200 },
      handler: async ({ key, params, headers }) => {
        const found = await log.receipt(key, params.id);
        if (found !== undefined && mayName(key, found.entityId)) {
          if (found.receipt === null) throw droppedByRetention('The record of this proof');
          const asText = prefers('text/plain', headers['accept']);
          const text = asText ? writeTlogProof(found.receipt) : JSON.stringify(found.receipt);
          return immutable({
            status: 200,
            text,
            ...(asText ? { contentType: 'text/plain; charset=utf-8' } : {}),
            headers: { vary: 'Accept' },
          });
        }
        const pending = found === undefined ? await log.pending(key, params.id) : undefined;
        if (pending === undefined || !mayName(key, pending.entityId)) {
          throw new ApiError('E4003', 'There is no such proof in this organisation and environment.');
        }
        return {
          status: 202,
          body: await bodyOf(key, {
            proofId: pending.proofId,
            status: 'pending',
            recordDigest: recordDigest(pending.record),
            occurredAtMs: pending.occurredAt.getTime(),
          }),
          headers: { 'retry-after': RETRY_AFTER_SECONDS },
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/proofs/chain/{entityId}',
      operationId: 'getProofChain',
      access: ['proofs:read'],
      tag: 'Proofs',
      summary: "Read one entity's chain, oldest first",
      description: 'Every record names the hash of the one before it, so none can be left out unnoticed.',
      request: { params: EntityIdParams, query: PageQuery },
      responses: { 200: { description: 'One page of the chain, and its head.', schema: ProofChain } },
      handler: async ({ key, params, query }) => {
        assertMayName(key, params.entityId, '{entityId}');
        const limit = query.limit ?? DEFAULT_LIMIT;
        const from = Number(decodeCursor(query.cursor, /^\d{1,15}$/) ?? 0);
        const leaves = await log.chain(key, params.entityId, from, limit + 1);
        // Read after the items, so it is never older than the last of them.
        const head = await log.chainHead(key, params.entityId);
        const next = leaves[limit];
        return {
          status: 200,
          body: {
            entityId: params.entityId,
            head: head ?? null,
            items: leaves.slice(0, limit).map(proofOf),
            nextCursor: next === undefined ? null : encodeCursor(String(next.chainIndex)),
          },
        };
      },
    }),
  ];
}
