// API keys: create, list, revoke, rotate. An admin key manages only its own organisation and environment.
import { type Owner, ownerOf } from '../../shared/kernel/owner.ts';
import type { EntitySql } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { changedFields, type RecordedChange } from '../../shared/kernel/recorded-change.ts';
import { assertMayChange, assertMayMake } from '../../shared/domain/keys/bound.ts';
import { DEFAULT_OVERLAP, OVERLAP, readDuration } from '../../shared/domain/keys/durations.ts';
import { environmentsOf } from '../../shared/domain/keys/environments.ts';
import { planKey } from '../../shared/domain/keys/plan.ts';
import type { SecretHasher } from '../../shared/domain/keys/secrets.ts';
import {
  createKey,
  type KeyRow,
  listKeys,
  type MadeKey,
  revokeKey,
  rotateKey,
} from '../../shared/domain/keys/store.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { PageQuery } from '../../shared/api/common.ts';
import {
  Key,
  type KeyBody,
  KeyCreate,
  KeyCreated,
  type KeyCreatedBody,
  KeyIdParams,
  KeyList,
  KeyRotate,
  KeyRotated,
  type KeyRotatedBody,
} from '../../shared/api/key.ts';
import type { Environment } from '../../shared/kernel/vocabulary.ts';
import { defineRoute, type Route } from '../route.ts';
import { readPage } from './paging.ts';

export interface KeyRouteDeps {
  readonly db: EntitySql;
  readonly hasher: SecretHasher;
  readonly nowMs: () => number;
  /** Resolves when the caches of this process have the committed change: read-your-writes for the caller. */
  readonly settle: () => Promise<void>;
}

export function keyRoutes({ db, hasher, nowMs, settle }: KeyRouteDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/auth/keys',
      operationId: 'createKey',
      access: ['admin:*'],
      tag: 'Keys',
      summary: 'Create an API key',
      description:
        'Only this answer shows the key. A repeat under the same Idempotency-Key has none: rotate its `keyId`. A key that is bound to agents can only create keys bound to some of the same agents.',
      request: { body: KeyCreate },
      responses: { 201: { description: 'The new key.', schema: KeyCreated } },
      idempotent: true,
      handler: (request) => {
        const { key: caller, body } = request;
        const environment = environmentFor(caller, body.environment);
        const createdAtMs = nowMs();
        const plan = planKey(body, caller.organisationTier, createdAtMs);
        assertMayMake(caller, plan);
        return request.commit(async (sql) => {
          const owner: Owner = { organisationId: caller.organisationId, environment };
          const made = await createKey(sql, hasher, { ...owner, ...plan, createdAtMs, createdBy: caller.keyId });
          // The secret is not stored: anybody who repeats the request would get it.
          return {
            status: 201,
            body: createdBody(made),
            kept: fields(made.row),
            change: changeOf(undefined, made.row),
          };
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/auth/keys',
      operationId: 'listKeys',
      access: ['admin:*'],
      tag: 'Keys',
      summary: 'List the keys of the environment, newest first',
      description: 'Revoked and expired keys are listed too. lastUsedAt is written every few seconds.',
      request: { query: PageQuery },
      responses: { 200: { description: 'One page of keys.', schema: KeyList } },
      handler: async ({ key: caller, query }) => {
        const page = await readPage(query, {
          cursor: /^\d{1,18}$/,
          read: (before, count) => listKeys(db, caller, before ?? null, count),
          sortKey: (row) => row.seq,
        });
        return { status: 200, body: { ...page, items: page.items.map(keyBody) } };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/auth/keys/{keyId}',
      operationId: 'revokeKey',
      access: ['admin:*'],
      tag: 'Keys',
      summary: 'Revoke a key',
      description: 'Effective in every process within a second. Revoking a revoked key changes nothing.',
      request: { params: KeyIdParams },
      responses: { 200: { description: 'The key, revoked.', schema: Key } },
      endsKeys: true,
      errors: ['E4001'],
      handler: async ({ key: caller, params, commit }) => {
        const reply = await commit(async (sql) => {
          const { before, row } = await revokeKey(sql, ownerOf(caller), params.keyId, {
            by: caller.keyId,
            nowMs: nowMs(),
            permit: (old) => assertMayChange(caller, old),
          });
          return { status: 200, body: keyBody(row), change: changeOf(before, row) };
        });
        await settle();
        return reply;
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/auth/keys/{keyId}/rotate',
      operationId: 'rotateKey',
      access: ['admin:*'],
      tag: 'Keys',
      summary: 'Replace a key by a new one',
      description: `The new key has the old one's members, and its lifetime from now. The old one stays valid until the overlap ends (default ${DEFAULT_OVERLAP}; ${OVERLAP.min} revokes it at once), or its own expiry when that is earlier. A repeat under the same Idempotency-Key has no \`key\`: rotate the new \`keyId\`.`,
      request: { params: KeyIdParams, body: KeyRotate },
      responses: { 201: { description: 'The new key.', schema: KeyRotated } },
      errors: ['E4001', 'E5002'],
      idempotent: true,
      endsKeys: true,
      handler: (request) => {
        const { key: caller, params, body } = request;
        const overlapMs = readDuration(body.overlap ?? DEFAULT_OVERLAP, OVERLAP, '/overlap');
        return request.commit(async (sql) => {
          const made = await rotateKey(sql, hasher, {
            owner: ownerOf(caller),
            keyId: params.keyId,
            overlapMs,
            nowMs: nowMs(),
            createdBy: caller.keyId,
            organisationTier: caller.organisationTier,
            permit: (old) => assertMayChange(caller, old),
          });
          const { key: _, ...kept } = rotatedBody(made, made.old);
          return { status: 201, body: rotatedBody(made, made.old), kept, change: changeOf(made.before, made.old) };
        });
      },
    }),
  ];
}

/** @throws {ApiError} E1004: only a live key may create keys of another environment */
function environmentFor(caller: AuthenticatedKey, asked: Environment | undefined): Environment {
  if (asked === undefined || environmentsOf(caller).includes(asked)) return asked ?? caller.environment;
  throw new ApiError(
    'E1004',
    `Only a live key may create keys of another environment; this is a ${caller.environment} key.`,
    {
      errors: [{ pointer: '/environment', message: `must be ${caller.environment}` }],
    },
  );
}

function fields(row: KeyRow) {
  return {
    keyId: row.keyId,
    name: row.name,
    scopes: row.scopes,
    agentIds: row.agentIds,
    keepsObligations: row.keepsObligations,
    tags: row.tags,
    environment: row.environment,
    tier: row.tier,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
  };
}

/** The rights of a key before and after. @param before undefined: it is new */
function changeOf(before: KeyRow | undefined, after: KeyRow): RecordedChange {
  const members = ({
    name,
    scopes,
    agentIds,
    keepsObligations,
    tags,
    tier,
    expiresAt,
    revokedAt,
    replacedBy,
  }: KeyRow) => {
    return { name, scopes, agentIds, keepsObligations, tags, tier, expiresAt, revokedAt, replacedBy };
  };
  const fields = changedFields(before && members(before), members(after));
  return { subject: 'key', id: after.keyId, fields };
}

function keyBody(row: KeyRow): KeyBody {
  return {
    ...fields(row),
    createdBy: row.createdBy,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    replacedBy: row.replacedBy,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  };
}

function createdBody({ key, row }: MadeKey): KeyCreatedBody {
  return { ...fields(row), key };
}

function rotatedBody(made: MadeKey, old: KeyRow): KeyRotatedBody {
  // A rotated key always has an expiry.
  return {
    ...createdBody(made),
    replaces: { keyId: old.keyId, expiresAt: (old.expiresAt ?? made.row.createdAt).toISOString() },
  };
}
