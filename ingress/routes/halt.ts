// Halt: one call stops an environment. Every verdict is DENY until it is lifted.
import type { EntitySql } from '../../shared/platform/db/database.ts';
import { beginHalt, type Halt, liftHalt, readHalt } from '../../shared/domain/decisions/halts.ts';
import { changedFields, type RecordedChange } from '../../shared/kernel/recorded-change.ts';
import { assertUnbound } from '../../shared/domain/keys/bound.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { HaltLift, HaltRequest, HaltState, type HaltStateBody } from '../../shared/api/halt.ts';
import { defineRoute, type Reply, type Route } from '../route.ts';

function reply({ environment }: AuthenticatedKey, halt: Halt | undefined): Reply {
  const body: HaltStateBody = {
    environment,
    halted: halt !== undefined,
    reason: halt?.reason ?? null,
    keyId: halt?.keyId ?? null,
    since: halt?.createdAt.toISOString() ?? null,
  };
  return { status: 200, body };
}

function changeOf(
  { environment }: AuthenticatedKey,
  hasChanged: boolean,
  { halted, reason }: { readonly halted: boolean; readonly reason?: string | undefined },
): RecordedChange {
  const fields = hasChanged ? changedFields({ halted: !halted }, { halted }) : [];
  return { subject: 'environment', id: environment, fields, ...(reason === undefined ? {} : { reason }) };
}

export interface HaltDeps {
  readonly db: EntitySql;
  readonly nowMs: () => number;
  /** Resolves when the caches of this process have the committed change: read-your-writes for the caller. */
  readonly settle: () => Promise<void>;
}

export function haltRoutes({ db, nowMs, settle }: HaltDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/halt',
      operationId: 'setHalt',
      access: ['admin:*'],
      tag: 'Halt',
      summary: 'Halt the environment of the key',
      description:
        'From then on every verdict of this organisation and environment is DENY with reason HALTED, in every process within a second, until the halt is lifted.',
      request: { body: HaltRequest },
      responses: { 200: { description: 'The halt in force.', schema: HaltState } },
      idempotent: true,
      handler: async ({ key, body: { reason }, commit }) => {
        const done = await commit(async (sql) => {
          const { halt, isNew } = await beginHalt(sql, key, { keyId: key.keyId, reason, nowMs: nowMs() });
          return { ...reply(key, halt), change: changeOf(key, isNew, { halted: true, reason }) };
        });
        await settle();
        return done;
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/halt',
      operationId: 'getHalt',
      access: ['admin:*'],
      tag: 'Halt',
      summary: 'Whether the environment is halted',
      description: 'While it is halted, every verdict is DENY.',
      responses: { 200: { description: 'The halt in force, if any.', schema: HaltState } },
      handler: async ({ key }) => reply(key, await readHalt(db, key)),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/halt',
      operationId: 'liftHalt',
      access: ['admin:*'],
      tag: 'Halt',
      summary: 'Lift the halt',
      description:
        'From then on verdicts come from the policies again. Lifting when nothing is halted changes nothing. The request may have a body with a reason, which is stored in the log.',
      request: { body: HaltLift, bodyOptional: true },
      responses: { 200: { description: 'Nothing is halted now.', schema: HaltState } },
      handler: async ({ key, body, commit }) => {
        const reason = body?.reason;
        assertUnbound(key, 'lift a halt');
        const done = await commit(async (sql) => {
          const ended = await liftHalt(sql, key, { keyId: key.keyId, reason, nowMs: nowMs() });
          return { ...reply(key, undefined), change: changeOf(key, ended !== undefined, { halted: false, reason }) };
        });
        await settle();
        return done;
      },
    }),
  ];
}
