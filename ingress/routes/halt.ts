// Halt: one call stops an environment. Every verdict is DENY until it is lifted.
import { Type } from 'typebox';
import type { Database, Sql, Statement } from '../../shared/db/database.ts';
import type { AuthenticatedKey } from '../../shared/keys/types.ts';
import { writeServiceRecord } from '../../shared/log/service-record.ts';
import { NO_NUL, Nullable, StringEnum, Timestamp } from '../../shared/schemas/common.ts';
import { ENVIRONMENTS } from '../../shared/vocabulary.ts';
import { defineRoute, type Reply, type Route } from '../route.ts';

const HaltRequest = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: NO_NUL,
      examples: ['Runaway agent, incident 42'],
    }),
  },
  { $id: 'HaltRequest', additionalProperties: false },
);

const HaltState = Type.Object(
  {
    environment: StringEnum(ENVIRONMENTS),
    halted: Type.Boolean(),
    reason: Nullable(Type.String()),
    keyId: Nullable(Type.String({ description: 'The key that halted.' })),
    since: Nullable(Timestamp),
  },
  { $id: 'HaltState', additionalProperties: false },
);

interface Row {
  reason: string;
  key_id: string;
  created_at: Date;
}

const INSERT: Statement = {
  name: 'halt-insert',
  text: `INSERT INTO halt (organisation_id, environment, reason, key_id, created_at) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (organisation_id, environment) DO NOTHING RETURNING reason`,
};
const READ: Statement = {
  name: 'halt-read',
  text: 'SELECT reason, key_id, created_at FROM halt WHERE organisation_id = $1 AND environment = $2',
};
const LIFT: Statement = {
  name: 'halt-lift',
  text: 'DELETE FROM halt WHERE organisation_id = $1 AND environment = $2 RETURNING reason',
};

function reply(key: AuthenticatedKey, row: Row | undefined): Reply {
  return {
    status: 200,
    body: {
      environment: key.environment,
      halted: row !== undefined,
      reason: row?.reason ?? null,
      keyId: row?.key_id ?? null,
      since: row?.created_at.toISOString() ?? null,
    },
  };
}

export interface HaltDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  /** Resolves when the caches of this process have seen what is committed: an answer is true here when it goes out. */
  readonly settle: () => Promise<void>;
}

export function haltRoutes(deps: HaltDeps): Route[] {
  const { db, nowMs, settle } = deps;
  const owner = (key: AuthenticatedKey): [string, string] => [key.organisationId, key.environment];
  const record = (sql: Sql, key: AuthenticatedKey, body: object, atMs: number): Promise<void> =>
    writeServiceRecord(
      sql,
      { organisationId: key.organisationId, environment: key.environment, event: 'custos.halt', body },
      atMs,
    );
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/halt',
      access: ['admin:*'],
      tag: 'Halt',
      summary: 'Halt the environment of the key',
      description:
        'From then on every verdict of this organisation and environment is DENY with reason HALTED, in every process within a second, until the halt is lifted. Halting twice keeps the first halt.',
      request: { body: HaltRequest },
      responses: { 200: { description: 'The halt in force.', schema: HaltState } },
      errors: [],
      idempotent: true,
      handler: async ({ key, body, commit }) => {
        const done = await commit(async (sql) => {
          const at = nowMs();
          const halted = await sql.query(INSERT, [...owner(key), body.reason, key.keyId, new Date(at)]);
          if (halted.length > 0)
            await record(sql, key, { change: 'halted', keyId: key.keyId, reason: body.reason }, at);
          const [row] = await sql.query<Row>(READ, owner(key));
          return reply(key, row);
        });
        await settle();
        return done;
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/halt',
      access: ['admin:*'],
      tag: 'Halt',
      summary: 'Whether the environment is halted',
      request: {},
      responses: { 200: { description: 'The halt in force, if any.', schema: HaltState } },
      errors: [],
      handler: async ({ key }) => reply(key, (await db.query<Row>(READ, owner(key)))[0]),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/halt',
      access: ['admin:*'],
      tag: 'Halt',
      summary: 'Lift the halt',
      request: {},
      responses: { 200: { description: 'Nothing is halted now.', schema: HaltState } },
      errors: [],
      handler: async ({ key }) => {
        await db.transaction(async (sql) => {
          const lifted = await sql.query(LIFT, owner(key));
          if (lifted.length > 0) await record(sql, key, { change: 'lifted', keyId: key.keyId }, nowMs());
        });
        await settle();
        return reply(key, undefined);
      },
    }),
  ];
}
