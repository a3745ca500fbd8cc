// Intents: parse free text into a normalized intent, with its risk and a preview of the verdict.
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import type { Answer, Decider, Question } from '../../shared/domain/decisions/decider.ts';
import type { ParseRow, ParseStore } from '../../shared/domain/decisions/parses.ts';
import { namesOfParse, readingOfParse } from '../../shared/domain/decisions/readings.ts';
import type { ReadAgain, SecondReader } from '../../shared/domain/second-reader/reader.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { stored } from '../../shared/kernel/recorded-change.ts';
import { permits } from '../../shared/kernel/vocabulary.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { parseIntent } from '../../shared/core/intent/parse.ts';
import type { Raised } from '../../shared/core/intent/second-reading.ts';
import type { ParsedIntent } from '../../shared/core/intent/types.ts';
import { assertMayName, mayName } from '../../shared/domain/keys/bound.ts';
import { IdParams } from '../../shared/api/common.ts';
import { Intent, type IntentBody, IntentRequest } from '../../shared/api/intent.ts';
import { defineRoute, type Route } from '../route.ts';
import { storeOnce } from './store-once.ts';

export interface IntentDeps {
  readonly policies: Pick<ActivePolicySet, 'current'>;
  readonly parses: ParseStore;
  readonly decider: Decider;
  /** Absent: not configured. */
  readonly secondReader?: Pick<SecondReader, 'readAgain'> | undefined;
}

interface Identity {
  readonly intentId: string;
  readonly agentId: string;
  readonly policyDigest: string;
}

/** A parse and its answer; read a second time where the first answer permits. */
interface Read extends Partial<Omit<ReadAgain, 'parse'>> {
  readonly parse: ParsedIntent;
  readonly answer: Answer;
}

/** `effect destructive`, `trait external` */
const raisedTexts = ({ effect, action, traits = [], data_classes = [], flags = [] }: Raised): string[] => [
  ...(effect === undefined ? [] : [`effect ${effect}`]),
  ...(action === undefined ? [] : [`action ${action}`]),
  ...traits.map((trait) => `trait ${trait}`),
  ...data_classes.map((dataClass) => `data class ${dataClass}`),
  ...flags.map((flag) => `flag ${flag}`),
];

function secondReadingMembers({ parse, raised = {}, why }: Read): Partial<IntentBody> {
  if (parse.second_reading === undefined) return {};
  const texts = raisedTexts(raised);
  return {
    second_reading: parse.second_reading,
    ...(why === undefined ? {} : { second_reading_why: why }),
    ...(texts.length === 0 ? {} : { second_reading_raised: texts }),
  };
}

function bodyOf(read: Read, { intentId, agentId, policyDigest }: Identity): IntentBody {
  const { parse, answer } = read;
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
    coverage: parse.coverage,
    unread: parse.unread,
    alternatives: parse.alternatives,
    entities: parse.entities,
    data_classes: parse.data_classes,
    flags: parse.flags,
    ...(parse.harmless === true ? { harmless: true } : {}),
    ...secondReadingMembers(read),
    risk: intent.risk,
    trust: { claimed: trust.claimed, recorded: trust.recorded, effective: { score: trust.score, level: trust.level } },
    verdict_preview: answer.evaluation.verdict,
    policy_set: { digest: policyDigest },
    created_at: time.now,
  };
}

export function intentRoutes(deps: IntentDeps): Route[] {
  const { policies, parses, decider, secondReader } = deps;

  /** Only where the rules alone permit: the second reader can change nothing else. */
  const readOf = async (question: Omit<Question, 'reading'>, text: string, parse: ParsedIntent): Promise<Read> => {
    const answer = await decider.answer({ reading: readingOfParse(parse), ...question });
    if (secondReader === undefined || !permits(answer.evaluation.verdict)) return { parse, answer };
    const again = await secondReader.readAgain(question.key.organisationId, text, parse);
    return { ...again, answer: await decider.answer({ reading: readingOfParse(again.parse), ...question }) };
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/intent',
      operationId: 'parseIntent',
      access: ['intents:write'],
      tag: 'Intents',
      summary: 'Parse free text into a normalized intent',
      description:
        'The result is stored and counts for 15 minutes when its normalized string is enforced, with or without the intent_id.',
      request: { body: IntentRequest },
      responses: { 200: { description: 'The parse, with its risk.', schema: Intent } },
      errors: ['E6002'],
      idempotent: true,
      handler: async (request) => {
        const { key, body } = request;
        assertMayName(key, body.agent_id, '/agent_id');
        const active = await policies.current(key.organisationId);
        const lexicon = active.set.lexicon.forOrganisation(key.organisationSlug);
        const question = {
          active,
          key,
          agentId: body.agent_id,
          context: body.context,
          claimedScore: body.trust_score,
          address: request.address,
        };
        const read = await readOf(question, body.raw_intent, parseIntent(body.raw_intent, lexicon));
        const { parse, answer } = read;
        const intentId = newId('int', answer.nowMs);
        const text = JSON.stringify(
          bodyOf(read, { intentId, agentId: body.agent_id, policyDigest: active.set.digest }),
        );
        const row: ParseRow = {
          intentId,
          organisationId: key.organisationId,
          environment: key.environment,
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
      description: 'As it was answered.',
      request: { params: IdParams },
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
