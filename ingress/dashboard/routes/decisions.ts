// Routes of the decision pages: how many decisions are new, and the full explanation of one.
import { Type } from 'typebox';
import type { Database, Statement } from '../../../shared/platform/db/database.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { toolsOf } from '../../routes/decisions.ts';
import { assertMayName } from '../../../shared/domain/keys/bound.ts';
import { CallerId, closed, IdParams, StringEnum } from '../../../shared/api/common.ts';
import { VERDICTS } from '../../../shared/kernel/vocabulary.ts';
import type { Route } from '../../route.ts';
import type { NewerDecisions } from '../client/wire.ts';
import type { Explanations } from '../explanations.ts';
import { pageRoute } from './page-route.ts';

/** New decisions are counted up to this number. */
const MAX_NEWER = 1_000;

/** Three statements, so that each is a range scan of its own index. */
const newerStatement = (
  condition = '',
): Statement => `SELECT count(*) FILTER (WHERE ($4::text IS NULL OR verdict = $4) AND ($5::text IS NULL OR tool_server = $5)
      AND ($6::text IS NULL OR tool_name = $6))::int AS newer, count(*)::int AS seen FROM (
    SELECT verdict, tool_server, tool_name FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id > $3${condition} ORDER BY decision_id LIMIT ${MAX_NEWER}) AS recent`;
const NEWER = newerStatement();
const NEWER_OF_AGENT = newerStatement(' AND agent_id = $7');
const NEWER_OF_BOUND = newerStatement(' AND agent_id = ANY ($7)');

const NewerQuery = closed({
  /** Absent: all decisions. */
  after: Type.Optional(Type.String({ pattern: '^dec_[0-9a-z]{26}$' })),
  agentId: Type.Optional(CallerId),
  verdict: Type.Optional(StringEnum(VERDICTS)),
  toolServer: Type.Optional(CallerId),
  toolName: Type.Optional(CallerId),
});

export interface DecisionPagesDeps {
  readonly db: Database;
  readonly explanations: Explanations;
}

export function decisionPageRoutes({ db, explanations }: DecisionPagesDeps): Route[] {
  return [
    pageRoute({
      path: '/decisions/newer',
      summary: 'How many decisions are newer than one',
      request: { query: NewerQuery },
      answer: async ({ key, query: { after = '', agentId, verdict, ...tool } }): Promise<NewerDecisions> => {
        if (agentId !== undefined) assertMayName(key, agentId, '?agentId');
        const { toolServer, toolName } = toolsOf(tool);
        const [statement, ...agents] =
          agentId !== undefined
            ? [NEWER_OF_AGENT, agentId]
            : key.agentIds === null
              ? [NEWER]
              : [NEWER_OF_BOUND, [...key.agentIds]];
        const values = [
          key.organisationId,
          key.environment,
          after,
          verdict ?? null,
          toolServer ?? null,
          toolName ?? null,
          ...agents,
        ];
        const [row] = await db.query<{ newer: number; seen: number }>(statement, values);
        return { newer: row?.newer ?? 0, more: row?.seen === MAX_NEWER };
      },
    }),
    pageRoute({
      path: '/decisions/{id}/explanation',
      summary: 'Every rule that applied to a recorded decision, with the values it was evaluated with',
      request: { params: IdParams },
      errors: ['E4001'],
      answer: async ({ key, params }) => {
        const explanation = await explanations.read(key, params.id);
        if (explanation !== undefined) return explanation;
        throw new ApiError('E4001', 'There is no such decision in this organisation and environment.');
      },
    }),
  ];
}
