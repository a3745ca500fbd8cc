// The difference between a policy set and a draft: decisions before and after, counted and listed. Deterministic and pure.
import { canonicalize } from '../proof/canonical.ts';
import { type Verdict, VERDICTS } from '../../kernel/vocabulary.ts';
import { SEVERITY } from './compile.ts';
import type {
  Change,
  Compared,
  DifferenceLimits,
  DifferenceReport,
  Example,
  NotEvaluable,
  Said,
} from './difference-types.ts';
import { byText } from '../../kernel/order.ts';
import { type Counts, createTally, type TallyState } from './tally.ts';
import type { Evaluation } from './types.ts';

export const REPORT_LIMITS: DifferenceLimits = { counted: 20_000, shown: 100, examples: 20 };

/** Plain JSON, from which a later run continues. */
export interface DifferenceState {
  readonly counts: Counts;
  readonly transitions: TallyState;
  readonly rules: TallyState;
  readonly agents: TallyState;
  readonly resources: TallyState;
  readonly environments: TallyState;
  readonly examples: readonly Example[];
}

export interface Difference {
  add(compared: Compared): void;
  addStanding(): void;
  addNotEvaluable(why: NotEvaluable): void;
  state(): DifferenceState;
  report(): DifferenceReport;
}

const MAX_REASONS = 5;
/** Examples of one transition with the same reasons before and after; the limit leaves room for rarer changes. */
const MAX_ALIKE = 5;

/** Whether two evaluations are equal in everything that is recorded. */
export function isSame(before: Evaluation, after: Evaluation): boolean {
  return (['verdict', 'reasons', 'obligations'] as const).every((member) => sameJson(before[member], after[member]));
}

function sameJson(a: unknown, b: unknown): boolean {
  return canonicalize(a) === canonicalize(b);
}

/** -1 when the draft is looser, 1 when it is stricter. */
function directionOf(from: Verdict, to: Verdict): number {
  return Math.sign(SEVERITY.indexOf(from) - SEVERITY.indexOf(to));
}

function changeOf(counts: Counts): Change {
  const { decisions = 0, stricter = 0, looser = 0 } = counts;
  return { decisions, stricter, looser };
}

function saidOf({ verdict, reasons, obligations }: Evaluation): Said {
  return { verdict, reasons: reasons.slice(0, MAX_REASONS), obligations };
}

function ruleKeys({ reasons }: Evaluation): Map<string, readonly string[]> {
  return new Map(
    reasons.map(({ policy, rule, effect }) => [JSON.stringify([policy, rule, effect]), [policy, rule, effect]]),
  );
}

/** Both verdicts and the rules that led to them. */
function reasonsOf({ before, after }: Example): string {
  const rules = (said: Said): string[] => said.reasons.map(({ policy, rule }) => `${policy}/${rule}`);
  return JSON.stringify([before.verdict, rules(before), after.verdict, rules(after)]);
}

/** Groups examples: another one of the same kind would show nothing new. */
function kindOf(example: Example): string {
  const { organisation, environment, agentId, resource, tool } = example;
  return JSON.stringify([organisation, environment, agentId, resource, tool, reasonsOf(example)]);
}

/** @param state of an earlier difference with the same limits, to continue from */
export function createDifference(limits: DifferenceLimits = REPORT_LIMITS, state?: DifferenceState): Difference {
  const counts: Counts = { ...state?.counts };
  const tally = (name: Exclude<keyof DifferenceState, 'counts' | 'examples'>) =>
    createTally(limits.counted, state?.[name]);
  const [transitions, rules, agents] = [tally('transitions'), tally('rules'), tally('agents')];
  const [resources, environments] = [tally('resources'), tally('environments')];
  const examples: Example[] = [...(state?.examples ?? [])];
  const kinds = new Map<string, Set<string>>();
  const transitionOf = (from: Verdict, to: Verdict): string => `${from} ${to}`;
  const kindsOf = (transition: string): Set<string> => {
    const known = kinds.get(transition) ?? new Set();
    kinds.set(transition, known);
    return known;
  };
  const alike = new Map<string, number>();
  const keep = (example: Example): void => {
    kindsOf(transitionOf(example.before.verdict, example.after.verdict)).add(kindOf(example));
    alike.set(reasonsOf(example), (alike.get(reasonsOf(example)) ?? 0) + 1);
  };
  for (const example of examples) keep(example);
  const count = (name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
  const counted = (name: string): number => counts[name] ?? 0;

  const keepExample = ({ before, after, ...compared }: Compared): void => {
    const known = kindsOf(transitionOf(before.verdict, after.verdict));
    if (known.size >= limits.examples) return;
    const example: Example = { ...compared, before: saidOf(before), after: saidOf(after) };
    const kind = kindOf(example);
    if (known.has(kind) || (alike.get(reasonsOf(example)) ?? 0) >= MAX_ALIKE) return;
    keep(example);
    examples.push(example);
  };

  return {
    add(compared) {
      const { before, after, differs, organisation, environment, agentId, resource } = compared;
      count('total');
      count('evaluated');
      if (differs.length === 0) {
        if (!sameJson(before.reasons, after.reasons)) count('otherReasons');
        return;
      }
      const direction = directionOf(before.verdict, after.verdict);
      const names = ['decisions', ...(direction > 0 ? ['stricter'] : direction < 0 ? ['looser'] : [])];
      for (const name of names) count(name);
      if (direction === 0) for (const aspect of differs) count(aspect);
      transitions.add([before.verdict, after.verdict], 'decisions');
      agents.add([organisation, environment, agentId], ...names);
      resources.add([resource], ...names);
      environments.add([organisation, environment], ...names);
      const [old, now] = [ruleKeys(before), ruleKeys(after)];
      for (const [key, parts] of now) if (!old.has(key)) rules.add(parts, 'newly');
      for (const [key, parts] of old) if (!now.has(key)) rules.add(parts, 'noLonger');
      keepExample(compared);
    },
    addStanding() {
      count('total');
      count('standing');
    },
    addNotEvaluable(why) {
      count('total');
      count(why);
    },
    state: () => ({
      counts: { ...counts },
      transitions: transitions.state(),
      rules: rules.state(),
      agents: agents.state(),
      resources: resources.state(),
      environments: environments.state(),
      examples: [...examples],
    }),
    report() {
      // Where a part of a key is taken as a verdict, add() wrote one.
      const weight = ({ decisions = 0 }: Counts): number => decisions;
      const rank = (verdict: Verdict): number => VERDICTS.indexOf(verdict);
      const [factsErased, damaged, notReproduced] = [
        counted('factsErased'),
        counted('damaged'),
        counted('notReproduced'),
      ];
      return {
        decisions: {
          total: counted('total'),
          evaluated: counted('evaluated'),
          standing: counted('standing'),
          notEvaluable: { total: factsErased + damaged + notReproduced, factsErased, damaged, notReproduced },
        },
        changed: {
          ...changeOf(counts),
          obligations: counted('obligations'),
          approvers: counted('approvers'),
          ttl: counted('ttl'),
          budgets: counted('budgets'),
        },
        otherReasons: counted('otherReasons'),
        transitions: transitions
          .table(Number.POSITIVE_INFINITY, weight, ([from, to], { decisions = 0 }) => ({
            from: from as Verdict,
            to: to as Verdict,
            decisions,
          }))
          .items.toSorted((a, b) => rank(a.from) - rank(b.from) || rank(a.to) - rank(b.to)),
        rules: rules.table(
          limits.shown,
          ({ newly = 0, noLonger = 0 }) => newly + noLonger,
          ([policy = '', rule = '', effect], { newly = 0, noLonger = 0 }) => ({
            policy,
            rule,
            effect: effect as Verdict,
            newly,
            noLonger,
          }),
        ),
        agents: agents.table(limits.shown, weight, ([organisation = '', environment = '', agentId = ''], counts) => ({
          organisation,
          environment,
          agentId,
          ...changeOf(counts),
        })),
        resources: resources.table(limits.shown, weight, ([resource = ''], counts) => ({
          resource,
          ...changeOf(counts),
        })),
        environments: environments.table(limits.shown, weight, ([organisation = '', environment = ''], counts) => ({
          organisation,
          environment,
          ...changeOf(counts),
        })),
        examples: examples.toSorted(
          (a, b) =>
            rank(a.before.verdict) - rank(b.before.verdict) ||
            rank(a.after.verdict) - rank(b.after.verdict) ||
            byText(a.decisionId, b.decisionId),
        ),
      };
    },
  };
}
