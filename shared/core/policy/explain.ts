// What an evaluation looked at, for people: every rule whose target fits, the values it saw, and why one did not count.
import type { Action } from '../../kernel/vocabulary.ts';
import { explainBudget } from './budget.ts';
import { countedFor, isUnknownCall, type Judgement, type Match } from './combine.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { decidingAlternatives } from './alternatives.ts';
import { explainLeaf } from './normal-form.ts';
import type { CandidateRule, Skipped } from './rule-index.ts';
import type { ExplainedRule } from './types.ts';

/** One meaning with the rules whose targets fit it. */
export interface Inspected extends Judgement {
  readonly action: Action;
  readonly fitting: readonly (CandidateRule | Skipped)[];
}

/** Own rules of an organisation permit nothing. */
function ownNote(type: CompiledRule['effect']['type']): string | undefined {
  if (type === 'DEGRADE') return "adds its obligations and permits nothing: it is one of the organisation's own rules";
  return type === 'ESCALATE'
    ? "asks a human where the installation permits, and permits nothing else: it is one of the organisation's own rules"
    : undefined;
}

function noteOf(candidate: CandidateRule, match: Match | undefined): string | undefined {
  if (match === undefined) return undefined;
  const { type } = candidate.rule.effect;
  if (candidate.rule.isOwn) return ownNote(type);
  if (match.ground === 'missing' && type === 'DEGRADE')
    return 'counts as an ESCALATE that permits nothing, because facts are missing';
  if (match.ground === 'missing' && type === 'ESCALATE')
    return 'permits nothing, also not with an approval: it holds only because facts are missing';
  const isPart = candidate.fit === 'partly' || !match.isWhole;
  if (type === 'ESCALATE' && isPart)
    return 'permits nothing, also not with an approval: it matches a part of what was asked for';
  if (type !== 'DEGRADE') return undefined;
  if (candidate.fit === 'place')
    return 'adds its obligations and permits nothing: it matches only a place that the text names';
  return isPart ? 'adds its obligations and permits nothing: it matches a part of what was asked for' : undefined;
}

/** A rule whose target fits some meaning of an intent, with that meaning. */
interface Seen {
  readonly candidate: CandidateRule | Skipped;
  readonly match: Match | undefined;
  readonly judged: Inspected;
}

/** What says most of a rule: that it holds, else that it was evaluated, else why it was not. */
const sayingMost = ({ candidate, match }: Seen): number => (match !== undefined ? 2 : 'why' in candidate ? 0 : 1);

function unknownNote(seen: readonly Seen[]): string | undefined {
  const adds = ({ candidate, match, judged }: Seen): boolean =>
    match !== undefined && candidate.rule.effect.type === 'DEGRADE' && isUnknownCall(judged.facts);
  return seen.some(adds) ? 'adds its obligations and permits nothing: it is not known what the call does' : undefined;
}

/** What is to be added when a rule that permits does so for some of the meanings. */
function partNote(seen: readonly Seen[], judged: readonly Inspected[]): string | undefined {
  const holding = seen.flatMap(({ match, judged: { action } }) => (match === undefined ? [] : [action]));
  const type = seen[0]?.candidate.rule.effect.type;
  if (type === 'DENY' || holding.length === 0 || holding.length === judged.length) return undefined;
  const actions = (of: readonly Action[]): string => [...new Set(of)].join(', ');
  return `counts for a part of what the intent may mean: for ${actions(holding)} of ${actions(judged.map(({ action }) => action))}; another rule has to permit the rest`;
}

/** What is to be added when a rule that permits does so under one of the two risks only. */
function raisedNote(seen: readonly Seen[]): string | undefined {
  const holding = seen.filter(({ match }) => match !== undefined);
  const type = seen[0]?.candidate.rule.effect.type;
  if (type === 'DENY' || holding.length === 0) return undefined;
  const [raised, alone] = [true, false].map((is) => holding.some(({ judged }) => judged.isRaised === is));
  if (raised === alone) return undefined;
  return raised === true
    ? "counts for the risk with the organisation's own policies; another rule has to permit the risk without them"
    : "counts for the risk without the organisation's own policies; another rule has to permit the risk with them";
}

/** Every rule whose target fits any meaning, once, with the values it saw. */
export function explainRules(inspected: readonly Inspected[]): ExplainedRule[] {
  const isRaised = inspected.some((judged) => judged.isRaised);
  const { isEnough, refusals } = countedFor(inspected);
  const budgetNote = ({ rule }: CandidateRule, match: Match | undefined): string | undefined => {
    if (isEnough || match === undefined || rule.budget === undefined) return undefined;
    const own = refusals.find((reason) => reason.policy === rule.policy && reason.rule === rule.name);
    return `permits nothing: ${(own ?? refusals[0])?.message ?? ''}`;
  };
  const byRule = new Map<CompiledRule, Seen[]>();
  for (const judged of inspected) {
    for (const candidate of judged.fitting) {
      const match = judged.matches.find((other) => other.candidate === candidate);
      const seen = byRule.get(candidate.rule) ?? [];
      byRule.set(candidate.rule, [...seen, { candidate, match, judged }]);
    }
  }
  return [...byRule]
    .sort(([a], [b]) => a.index - b.index)
    .flatMap(([rule, seen]) => {
      const [shown] = seen.toSorted((a, b) => sayingMost(b) - sayingMost(a));
      if (rule.effect.type === 'RISK') throw new Error('a rule of stage intake among those of stage enforce');
      if (shown === undefined) return [];
      const { candidate, match, judged } = shown;
      const note =
        'why' in candidate
          ? candidate.why
          : (unknownNote(seen) ??
            noteOf(candidate, match) ??
            (isRaised ? raisedNote(seen) : partNote(seen, inspected)) ??
            budgetNote(candidate, match));
      const alternatives = 'why' in candidate ? [] : decidingAlternatives(rule.condition, judged.facts);
      return {
        policy: rule.policy,
        rule: rule.name,
        effect: rule.effect.type,
        matched: match !== undefined,
        ...(note === undefined ? {} : { skipped: note }),
        ...(rule.budget === undefined ? {} : { budget: explainBudget(rule.budget, judged.facts) }),
        conditions: rule.leaves.map((leaf) => explainLeaf(leaf, judged.facts)),
        ...(alternatives.length === 0 ? {} : { alternatives }),
      };
    });
}
