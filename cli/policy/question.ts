// A question asked from the command line: its options, and the facts that the service would gather for it.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createReadings, type IntentReading, readingOfParse } from '../../shared/domain/decisions/readings.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import { parseIntent } from '../../shared/core/intent/parse.ts';
import { JsonError, parseJson } from '../../shared/kernel/json.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import { factsOf } from '../../shared/core/policy/testing/facts.ts';
import { type TestAgent, TEST_DEFAULTS } from '../../shared/core/policy/testing/types.ts';
import type { RiskFacts } from '../../shared/core/policy/types.ts';
import { timeOf } from '../../shared/core/policy/values.ts';
import { NO_EVIDENCE } from '../../shared/core/trust/score.ts';
import {
  AGENT_STATUSES,
  type AgentStatus,
  ENVIRONMENTS,
  type Environment,
  TIER_TABLE,
} from '../../shared/kernel/vocabulary.ts';
import { UsageError } from '../frame.ts';

export interface QuestionOptions {
  readonly intent?: string;
  readonly text?: string;
  readonly agent: string;
  readonly registered: boolean;
  readonly status: AgentStatus;
  readonly trustLevel?: number;
  readonly score?: number;
  readonly capability?: readonly string[];
  readonly tag?: readonly string[];
  readonly environment: Environment;
  readonly organisation: string;
  readonly context?: Record<string, unknown>;
  readonly at?: number;
}

/** The most characters of a text that is read, as over HTTP. */
const MAX_TEXT = 10_000;
const TOP_LEVEL = TIER_TABLE.length - 1;

function integer(most: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,4}$/.test(text) || Number(text) > most)
      throw new InvalidArgumentError(`It must be a whole number from 0 to ${most}.`);
    return Number(text);
  };
}

function contextOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof JsonError ? `It is not JSON: ${error.message}.` : String(error));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError('It must be a JSON object, such as \'{"ticket":"OPS-7"}\'.');
  // An object of strict JSON.
  return value as Record<string, unknown>;
}

function instant(text: string): number {
  const time = timeOf(text);
  if (time === undefined) throw new InvalidArgumentError('It must be an RFC 3339 time, such as 2026-03-02T23:30:00Z.');
  return time;
}

const append = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Adds the options of a question to a command. */
export function questionOptions(command: Command): Command {
  return command
    .option('--intent <intent>', 'what is asked for: data.read.user_profile, or delete:db/production/users')
    .option('--text <text>', 'what is asked for, in free text, read as POST /v1/intent reads it')
    .option('--agent <id>', 'who asks', TEST_DEFAULTS.agentId)
    .option('--registered', 'the agent is registered', true)
    .option('--no-registered', 'nobody registered the agent: it never has more than the trust of no evidence')
    .addOption(
      new Option('--status <status>', 'of a registered agent').choices(AGENT_STATUSES).default(AGENT_STATUSES[0]),
    )
    .addOption(
      new Option('--trust-level <level>', `0 to ${TOP_LEVEL}: the lowest score of that level`)
        .argParser(integer(TOP_LEVEL))
        .conflicts('score'),
    )
    .addOption(
      new Option('--score <score>', `trust, 0 to 1000 (default: ${NO_EVIDENCE.score}, no evidence)`).argParser(
        integer(1_000),
      ),
    )
    .option('--capability <name>', 'a capability of the agent; may be repeated', append)
    .option('--tag <name>', 'a tag of the agent; may be repeated', append)
    .addOption(new Option('--environment <environment>', 'of the key that asks').choices(ENVIRONMENTS).default('live'))
    .option('--org, --organisation <slug>', 'who the key belongs to', TEST_DEFAULTS.organisation)
    .addOption(new Option('--context <json>', "the caller's own facts, a JSON object").argParser(contextOf))
    .addOption(new Option('--at <time>', 'when, RFC 3339 (default: now)').argParser(instant));
}

/** @throws {UsageError} */
function readingOf({ intent, text, organisation }: QuestionOptions, set: PolicySet<Lexicon>): IntentReading {
  if (text !== undefined) {
    if (text === '' || text.length > MAX_TEXT) throw new UsageError(`--text must have 1 to ${MAX_TEXT} characters.`);
    return readingOfParse(parseIntent(text, set.lexicon.forOrganisation(organisation)));
  }
  try {
    return createReadings().of({ set, organisation }, intent ?? '', '/intent');
  } catch (error) {
    if (error instanceof ApiError && error.errors !== undefined)
      throw new UsageError(
        `--intent ${error.errors.map(({ message }) => message).join('; ')}. Free text goes to --text.`,
      );
    throw error;
  }
}

/** The facts of a question, all but the risk that policies compute. @throws {UsageError} for an intent that can't be read */
export function factsOfQuestion(options: QuestionOptions, set: PolicySet<Lexicon>, nowMs: number): RiskFacts {
  const { agent: id, registered, status, trustLevel: level, score, capability = [], tag = [] } = options;
  const agent: TestAgent = {
    id,
    registered,
    status,
    capabilities: [...capability],
    tags: [...tag],
    ...(level === undefined ? {} : { level }),
    ...(score === undefined ? {} : { score }),
  };
  return factsOf(readingOf(options, set).unassessed, {
    agent,
    agentName: id,
    environment: options.environment,
    organisation: options.organisation,
    nowMs: options.at ?? nowMs,
    key: {},
    context: options.context ?? {},
    history: undefined,
    claim: undefined,
  });
}
