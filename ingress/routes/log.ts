// The log for auditors: checkpoints, keys, consistency proofs, leaf hashes, and verifying a receipt.
import { type Static, Type } from 'typebox';
import { ApiError, invalidField } from '../../shared/kernel/errors.ts';
import { MissingNodeError } from '../../shared/domain/ledger/nodes.ts';
import type { ReceiptStore, StoredCheckpoint } from '../../shared/domain/ledger/receipts.ts';
import { jwksOf } from '../../shared/core/proof/keys.ts';
import { receiptOf, verifyReceipt } from '../../shared/core/proof/receipt.ts';
import { asResult } from '../../shared/core/proof/failures.ts';
import { JsonObject, PageQuery } from '../../shared/api/common.ts';
import { CheckpointList, Consistency, LeafHashes, LogKeys, Range, Verification } from '../../shared/api/log.ts';
import { defineRoute, type Route } from '../route.ts';
import { immutable } from './caching.ts';
import { readPage } from './paging.ts';

const MAX_LEAVES = 1_000;
/** Of a receipt to verify here. Offline, and in the dashboard, larger ones are verified. */
const MAX_VERIFIED_BYTES = 65_536;

const NO_VERIFICATION: Static<typeof Verification> = {
  valid: false,
  failure: null,
  sentence: null,
  origin: null,
  size: null,
  root: null,
  index: null,
  proofId: null,
};

export interface LogDeps {
  readonly log: ReceiptStore;
}

function checkpointBody({ size, root, note, signedAt }: StoredCheckpoint): object {
  return { size, root, note, signedAt: signedAt.toISOString() };
}

function assertOrder(from: number, to: number): void {
  if (from > to) throw invalidField('?from', 'must not be greater than to');
}

export function logRoutes({ log }: LogDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/log/checkpoint',
      operationId: 'getCheckpoint',
      access: ['proofs:read'],
      tag: 'Log',
      summary: "The log's newest signed checkpoint",
      description: 'It signs the size and the root of the tree, and with them every record.',
      responses: { 200: { description: 'A signed note (C2SP tlog-checkpoint).', contentType: 'text/plain' } },
      errors: ['E4001'],
      handler: async ({ key }) => {
        const checkpoint = await log.latestCheckpoint(key);
        if (checkpoint === undefined) throw new ApiError('E4001', 'The log has no checkpoint yet.');
        return { status: 200, text: checkpoint.note, contentType: 'text/plain; charset=utf-8' };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/log/checkpoints',
      operationId: 'listCheckpoints',
      access: ['proofs:read'],
      tag: 'Log',
      summary: 'List checkpoints, newest first',
      description: 'Each covers all records of the ones before it.',
      request: { query: PageQuery },
      responses: { 200: { description: 'One page of checkpoints.', schema: CheckpointList } },
      handler: async ({ key, query }) => {
        const page = await readPage(query, {
          cursor: /^\d{1,15}$/,
          read: (before, count) => log.checkpoints(key, before === undefined ? before : Number(before), count),
          sortKey: (row) => String(row.size),
        });
        return { status: 200, body: { ...page, items: page.items.map(checkpointBody) } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/log/keys',
      operationId: 'listLogKeys',
      access: ['proofs:read'],
      tag: 'Log',
      summary: 'The keys of the log, each with the tree sizes it may sign',
      description: 'All of them, old ones too, on one page.',
      responses: { 200: { description: 'The keys.', schema: LogKeys } },
      handler: async ({ key }) => ({ status: 200, body: { items: await log.keys(key), nextCursor: null } }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/log/consistency',
      operationId: 'getConsistency',
      access: ['proofs:read'],
      cached: true,
      tag: 'Log',
      summary: 'That the tree of `to` leaves begins with the tree of `from` leaves',
      description: 'Proves that nothing was changed or removed between two checkpoints.',
      request: { query: Range },
      responses: { 200: { description: 'The consistency path (RFC 9162 section 2.1.4).', schema: Consistency } },
      errors: ['E4001'],
      handler: async ({ key, query }) => {
        assertOrder(query.from, query.to);
        const answer = await log.consistency(key, query.from, query.to).catch((error: unknown) => {
          if (error instanceof MissingNodeError) return undefined;
          throw error;
        });
        if (answer === undefined) throw new ApiError('E4001', 'The log does not have that many leaves.');
        return immutable({ status: 200, text: JSON.stringify(answer) });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/log/leaves',
      operationId: 'getLeaves',
      access: ['proofs:read'],
      tag: 'Log',
      summary: 'Leaf hashes, oldest first',
      description: `At most ${MAX_LEAVES} at once; go on from the \`to\` of the answer.`,
      request: { query: Range },
      responses: { 200: { description: 'Leaf hashes (RFC 6962).', schema: LeafHashes } },
      handler: async ({ key, query }) => {
        assertOrder(query.from, query.to);
        const to = Math.min(query.to, query.from + MAX_LEAVES);
        const hashes = await log.leafHashes(key, query.from, to);
        return { status: 200, body: { from: query.from, to: query.from + hashes.length, hashes } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/proofs/verify',
      changesNothing: true,
      operationId: 'verifyProof',
      access: 'any',
      tag: 'Proofs',
      summary: 'Verify a receipt',
      description:
        "At most 64 kB; offline, larger ones are verified. Only this service's log keys are trusted; `custos verify` does the same offline.",
      request: { body: JsonObject({ description: 'A receipt, as GET /v1/proofs/{id} gives it.' }) },
      responses: {
        200: { description: 'Whether it is valid, and the first check that failed.', schema: Verification },
      },
      errors: ['E2005'],
      handler: async ({ body }) => {
        if (Buffer.byteLength(JSON.stringify(body)) > MAX_VERIFIED_BYTES)
          throw new ApiError(
            'E2005',
            `This verifies receipts of at most ${MAX_VERIFIED_BYTES} bytes; custos verify, the clients and the dashboard verify larger ones.`,
          );
        const keys = await log.allKeys();
        const parsed = asResult(() => ({ ok: true as const, receipt: receiptOf(body) }));
        const result = parsed.ok ? verifyReceipt(parsed.receipt, keys) : parsed;
        if (!result.ok) {
          const { failure, sentence } = result;
          return { status: 200, body: { ...NO_VERIFICATION, valid: false, failure, sentence } };
        }
        const { origin, size, root, index, proofId } = result;
        return { status: 200, body: { ...NO_VERIFICATION, valid: true, origin, size, root, index, proofId } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/.well-known/jwks.json',
      operationId: 'getJwks',
      access: 'none',
      tag: 'Log',
      summary: 'The public keys of all logs, as a JSON Web Key Set',
      description: 'For verifiers that read JSON Web Keys; GET /v1/log/keys has the same keys with their sizes.',
      responses: {
        200: {
          description: 'Ed25519 keys (RFC 8037).',
          schema: Type.Object(
            { keys: Type.Array(JsonObject(), { description: 'JSON Web Keys (RFC 7517).' }) },
            { $id: 'Jwks', additionalProperties: false },
          ),
        },
      },
      errors: ['E6002'],
      handler: async () => ({
        status: 200,
        body: jwksOf((await log.allKeys()).map((key) => key.raw)),
        headers: { 'cache-control': 'public, max-age=300' },
      }),
    }),
  ];
}
