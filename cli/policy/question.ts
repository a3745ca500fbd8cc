// A question asked from the command line: its options, and the facts that the service would gather for it.
import { type Command, Option } from '@commander-js/extra-typings';
import { createReadings, type IntentReading, readingOfParse } from '../../shared/domain/decisions/readings.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { Evidence } from '../../shared/core/intent/attack/learned.ts';
import { takeoverOf } from '../../shared/core/intent/attack/takeover.ts';
import { plainText } from '../../shared/core/intent/text/text.ts';
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import { assessIntent, parseIntent } from '../../shared/core/intent/parse.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import { factsOf } from '../../shared/core/policy/testing/facts.ts';
import { TEST_DEFAULTS } from '../../shared/core/policy/testing/defaults.ts';
import type { TestAgent } from '../../shared/core/policy/testing/schema-parts.ts';
import type { RiskFacts } from '../../shared/core/policy/types.ts';
import { NO_EVIDENCE } from '../../shared/core/trust/score.ts';
import { AGENT_STATUSES, TIER_TABLE } from '../../shared/kernel/vocabulary.ts';
import { UsageError } from '../exit.ts';
import { collect, environmentOption, jsonObject, timeMs, wholeNumber } from '../options.ts';
import { readingOfCall, toolCallOf } from './tool-call.ts';

/** Limit on the characters of a text, as over HTTP. */
const MAX_TEXT = 10_000;
const TOP_LEVEL = TIER_TABLE.length - 1;

/** Adds the options of a question to a command. */
export function addQuestionOptions(command: Command) {
  return command
    .option('--intent <intent>', 'the intent: data.read.user_profile, or delete:db/production/users')
    .option('--text <text>', 'the intent in free text, read as POST /v1/intent reads it')
    .option(
      '--tool <json>',
      'a tool call as POST /v1/enforce takes it, a JSON object, or @file',
      jsonObject('{"server":"filesystem","name":"read_file","arguments":{"path":"/srv/a"}}'),
    )
    .option('--agent <id>', 'the agent', TEST_DEFAULTS.agentId)
    .option('--registered', 'the agent is registered', true)
    .option('--no-registered', 'the agent is not registered: it never has more trust than an agent without evidence')
    .addOption(
      new Option('--status <status>', 'of a registered agent').choices(AGENT_STATUSES).default(AGENT_STATUSES[0]),
    )
    .addOption(
      new Option('--trust-level <level>', `0 to ${TOP_LEVEL}; stands for the lowest score of that level`)
        .argParser(wholeNumber(0, TOP_LEVEL))
        .conflicts('score'),
    )
    .option('--score <score>', `trust, 0 to 1000 (default: ${NO_EVIDENCE.score}, no evidence)`, wholeNumber(0, 1_000))
    .option('--capability <name>', 'a capability of the agent; may be repeated', collect)
    .option('--tag <name>', 'a tag of the agent; may be repeated', collect)
    .option('--attributes <json>', 'attributes of the agent, a JSON object, or @file', jsonObject('{"team":"finance"}'))
    .option('--address <address>', 'the IP address of the client')
    .option('--key-tag <name>', 'a tag of the key; may be repeated', collect)
    .addOption(environmentOption('the environment of the key').default('live' as const))
    .option('--org, --organisation <slug>', 'the organisation of the key', TEST_DEFAULTS.organisation)
    .option('--context <json>', "the caller's own facts, a JSON object, or @file", jsonObject('{"ticket":"OPS-7"}'))
    .option('--at <time>', 'the time of the question, RFC 3339 (default: now)', timeMs);
}

export type QuestionOptions = ReturnType<ReturnType<typeof addQuestionOptions>['opts']>;

/** @throws {UsageError} */
function readingOf({ intent, text, tool, organisation }: QuestionOptions, set: PolicySet<Lexicon>): IntentReading {
  if (tool !== undefined) return readingOfCall(toolCallOf(tool, '--tool'), { set, organisation }, '--tool');
  if (text !== undefined) {
    if (text === '' || text.length > MAX_TEXT) throw new UsageError(`--text must have 1 to ${MAX_TEXT} characters.`);
    return readingOfParse(parseIntent(text, set.lexicon.forOrganisation(organisation)));
  }
  try {
    return createReadings().of({ set, organisation }, intent ?? '', '/intent');
  } catch (error) {
    if (error instanceof ApiError && error.errors !== undefined)
      throw new UsageError(
        `--intent ${error.errors.map(({ message }) => message).join('; ')}. Use --text for free text.`,
      );
    throw error;
  }
}

/** The words by which the learned weights take the text of a question for an injection. */
export function evidenceOfQuestion(
  { text, organisation }: QuestionOptions,
  set: PolicySet<Lexicon>,
): readonly Evidence[] {
  if (text === undefined) return [];
  const lexicon = set.lexicon.forOrganisation(organisation);
  const plain = plainText(text, (word) => lexicon.verbs.has(word) || lexicon.commands.has(word));
  return takeoverOf(plain.text.trim(), lexicon).evidence;
}

/** The words by which the learned weights tell of harm that the reading of the text does not tell. */
export function hiddenHarmOf({ text, organisation }: QuestionOptions, set: PolicySet<Lexicon>): readonly string[] {
  if (text === undefined) return [];
  const { harm } = assessIntent(text, set.lexicon.forOrganisation(organisation));
  return (harm?.evidence ?? []).map(({ word }) => word);
}

/** The facts of a question, without the risk, which policies compute. @throws {UsageError} for an intent that can't be read */
export function factsOfQuestion(options: QuestionOptions, set: PolicySet<Lexicon>, nowMs: number): RiskFacts {
  const { agent: id, registered, status, trustLevel: level, score, capability = [], tag = [], keyTag = [] } = options;
  const { attributes, address } = options;
  const agent: TestAgent = {
    id,
    registered,
    status,
    capabilities: [...capability],
    tags: [...tag],
    ...(attributes === undefined ? {} : { attributes }),
    ...(level === undefined ? {} : { level }),
    ...(score === undefined ? {} : { score }),
  };
  const { unassessed, call } = readingOf(options, set);
  const setting = {
    agent,
    agentName: id,
    environment: options.environment,
    organisation: options.organisation,
    nowMs: options.at ?? nowMs,
    key: { tags: [...keyTag] },
    ...(address === undefined ? {} : { client: { address } }),
    registry: set.registry,
    context: options.context ?? {},
    history: undefined,
    budgets: undefined,
    claim: undefined,
  };
  return factsOf(unassessed, setting, call?.facts);
}
