// Intents: parse free text into a normalized intent, with its risk and a preview of the verdict.
import { ownerOf } from '../../shared/kernel/owner.ts';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import type { Answer, Decider } from '../../shared/domain/decisions/decider.ts';
import type { ParseRow, ParseStore } from '../../shared/domain/decisions/parses.ts';
import { namesOfParse, readingOfParse } from '../../shared/domain/decisions/readings.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { stored } from '../../shared/kernel/recorded-change.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { parseIntent } from '../../shared/core/intent/parse.ts';
import type { ParsedIntent } from '../../shared/core/intent/types.ts';
import { assertMayName, mayName } from '../../shared/domain/keys/bound.ts';
import { Intent, type IntentBody, IntentIdParams, IntentRequest } from '../../shared/api/intent.ts';
import { defineRoute, type Route } from '../route.ts';
import { storeOnce } from './store-once.ts';

export interface IntentDeps {
  readonly policies: Pick<ActivePolicySet, 'current'>;
  readonly parses: ParseStore;
  readonly decider: Decider;
}

interface Identity {
  readonly intentId: string;
  readonly agentId: string;
  readonly policyDigest: string;
}

function bodyOf(parse: ParsedIntent, answer: Answer, { intentId, agentId, policyDigest }: Identity): IntentBody {
  const { trust, intent, time } = answer.facts;
  return {
    intent_id: intentId,
    agent_id: agentId,
    normalized: parse.normalized,
    domain: parse.domain,
    action: parse.action,
    verb: parse.verb,
    object: parse.object,
    places: parse.places,
    effect: parse.effect,
    traits: parse.traits,
    extent: parse.extent,
    confidence: parse.confidence,
    alternatives: parse.alternatives,
    entities: parse.entities,
    data_classes: parse.data_classes,
    flags: parse.flags,
    risk: intent.risk,
    trust: { claimed: trust.claimed, recorded: trust.recorded, effective: { score: trust.score, level: trust.level } },
    verdict_preview: answer.evaluation.verdict,
    policy_set: { digest: policyDigest },
    created_at: time.now,
  };
}

export function intentRoutes(deps: IntentDeps): Route[] {
  const { policies, parses, decider } = deps;
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/intent',
      operationId: 'parseIntent',
      access: ['intents:write'],
      tag: 'Intents',
      summary: 'Parse free text into a normalized intent',
      description:
        'The result is stored; its intent_id can be enforced for 15 minutes. During that time, enforcing its normalized string takes the parse into account, with or without the intent_id. trust_score is a claim and can only lower the recorded score. Nothing that the text asks for is done, and verdict_preview is not a decision.',
      request: { body: IntentRequest },
      responses: { 200: { description: 'The parse, with its risk.', schema: Intent } },
      errors: ['E6002'],
      idempotent: true,
      handler: async (request) => {
        const { key, body } = request;
        assertMayName(key, body.agent_id, '/agent_id');
        const active = await policies.current(key.organisationId);
        const lexicon = active.set.lexicon.forOrganisation(key.organisationSlug);
        const parse = parseIntent(body.raw_intent, lexicon);
        const answer = await decider.answer({
          active,
          key,
          agentId: body.agent_id,
          reading: readingOfParse(parse),
          context: body.context,
          claimedScore: body.trust_score,
          address: request.address,
        });
        const intentId = newId('int', answer.nowMs);
        const text = JSON.stringify(
          bodyOf(parse, answer, { intentId, agentId: body.agent_id, policyDigest: active.set.digest }),
        );
        const row: ParseRow = {
          intentId,
          ...ownerOf(key),
          agentId: body.agent_id,
          keyId: key.keyId,
          normalized: parse.normalized,
          createdAtMs: answer.nowMs,
          answer: text,
          rawIntent: body.raw_intent,
          names: namesOfParse(parse, lexicon),
          reading: parse,
        };
        return storeOnce(request, parses, row, { status: 200, text, change: stored('parsed intent', [intentId]) });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/intent/{id}',
      operationId: 'getParsedIntent',
      access: ['intents:write'],
      tag: 'Intents',
      summary: 'Read a parse again',
      description: 'As it was answered, while it is kept.',
      request: { params: IntentIdParams },
      responses: { 200: { description: 'The parse as it was answered.', schema: Intent } },
      errors: ['E4001'],
      handler: async ({ key, params }) => {
        const parse = await parses.read(key, params.id);
        if (parse === undefined || !mayName(key, parse.agentId)) {
          throw new ApiError('E4001', 'There is no such parse in this organisation and environment.');
        }
        return { status: 200, text: parse.answer };
      },
    }),
  ];
}
