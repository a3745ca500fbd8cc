// Parses texts in this process as the service does, and assesses their risk by the intake policies of a policy folder.
import { compileLexicon } from '../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../shared/core/intent/lexicon/types.ts';
import { parseIntent } from '../shared/core/intent/parse.ts';
import type { ParsedIntent } from '../shared/core/intent/types.ts';
import { readingOfParse } from '../shared/domain/decisions/readings.ts';
import { createEvaluator, type Evaluator } from '../shared/core/policy/evaluate.ts';
import { loadPolicySet, type PolicySet } from '../shared/core/policy/load.ts';
import { readPolicyFolder } from '../shared/domain/policy-sets/folder.ts';
import type { Risk, RiskFacts } from '../shared/core/policy/types.ts';
import { effectiveTrust, NO_EVIDENCE } from '../shared/core/trust/score.ts';

/** The parse of a text and its risk. */
export interface ReadText {
  readonly parse: ParsedIntent;
  readonly risk: Risk;
}

export interface IntentReader {
  readonly lexicon: Lexicon;
  read(text: string): Promise<ReadText>;
}

/** A policy folder that can't be used; the message has one line per finding. */
export class PolicyFolderError extends Error {}

const NO_DECISIONS = { ALLOW: 0, DENY: 0, ESCALATE: 0, DEGRADE: 0 };

/** Facts of an unregistered agent without evidence, at a fixed time. */
function factsOf(parse: ParsedIntent): RiskFacts {
  const { alternatives: _, ...read } = parse;
  return {
    intent: readingOfParse(read).unassessed,
    agent: { id: 'unregistered', registered: false, status: 'UNREGISTERED', capabilities: [], tags: [] },
    trust: effectiveTrust({ recordedScore: NO_EVIDENCE.score, uncertainty: NO_EVIDENCE.uncertainty }),
    key: { id: 'measured', bound: false, environment: 'live', tags: [] },
    context: {},
    time: { now: '2026-01-05T12:00:00.000Z', date: '2026-01-05', hour: 12, minute_of_day: 720, weekday: 1 },
    history: { last_60s: NO_DECISIONS, last_1h: NO_DECISIONS, last_24h: NO_DECISIONS },
    organisation: { slug: 'measured' },
    environment: 'live',
  };
}

/** The policy set of a folder, with an evaluator of it. */
export interface FolderSet {
  readonly set: PolicySet<Lexicon>;
  readonly evaluator: Evaluator;
  /** @throws {PolicyFolderError} when a rule could not be evaluated since: the evaluator counts an error as the highest risk and as DENY */
  assertEvaluated(): void;
}

/** @throws {PolicyFolderError} for a folder that holds no valid policy set */
export async function loadFolderSet(folder: string): Promise<FolderSet> {
  const files = await readPolicyFolder(folder).catch((error: unknown) => {
    throw new PolicyFolderError(
      `${folder} cannot be read: ${error instanceof Error ? error.message : 'unknown error'}`,
    );
  });
  const loaded = loadPolicySet(files.policies, files.lexicon, { compileLexicon });
  const findings = [...files.refused, ...(loaded.ok ? [] : loaded.findings)];
  if (!loaded.ok || findings.length > 0) {
    const lines = findings.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`);
    throw new PolicyFolderError(lines.join('\n'));
  }
  let failure: unknown;
  const evaluator = createEvaluator({
    set: loaded.set,
    onError: (error) => {
      failure = error;
    },
  });
  return {
    set: loaded.set,
    evaluator,
    assertEvaluated() {
      if (failure === undefined) return;
      throw new PolicyFolderError(`a rule could not be evaluated: ${failure instanceof Error ? failure.message : ''}`);
    },
  };
}

/** Creates a reader whose methods throw PolicyFolderError for a rule that can't be evaluated. */
export function createIntentReader({ set, evaluator, assertEvaluated }: FolderSet): IntentReader {
  const { lexicon } = set;
  return {
    lexicon,
    async read(text) {
      const parse = parseIntent(text, lexicon);
      const risk = await evaluator.assessRisk(factsOf(parse));
      assertEvaluated();
      return { parse, risk };
    },
  };
}
