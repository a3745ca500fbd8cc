// Parses the facts of a recorded decision and compares them with every member of the answer that repeats them.
import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { guardOf } from '../../kernel/compile-schema.ts';
import { closed, JsonObject, Nullable } from '../../kernel/schema.ts';
import { timeFactsOf } from '../policy/time.ts';
import type { Facts } from '../policy/types.ts';
import { canonicalize } from '../proof/canonical.ts';
import { argumentsDigest, toolMember } from '../tools/call.ts';
import { effectiveTrust } from '../trust/score.ts';
import { intentMember } from '../decision/record.ts';
import { fail, type Report } from './failures.ts';
import type { DecisionRecord } from './record.ts';

/** The facts as stored in the decision's row. */
export interface StoredFacts {
  /** JCS of all facts, UTF-8. */
  readonly text: Uint8Array;
  /** 16 bytes. */
  readonly salt: Uint8Array;
}

const SALT_BYTES = 16;
const Any = Type.Unknown();
const Scored = { level: Type.Number(), score: Type.Number() };

/** The members that verification itself reads; if another one is malformed, the evaluator answers DENY. */
const FactsSchema = closed({
  agent: closed({
    id: Any,
    registered: Type.Boolean(),
    status: Any,
    capabilities: Any,
    tags: Any,
    attributes: Type.Optional(JsonObject()),
  }),
  budgets: Type.Optional(
    Type.Record(
      Type.String(),
      closed({ amount: Type.Number(), limit: Type.Number(), used: Type.Number(), window: Type.String() }),
    ),
  ),
  client: Type.Optional(closed({ address: Any })),
  context: JsonObject(),
  environment: Type.String(),
  history: closed({ last_60s: Any, last_1h: Any, last_24h: Any }),
  intent: Type.Object({ risk: JsonObject() }),
  key: closed({ id: Any, bound: Any, environment: Any, tags: Type.Optional(Any) }),
  organisation: closed({ slug: Any }),
  resource: Type.Optional(closed({ attributes: JsonObject(), varies: Type.Optional(Any) })),
  time: closed({ now: Any, date: Any, hour: Any, minute_of_day: Any, weekday: Any }),
  tool: Type.Optional(Type.Object({ arguments: JsonObject() })),
  trust: closed({
    ...Scored,
    uncertainty: Type.Number(),
    recorded: closed(Scored),
    claimed: Nullable(closed(Scored)),
  }),
});
const hasFactsMembers = guardOf(FactsSchema);
const isFacts = (value: unknown): value is Facts => hasFactsMembers(value);

/** Parses the facts and compares them with the record's factsDigest. @returns undefined when they are not facts at all */
export function readFacts({ text, salt }: StoredFacts, { body }: DecisionRecord, report: Report): Facts | undefined {
  const digest = createHash('sha256').update(salt).update(text).digest('hex');
  if (salt.length !== SALT_BYTES || digest !== body.factsDigest)
    fail(
      report,
      'FACTS_DIGEST',
      `Facts and salt have the digest ${digest}, not ${body.factsDigest} as recorded: one of them was changed.`,
    );
  const facts = parseFacts(text);
  if (facts === undefined)
    fail(report, 'FACTS_NOT_CANONICAL', 'The facts are not canonical JSON (RFC 8785) of exactly the members of facts.');
  return facts;
}

/** @returns undefined when the bytes are not canonical JSON with exactly the members of facts */
export function parseFacts(bytes: Uint8Array): Facts | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    // JSON.parse accepts duplicate members and unusual numbers; serializing again reveals them.
    const value: unknown = JSON.parse(text);
    return canonicalize(value) === text && isFacts(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Compares every member of the answer that repeats a fact, and facts that repeat each other. */
export function checkAgreement(facts: Facts, { record, body }: DecisionRecord, report: Report): void {
  const { agent, key, time, trust } = facts;
  const expected: readonly (readonly [name: string, said: unknown, known: unknown])[] = [
    ['agent_id', body.agent_id, agent.id],
    ['key_id', body.key_id, key.id],
    ['evaluated_at', body.evaluated_at, time.now],
    ['environment', record.payload.environment, facts.environment],
    ['environment', record.payload.environment, key.environment],
    ['organisation', record.payload.organisation, facts.organisation.slug],
    ...Object.entries(withoutUndefined(intentMember(facts.intent))).map(
      ([name, known]) => [`intent.${name}`, memberOf(body.intent, name), known] as const,
    ),
    ['intent', Object.keys(body.intent ?? {}).sort(), Object.keys(withoutUndefined(intentMember(facts.intent))).sort()],
    ['tool', body.tool, facts.tool && toolMember(facts.tool)],
    ['tool.arguments_digest', facts.tool?.arguments_digest, facts.tool && argumentsDigest(facts.tool.arguments)],
    ['trust.score', body.trust.score, trust.recorded.score],
    ['trust.uncertainty', body.trust.uncertainty, trust.uncertainty],
    ['trust.effective_level', body.trust.effective_level, trust.level],
    ['trust.recorded_level', body.trust.recorded_level, trust.recorded.level],
    ['trust.claimed_level', body.trust.claimed_level, trust.claimed?.level ?? null],
    ['trust.as_of.day', body.trust.as_of.day, time.date],
  ];
  for (const [name, said, known] of expected) {
    if (!same(said, known))
      fail(report, 'FACTS_DISAGREE', `The answer has ${name} ${shown(said)}; the facts say ${shown(known)}.`);
  }
  if (agent.registered !== (agent.status !== 'UNREGISTERED'))
    fail(
      report,
      'FACTS_DISAGREE',
      `The facts say that the agent is registered: ${agent.registered}, and that it is ${agent.status}.`,
    );
  const clock = timeFactsOf(Date.parse(body.evaluated_at));
  if (!same(time, clock))
    fail(report, 'FACTS_DISAGREE', `The facts' time is ${shown(time)}; evaluated_at makes it ${shown(clock)}.`);
  const effective = effectiveTrust({
    recordedScore: trust.recorded.score,
    uncertainty: trust.uncertainty,
    claimedScore: trust.claimed?.score,
  });
  if (!same(trust, effective))
    fail(
      report,
      'EFFECTIVE_TRUST_WRONG',
      `The facts' trust is ${shown(trust)}; recorded and claimed score make it ${shown(effective)}.`,
    );
}

/** A missing fact is absent from the answer, too. */
function withoutUndefined(value: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

/** Returns a member of an object; undefined for any other value. */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Whether two JSON values, or two missing ones, are equal. */
export function same(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonicalize(a) === canonicalize(b);
}

const SHOWN = 200;

/** Formats a value for a message, shortened when it is long. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = canonicalize(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
}
