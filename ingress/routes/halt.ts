// Halt: one call stops an environment. Every verdict is DENY until it is lifted.
import { Type } from 'typebox';
import type { Database, Sql, Statement } from '../../shared/platform/db/database.ts';
import { type Halt, haltOf } from '../../shared/domain/decisions/halts.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { writeServiceRecord } from '../../shared/domain/ledger/service-record.ts';
import { insertSealed, sealedColumns, type SealedRow, updateSealed } from '../../shared/platform/db/seals/rows.ts';
import { NO_NUL, Nullable, StringEnum, Timestamp } from '../../shared/api/common.ts';
import { ENVIRONMENTS } from '../../shared/kernel/vocabulary.ts';
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

type Row = Partial<SealedRow<'halt'>> & { readonly newest: number | null };

/** Taken first, also where no row is there yet to be held. */
const LOCK: Statement = {
  name: 'halt-lock',
  text: "SELECT pg_advisory_xact_lock(hashtextextended('custos halt ' || $1 || ' ' || $2, 0))",
};
/** One row, whether or not there was ever a halt: all columns are null when there is none now. */
const READ: Statement = {
  name: 'halt-read',
  text: `SELECT (SELECT max(version) FROM row_version WHERE table_name = 'halt' AND row_id = ARRAY[$1::text, $2::text]) AS newest, ${sealedColumns('halt', 'h')}
    FROM (SELECT) AS one LEFT JOIN halt h ON h.organisation_id = $1 AND h.environment = $2`,
};

type Owner = Pick<AuthenticatedKey, 'organisationId' | 'environment'>;

const isThere = (row: Row): row is SealedRow<'halt'> & Row => typeof row.reason === 'string';

async function read(sql: Sql, { organisationId, environment }: Owner): Promise<Row> {
  const [row] = await sql.query<Row>(READ, [organisationId, environment]);
  if (row === undefined) throw new Error('a statement that always gives a row gave none');
  return row;
}

/** The halt in force. One that was changed in the database counts as in force until somebody lifts it here. */
function inForce(sql: Sql, row: Row, { organisationId, environment }: Owner): Halt | undefined {
  if (!isThere(row) && row.newest === null) return undefined;
  return haltOf(sql.seals, row, `${organisationId}/${environment}`);
}

/** Writes what is the case from now on, whatever was there before. */
async function write(
  sql: Sql,
  row: Row,
  { organisationId, environment }: Owner,
  halt: {
    readonly reason: string;
    readonly key_id: string;
    readonly created_at: Date;
    readonly lifted_at: Date | null;
  },
): Promise<void> {
  if (isThere(row)) await updateSealed(sql, 'halt', row, halt);
  else
    await insertSealed(sql, 'halt', {
      organisation_id: organisationId,
      environment,
      ...halt,
      version: (row.newest ?? 0) + 1,
    });
}

function reply(key: AuthenticatedKey, halt: Halt | undefined): Reply {
  return {
    status: 200,
    body: {
      environment: key.environment,
      halted: halt !== undefined,
      reason: halt?.reason ?? null,
      keyId: halt?.keyId ?? null,
      since: halt?.createdAt.toISOString() ?? null,
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
          await sql.query(LOCK, owner(key));
          const row = await read(sql, key);
          const halt = inForce(sql, row, key);
          // Whoever halts an environment whose halt was forged takes its place.
          if (halt !== undefined && !halt.isForged) return reply(key, halt);
          const made = { reason: body.reason, keyId: key.keyId, createdAt: new Date(at) };
          await write(sql, row, key, {
            reason: made.reason,
            key_id: made.keyId,
            created_at: made.createdAt,
            lifted_at: null,
          });
          await record(sql, key, { change: 'halted', keyId: key.keyId, reason: body.reason }, at);
          return reply(key, made);
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
      handler: async ({ key }) => reply(key, inForce(db, await read(db, key), key)),
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
          await sql.query(LOCK, owner(key));
          const row = await read(sql, key);
          const halt = inForce(sql, row, key);
          if (halt === undefined) return;
          const at = nowMs();
          const { reason, keyId, createdAt } = halt;
          await write(sql, row, key, { reason, key_id: keyId, created_at: createdAt, lifted_at: new Date(at) });
          await record(sql, key, { change: 'lifted', keyId: key.keyId }, at);
        });
        await settle();
        return reply(key, undefined);
      },
    }),
  ];
}
