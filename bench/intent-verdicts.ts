// The verdicts of the shipped policies on a text, in this process, by the service's own decider: for a trusted agent in `live`.
import { createRegistry } from '../shared/core/resources/registry.ts';
import { type AssessedParse, assessIntent } from '../shared/core/intent/parse.ts';
import type { ParsedIntent } from '../shared/core/intent/types.ts';
import { canonicalize } from '../shared/core/proof/canonical.ts';
import type { ToolCall } from '../shared/core/tools/call.ts';
import { NOTHING_RECORDED } from '../shared/core/trust/recorded.ts';
import type { AgentState } from '../shared/domain/agents/agents.ts';
import { createHistory } from '../shared/domain/agents/history.ts';
import { createDecider, type Question } from '../shared/domain/decisions/decider.ts';
import { createReadings, type IntentReading, readingOfParse } from '../shared/domain/decisions/readings.ts';
import { withNamedParse } from '../shared/domain/decisions/recent-parses.ts';
import { ApiError } from '../shared/kernel/errors.ts';
import type { Verdict } from '../shared/kernel/vocabulary.ts';
import type { FolderSet } from './intent-reader.ts';

/** A verdict, or REFUSED for a string that `POST /v1/enforce` answers with an error. */
export type Outcome = Verdict | 'REFUSED';

/** The answers about one text. */
export interface TextVerdicts {
  readonly parse: ParsedIntent;
  /** `verdict_preview` of `POST /v1/intent`. */
  readonly preview: Outcome;
  /** `POST /v1/enforce` with the normalized string and the `intent_id`. */
  readonly byParse: Outcome;
  /** `POST /v1/enforce` with the normalized string alone, by an agent that has parsed nothing. */
  readonly byString: Outcome;
  /** What the reading was made from; absent when the parse was given. */
  readonly assessed?: AssessedParse;
  /** Codes of the reasons of `byParse`. */
  readonly reasons: readonly string[];
}

export interface VerdictReader {
  verdictsOf(text: string): Promise<TextVerdicts>;
  verdictsOfParse(parse: ParsedIntent): Promise<TextVerdicts>;
  /** `POST /v1/enforce` with a tool call. */
  verdictOfCall(call: ToolCall): Promise<Outcome>;
}

/** Level 4. */
export const TRUSTED_SCORE = 700;
const UNCERTAINTY = 0.25;
const NOW_MS = Date.parse('2026-01-05T12:00:00.000Z');
const AGENT = 'measured';
const ORGANISATION = 'measured';

const KEY: Question['key'] = {
  keyId: 'AAAAAAAA',
  lineage: 'AAAAAAAA',
  organisationId: ORGANISATION,
  organisationSlug: ORGANISATION,
  environment: 'live',
  agentIds: null,
  tags: [],
};

/** A registered, active agent without recent decisions. */
function trustedAgent(): AgentState {
  const facts: AgentState['facts'] = { id: AGENT, registered: true, status: 'ACTIVE', capabilities: [], tags: [] };
  const trust = { ...NOTHING_RECORDED, signals: 1, on: () => ({ score: TRUSTED_SCORE, uncertainty: UNCERTAINTY }) };
  return { facts, canonical: canonicalize(facts), history: createHistory(), trust };
}

/** Creates a reader whose methods throw PolicyFolderError for a rule that can't be evaluated. */
export function createVerdictReader({ set, evaluator, assertEvaluated }: FolderSet): VerdictReader {
  const active = { set, evaluator, activatedAt: new Date(NOW_MS) };
  const agent = trustedAgent();
  const registry = createRegistry([]);
  const readings = createReadings();
  const decider = createDecider({
    hasSecondReader: false,
    changes: { ensureFresh: () => undefined },
    agents: { get: () => agent, count: () => undefined },
    resources: { get: () => registry },
    halts: { get: () => undefined },
    nowMs: () => NOW_MS,
  });

  const evaluate = async (reading: IntentReading): Promise<{ outcome: Outcome; reasons: readonly string[] }> => {
    const { evaluation } = await decider.answer({ active, key: KEY, agentId: AGENT, reading, context: undefined });
    assertEvaluated();
    return { outcome: evaluation.verdict, reasons: evaluation.reasons.map(({ code }) => code) };
  };

  /** @returns undefined for a string that is no intent */
  const stringReading = (normalized: string): IntentReading | undefined => {
    try {
      return readings.of({ set, organisation: ORGANISATION }, normalized, '/intent');
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  };

  const verdictsOfParse = async (parse: ParsedIntent): Promise<TextVerdicts> => {
    const named = readingOfParse(parse);
    const own = stringReading(parse.normalized);
    const preview = (await evaluate(named)).outcome;
    if (own === undefined) return { parse, preview, byParse: 'REFUSED', byString: 'REFUSED', reasons: [] };
    const { outcome: byParse, reasons } = await evaluate(withNamedParse(own, named));
    return { parse, preview, byParse, byString: (await evaluate(own)).outcome, reasons };
  };

  const verdictsOf = async (text: string): Promise<TextVerdicts> => {
    const assessed = assessIntent(text, set.lexicon);
    return { ...(await verdictsOfParse(assessed.parse)), assessed };
  };
  const verdictOfCall = async (call: ToolCall): Promise<Outcome> =>
    (await evaluate(readings.ofTool({ set, organisation: ORGANISATION }, call, '/tool'))).outcome;

  return { verdictsOfParse, verdictsOf, verdictOfCall };
}
