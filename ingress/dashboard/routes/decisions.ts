// Decisions for the pages: how many came since, and the full explanation of one on record.
import { Type } from 'typebox';
import type { Database, Statement } from '../../../shared/platform/db/database.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { assertMayName } from '../../../shared/domain/keys/bound.ts';
import { CallerId, StringEnum } from '../../../shared/api/common.ts';
import { DecisionIdParams } from '../../../shared/api/decision.ts';
import { VERDICTS } from '../../../shared/kernel/vocabulary.ts';
import { defineRoute, type Route } from '../../route.ts';
import type { NewerDecisions } from '../client/wire.ts';
import type { Explanations } from '../explanations.ts';

/** New decisions that are looked at; more are only "more". */
const MAX_NEWER = 1_000;

const NEWER: Statement = {
  name: 'dashboard-decisions-newer',
  text: `SELECT count(*) FILTER (WHERE $4::text IS NULL OR verdict = $4)::int AS newer, count(*)::int AS seen FROM (
    SELECT verdict FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id > $3 ORDER BY decision_id LIMIT ${MAX_NEWER}) AS recent`,
};
const NEWER_OF_AGENT: Statement = {
  name: 'dashboard-decisions-newer-of-agent',
  text: `SELECT count(*) FILTER (WHERE $4::text IS NULL OR verdict = $4)::int AS newer, count(*)::int AS seen FROM (
    SELECT verdict FROM decision WHERE organisation_id = $1 AND environment = $2 AND agent_id = $5 AND decision_id > $3 ORDER BY decision_id LIMIT ${MAX_NEWER}) AS recent`,
};

const NEWER_OF_BOUND: Statement = {
  name: 'dashboard-decisions-newer-of-bound',
  text: NEWER_OF_AGENT.text.replace('agent_id = $5', 'agent_id = ANY ($5)'),
};

const NewerQuery = Type.Object(
  {
    /** Absent: all that there are. */
    after: Type.Optional(Type.String({ pattern: '^dec_[0-9a-z]{26}$' })),
    agentId: Type.Optional(CallerId),
    verdict: Type.Optional(StringEnum(VERDICTS)),
  },
  { additionalProperties: false },
);

export interface DecisionPagesDeps {
  readonly db: Database;
  readonly explanations: Explanations;
}

export function decisionPageRoutes({ db, explanations }: DecisionPagesDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/dashboard/api/decisions/newer',
      access: ['admin:*'],
      tag: 'Dashboard',
      summary: 'How many decisions came after one',
      request: { query: NewerQuery },
      responses: { 200: { description: 'A number.' } },
      errors: [],
      handler: async ({ key, query: { after = '', agentId, verdict } }) => {
        const values = [key.organisationId, key.environment, after, verdict ?? null];
        if (agentId !== undefined) assertMayName(key, agentId, '?agentId');
        const read = (statement: Statement, ...more: unknown[]): Promise<{ newer: number; seen: number }[]> =>
          db.query(statement, [...values, ...more]);
        const [row] = await (agentId !== undefined
          ? read(NEWER_OF_AGENT, agentId)
          : key.agentIds === null
            ? read(NEWER)
            : read(NEWER_OF_BOUND, [...key.agentIds]));
        const body: NewerDecisions = { newer: row?.newer ?? 0, more: row?.seen === MAX_NEWER };
        return { status: 200, body };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/dashboard/api/decisions/{id}/explanation',
      access: ['admin:*'],
      tag: 'Dashboard',
      summary: 'Every rule that was looked at for a decision on record, with the values it saw',
      request: { params: DecisionIdParams },
      responses: { 200: { description: 'The explanation, or why there is none.' } },
      errors: ['E4001'],
      handler: async ({ key, params }) => {
        const body = await explanations.read(key, params.id);
        if (body === undefined)
          throw new ApiError('E4001', 'There is no such decision in this organisation and environment.');
        return { status: 200, body };
      },
    }),
  ];
}
