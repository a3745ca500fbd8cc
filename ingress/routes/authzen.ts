// The AuthZEN Authorization API 1.0: evaluations, which are decisions like those of /v1/enforce, and the discovery document.
import { type Static, Type } from 'typebox';
import {
  AuthzenConfiguration,
  EvaluationRequest,
  EvaluationResponse,
  EvaluationsRequest,
  EvaluationsResponse,
  type Semantic,
} from '../../shared/api/authzen.ts';
import { refusalOf, usedUp } from '../../shared/core/decision/approval.ts';
import { actionWordOf } from '../../shared/core/authzen/action-name.ts';
import { type Answered, answerOf, type DecisionMembers } from '../../shared/core/authzen/answer.ts';
import { type AuthzenQuestion, type Entities, withDefaults } from '../../shared/core/authzen/question.ts';
import type { ActivePolicies, ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import { assertMayName } from '../../shared/domain/keys/bound.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { defineRoute, type Reply, type RequestContext, type Route } from '../route.ts';
import { costOfMembers } from './member-cost.ts';
import { authzenSearchRoutes, questionOf, type SearchDeps } from './authzen-search.ts';
import { allInSlices } from '../../shared/platform/process/slices.ts';
import { cacheable } from './caching.ts';
import type { Presence } from '../../shared/domain/decisions/presence.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { answerIn, failed, failedOfCaller, isPermittedBy, type Kept, kept, type Made } from './authzen-answers.ts';
import type { Unwritten } from '../../shared/domain/decisions/approval-naming.ts';
import type { IsLast } from '../../shared/domain/decisions/written.ts';
import {
  type Asker,
  createEvaluation,
  type EvaluatedRequest,
  type EvaluationDeps,
  type MemberAnswer,
} from './enforce-evaluate.ts';
import { storedAnswers } from './enforce-repeat.ts';

export interface AuthzenDeps extends EvaluationDeps, SearchDeps {
  readonly policies: Pick<ActivePolicySet, 'current'>;
  readonly presence: Presence;
  /** CUSTOS_PUBLIC_URL; absent: there is no discovery document. */
  readonly publicUrl: string | undefined;
  /** Receives errors of batch members that the caller did not cause. */
  readonly onError: (error: unknown, requestId: string) => void;
}

/** Evaluates a question. @throws {ApiError} E1004, E2001, E6002 */
export type Ask = (
  active: ActivePolicies,
  asker: Asker,
  question: AuthzenQuestion,
  options?: { readonly isSearch: boolean },
) => Promise<EvaluatedRequest>;

type Request = Asker & Pick<RequestContext<unknown, unknown, unknown>, 'idempotencyKey' | 'commit'>;

/** The member whose answer ends an ordered batch. */
const STOPS_AT: Readonly<Record<Semantic, boolean | undefined>> = {
  execute_all: undefined,
  deny_on_first_deny: false,
  permit_on_first_permit: true,
};

export function authzenRoutes(deps: AuthzenDeps): Route[] {
  const { policies, presence, readings, publicUrl, onError, nowMs } = deps;
  const evaluation = createEvaluation(deps);
  const approvalsUrl = publicUrl === undefined ? undefined : `${publicUrl}/dashboard/approvals`;

  const ask: Ask = async (active, asker, question, options) => {
    const { set } = active;
    const { agentId, actionName, resource, context, approvalId } = question;
    assertMayName(asker.key, agentId, '/subject/id');
    const asking = { set, organisation: asker.key.organisationSlug };
    const lexicon = set.lexicon.forOrganisation(asking.organisation);
    const own = readings.ofAction(asking, actionWordOf(actionName, set.authzenActions, lexicon), resource);
    const body = {
      agent_id: agentId,
      context: { ...context },
      ...(approvalId === undefined ? {} : { approval_id: approvalId }),
      ...(options?.isSearch === true ? { dry_run: true } : {}),
    };
    return evaluation.evaluateReading(active, asker, body, own, '');
  };

  /** What a stored decision answers. @throws {ApiError} E6001 */
  const madeOf = (key: AuthenticatedKey, { approvalId }: AuthzenQuestion, outcome: MemberAnswer): Made => {
    const { text, decisionId, isRepeat } = outcome;
    if (isRepeat === true && approvalId !== undefined) return { answered: usedAnswer(approvalId, nowMs()), decisionId };
    // The service has just written the text.
    const decision = JSON.parse(text) as DecisionMembers;
    return { answered: answerOf(decision, key.keepsObligations, approvalsUrl), decisionId, text };
  };

  /** Makes one decision. @throws {ApiError} E1004, E2001, E5004, E6002 */
  const decide = async (active: ActivePolicies, asker: Asker, given: Entities): Promise<Made> => {
    const question = questionOf(given);
    return madeOf(asker.key, question, await evaluation.append(await ask(active, asker, question)));
  };

  /** A member of a batch; one that fails is denied in its place. */
  const decideMember = async (active: ActivePolicies, asker: Asker, given: Entities): Promise<Made> => {
    try {
      return await decide(active, asker, given);
    } catch (error) {
      if (!(error instanceof ApiError)) onError(error, asker.requestId);
      return failed(error instanceof ApiError ? error : new ApiError('E6001', 'This member could not be evaluated.'));
    }
  };

  const inOrder = async (members: readonly Entities[], stopAt: boolean, asker: Asker): Promise<Made[]> => {
    const made: Made[] = [];
    for (const member of members) {
      const one = await decideMember(await policies.current(asker.key.organisationId), asker, member);
      made.push(one);
      if (one.answered.decision === stopAt) break;
    }
    return made;
  };

  const single = async (request: Request, given: Entities): Promise<Reply> => {
    const { key, idempotencyKey, commit } = request;
    const active = await policies.current(key.organisationId);
    if (idempotencyKey === undefined) return kept({ isSingle: true, made: [await decide(active, request, given)] });
    const question = questionOf(given);
    return evaluation.inTransaction([await ask(active, request, question)], (write) =>
      commit(async (sql) => {
        const [outcome] = await write(sql);
        return kept({ isSingle: true, made: [madeOf(key, question, answerIn(outcome))] });
      }),
    );
  };

  /**
   * A batch under an Idempotency-Key is one effect: its decisions and the stored answer commit together, so that a repeat gets this answer
   * or finds nothing done. @throws what a member has failed with, unless the caller caused it
   */
  const batchOnce = async (
    request: Request,
    members: readonly Entities[],
    stopAt: boolean | undefined,
  ): Promise<Reply> => {
    const { key, commit } = request;
    const active = await policies.current(key.organisationId);
    const asked = await allInSlices(members, async (member) => {
      try {
        const question = questionOf(member);
        return { question, evaluated: await ask(active, request, question) };
      } catch (error) {
        return failedOfCaller(error);
      }
    });
    const end = stopAt === false ? asked.findIndex((one) => 'answered' in one) : -1;
    const inQuestion = end === -1 ? asked : asked.slice(0, end + 1);
    const evaluated = inQuestion.flatMap((one) => ('evaluated' in one ? one.evaluated : []));
    const outcomeOf = (question: AuthzenQuestion, outcome: MemberAnswer | Unwritten | undefined): Made => {
      try {
        return madeOf(key, question, answerIn(outcome));
      } catch (error) {
        return failedOfCaller(error);
      }
    };
    return evaluation.inTransaction(evaluated, (write) =>
      commit(async (sql) => {
        const isLast: IsLast | undefined =
          stopAt === undefined ? undefined : (outcome) => isPermittedBy(outcome, key) === stopAt;
        const outcomes = await write(sql, isLast);
        const made: Made[] = [];
        for (const one of inQuestion) {
          const result = 'answered' in one ? one : outcomeOf(one.question, outcomes[evaluated.indexOf(one.evaluated)]);
          made.push(result);
          if (result.answered.decision === stopAt) break;
        }
        return kept({ isSingle: false, made });
      }),
    );
  };

  /** The stored answers again, as far as they stand. @throws {ApiError} E5004 and E6002, of a single one */
  const again = async (reply: Reply, key: AuthenticatedKey): Promise<Reply> => {
    // Stored by `kept`.
    const { isSingle, made } = reply.kept as Kept;
    const texts = made.map(({ text = '{}' }) => text);
    const refusals = (await storedAnswers(presence, key, texts)).map(({ refusal }) => refusal);
    const [refusal] = refusals;
    if (isSingle && refusal !== undefined) throw refusal;
    return kept({
      isSingle,
      made: made.map((one, i) =>
        refusals[i] === undefined ? one : { decisionId: one.decisionId, ...failed(refusals[i]) },
      ),
    });
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/access/v1/evaluation',
      operationId: 'authzenEvaluation',
      access: ['intents:write'],
      dialect: 'authzen',
      tag: 'AuthZEN',
      summary: 'Ask whether a subject may perform an action on a resource (AuthZEN)',
      description:
        'A decision like that of POST /v1/enforce. The agent is `<subject type>:<subject id>`, the resource `<resource type>/<resource id>`. Policies read the request as context.subject, context.action, context.resource and context.env. An ESCALATE is `false` and names its approval; once a human has approved, ask with context.approval.id.',
      request: { body: EvaluationRequest },
      responses: { 200: { description: 'The decision.', schema: EvaluationResponse } },
      errors: ['E5004', 'E6002'],
      idempotent: true,
      again,
      handler: (request) => single(request, request.body),
    }),
    defineRoute({
      method: 'POST',
      path: '/access/v1/evaluations',
      operationId: 'authzenEvaluations',
      access: ['intents:write'],
      dialect: 'authzen',
      tag: 'AuthZEN',
      summary: 'Ask several questions at once (AuthZEN)',
      description:
        'Answers come in the order of the evaluations. One that can not be evaluated is `false` with `context.error`. Without evaluations the request is a single one.',
      request: { body: EvaluationsRequest },
      responses: {
        200: {
          description: 'One answer an evaluation; the answer itself when there was a single one.',
          schema: Type.Union([EvaluationsResponse, EvaluationResponse]),
        },
      },
      errors: ['E5004', 'E6002'],
      cost: ({ evaluations = [] }) => costOfMembers(evaluations),
      idempotent: true,
      again,
      handler: async (request) => {
        const { evaluations = [], options, ...defaults } = request.body;
        if (evaluations.length === 0) return single(request, defaults);
        const members = evaluations.map((member) => withDefaults(entitiesOf(member), defaults));
        const stopAt = STOPS_AT[options?.evaluations_semantic ?? 'execute_all'];
        if (request.idempotencyKey !== undefined) return batchOnce(request, members, stopAt);
        const active = await policies.current(request.key.organisationId);
        const made =
          stopAt === undefined
            ? await allInSlices(members, (member) => decideMember(active, request, member))
            : await inOrder(members, stopAt, request);
        return kept({ isSingle: false, made });
      },
    }),
    ...authzenSearchRoutes(deps, ask),
    configurationRoute(publicUrl),
  ];
}

/**
 * The refusal of a question whose approval has permitted one already. Other callers get the earlier decision again and act once for each
 * decision_id; a gateway looks at `decision` alone, so a second `true` would permit a second action. Nothing is recorded.
 */
function usedAnswer(approvalId: string, atMs: number): Answered {
  const evaluated_at = new Date(atMs).toISOString();
  return answerOf({ ...refusalOf(usedUp(approvalId)), allowed: false, evaluated_at }, new Set(), undefined);
}

/** The members of an evaluation; one that is no object has none, so that it is denied for what it lacks. */
function entitiesOf(member: unknown): Entities {
  return typeof member === 'object' && member !== null && !Array.isArray(member) ? member : {};
}

function configurationRoute(publicUrl: string | undefined): Route {
  return defineRoute({
    method: 'GET',
    path: '/.well-known/authzen-configuration',
    operationId: 'getAuthzenConfiguration',
    access: 'none',
    tag: 'AuthZEN',
    summary: 'The addresses of the AuthZEN endpoints',
    description: 'Needs the setting CUSTOS_PUBLIC_URL: the document must name the address that clients use.',
    responses: { 200: { description: 'The discovery document.', schema: AuthzenConfiguration } },
    errors: ['E4001'],
    handler: () => {
      if (publicUrl === undefined)
        throw new ApiError('E4001', 'The operator has not set CUSTOS_PUBLIC_URL, so there is no discovery document.');
      const body: Static<typeof AuthzenConfiguration> = {
        policy_decision_point: publicUrl,
        access_evaluation_endpoint: `${publicUrl}/access/v1/evaluation`,
        access_evaluations_endpoint: `${publicUrl}/access/v1/evaluations`,
        search_subject_endpoint: `${publicUrl}/access/v1/search/subject`,
        search_action_endpoint: `${publicUrl}/access/v1/search/action`,
        search_resource_endpoint: `${publicUrl}/access/v1/search/resource`,
      };
      return cacheable({ status: 200, text: JSON.stringify(body) }, 'public, max-age=300');
    },
  });
}
