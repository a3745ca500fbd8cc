// Explains a recorded decision: evaluates its stored facts again under the policy set that it names.
import { BoundedCache } from '../../shared/kernel/bounded-cache.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import { unpackRecord } from '../../shared/core/decision/packed-record.ts';
import { unpackFacts } from '../../shared/core/decision/packed-facts.ts';
import { factsDigest } from '../../shared/core/decision/record.ts';
import { meaningOf } from '../../shared/core/decision/approval-bound.ts';
import { parseFacts, same } from '../../shared/core/verification/facts.ts';
import { specialOf } from '../../shared/core/verification/decision.ts';
import { type DecisionBody, readDecisionRecord } from '../../shared/core/verification/record.ts';
import { mayName } from '../../shared/domain/keys/bound.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import type { MissingOpens } from '../../shared/core/policy/combine.ts';
import type { ExplainedRule, Facts } from '../../shared/core/policy/types.ts';
import { createEvaluator, type Evaluator } from '../../shared/core/policy/evaluate.ts';
import { loadCanonicalSet } from '../../shared/core/policy/stored-set.ts';
import { maskArguments, maskedAt } from '../../shared/core/tools/mask.ts';
import { NO_PREVIOUS, sealRecord } from '../../shared/core/proof/record.ts';
import type { DecisionExplanation } from './client/wire/decisions.ts';

type Explained = Extract<DecisionExplanation, { state: 'explained' }>;

const READ =
  'SELECT agent_id, record, facts, facts_salt FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id = $3';
const READ_SET = 'SELECT canonical FROM policy_set_text WHERE digest = $1';

/** Evaluators of sets other than the active one that are cached: a large one takes 50 MB. */
const MAX_SETS = 2;
/** Rules that a page shows, when very many of a set apply. */
const MAX_RULES = 1_000;

interface Row {
  agent_id: string;
  record: Buffer;
  facts: Buffer | null;
  facts_salt: Buffer | null;
}

export interface Explanations {
  /** Undefined: the key may see no such decision. @throws {ApiError} E6002 */
  read(
    key: Pick<AuthenticatedKey, 'organisationId' | 'environment' | 'agentIds'>,
    decisionId: string,
  ): Promise<DecisionExplanation | undefined>;
}

export function createExplanations(deps: {
  readonly db: Database;
  readonly policies: Pick<ActivePolicySet, 'current'>;
}): Explanations {
  const { db, policies } = deps;
  const evaluators = new BoundedCache<Promise<Evaluator | string>>({ max: MAX_SETS });

  /** The evaluator of a stored set, or a sentence that says why there is none. */
  const load = async (digest: string, missingOpens: MissingOpens): Promise<Evaluator | string> => {
    const [row] = await db.query<{ canonical: Buffer }>(READ_SET, [digest]);
    if (row === undefined) return 'The policy set of this decision is not stored.';
    // No text is read: the facts are recorded. Compiling the lexicon would block this process for half a second.
    const loaded = loadCanonicalSet(row.canonical.toString('utf8'), { compileLexicon: () => undefined });
    if (!loaded.ok) return `The policy set of this decision cannot be loaded: ${loaded.findings[0]?.message ?? ''}`;
    if (loaded.set.digest !== digest) return 'The stored policy set has another digest than the decision names.';
    return createEvaluator({ set: loaded.set, memoLimit: 0, missingOpens });
  };
  const evaluatorOf = async (
    organisationId: string,
    digest: string,
    missingOpens: MissingOpens,
  ): Promise<Evaluator | string> => {
    const active = await policies.current(organisationId);
    if (active.set.digest === digest && missingOpens === 'nothing') return active.evaluator;
    const id = `${digest} ${missingOpens}`;
    const cached = evaluators.get(id);
    if (cached !== undefined) return cached;
    const loading = load(digest, missingOpens);
    evaluators.set(id, loading);
    // A failure is not cached: the set may be readable the next time.
    void loading.then(
      (evaluator) => {
        if (typeof evaluator === 'string') evaluators.delete(id);
      },
      () => evaluators.delete(id),
    );
    return loading;
  };

  return {
    async read(key, decisionId) {
      const [row] = await db.query<Row>(READ, [key.organisationId, key.environment, decisionId]);
      if (row === undefined || !mayName(key, row.agent_id)) return undefined;
      if (row.facts === null || row.facts_salt === null) return { state: 'erased' };
      const recorded = readDecisionRecord(sealRecord(unpackRecord(row.record), NO_PREVIOUS));
      if ('why' in recorded) return { state: 'unreadable', sentence: `The record of this decision ${recorded.why}.` };
      const bytes = unpackFacts(row.facts);
      const facts = parseFacts(bytes);
      if (facts === undefined)
        return { state: 'unreadable', sentence: 'The stored facts are not those of a decision.' };
      const evaluator = await evaluatorOf(key.organisationId, recorded.body.policy_set.digest, meaningOf(facts));
      if (typeof evaluator === 'string') return { state: 'unreadable', sentence: evaluator };
      const { evaluation, candidates } = await evaluator.explain(facts);
      const rules = [...candidates].sort((a, b) => Number(b.matched) - Number(a.matched));
      const { body } = recorded;
      return {
        state: 'explained',
        verdict: evaluation.verdict,
        agrees: agrees(evaluation, body),
        special: specialOf(body.reasons)?.kind ?? null,
        factsAsRecorded: factsDigest(row.facts_salt, bytes.toString('utf8')) === body.factsDigest,
        rules: rules.slice(0, MAX_RULES).map(withoutSecrets),
        total: rules.length,
        matched: rules.filter(({ matched }) => matched).length,
        ...shownFacts(facts),
      };
    },
  };
}

function shownFacts({ tool, ...facts }: Facts): Pick<Explained, 'facts' | 'masked'> {
  if (tool === undefined) return { facts, masked: [] };
  const { masked, ...call } = maskArguments(tool.arguments);
  return { facts: { ...facts, tool: { ...tool, ...call } }, masked };
}

/** The rule as it is shown: secrets among the arguments of a tool call are masked. */
function withoutSecrets(rule: ExplainedRule): ExplainedRule {
  const masked = (of: { readonly fact: string; readonly path?: string } | undefined, value: unknown): unknown =>
    of?.fact === 'tool' && of.path?.startsWith('arguments') === true ? maskedAt(of.path, value) : value;
  const conditions = rule.conditions.map((condition) => ({
    ...condition,
    ...('actual' in condition ? { actual: masked(condition, condition.actual) } : {}),
    ...(condition.item === undefined
      ? {}
      : { item: { ...condition.item, actual: masked(condition, condition.item.actual) } }),
    expected: masked(condition.expectedFact, condition.expected),
  }));
  return { ...rule, conditions };
}

function agrees(
  { verdict, reasons, obligations }: { verdict: string; reasons: unknown; obligations: unknown },
  body: DecisionBody,
): boolean {
  return verdict === body.verdict && same(reasons, body.reasons) && same(obligations, body.obligations);
}
