// The bound on the comparisons of one question: patterns, globs and the items of lists share a number of steps, counted and not timed, so
// that a replay and a verification give the result of the decision.
import type { ComparisonOutcome } from './comparisons.ts';
import { MAX_STEPS, type Operator } from './operator.ts';

/**
 * Steps of all comparisons of one question in one stage: those of the installation's rules, and as many for the organisation's own ones,
 * which thereby take none from the others. Less than a tenth of a second; 80 patterns of 50 instructions on texts of 4,000 characters.
 */
const QUESTION_STEPS = 4 * MAX_STEPS;

/** A comparison on some facts. */
export interface Settled {
  /** Undefined until it is needed. */
  outcome?: ComparisonOutcome;
  /** Whether it counts as missing because the steps of the question were used up. */
  isLeftOut?: boolean;
}

/** Whether the comparisons of an operator are counted. */
export const isCounted = ({ quantifier, stepsPerCharacter }: Operator): boolean =>
  quantifier !== undefined || stepsPerCharacter !== undefined;

/** The steps of one question, taken in the order of its rules. */
export class QuestionSteps {
  left: number;
  /** Equal comparisons of equal texts count once. Most questions have none. */
  private known: Map<string, Map<string, Settled>> | undefined;
  constructor(steps = QUESTION_STEPS) {
    this.left = steps;
  }
  /** @returns whether there were enough steps */
  take(steps: number): boolean {
    if (steps > this.left) return false;
    this.left -= steps;
    return true;
  }
  /** The comparison of a text. @param count the steps that it takes */
  ofText(name: string, text: string, count: () => number): Settled {
    this.known ??= new Map();
    const byText = this.known.get(name) ?? new Map<string, Settled>();
    this.known.set(name, byText);
    const found = byText.get(text) ?? (this.take(count()) ? {} : leftOut());
    byText.set(text, found);
    return found;
  }
}

export const leftOut = (): Settled => ({ outcome: 'missing', isLeftOut: true });

const settledOn = new WeakMap<object, Map<object, Settled>>();

/** What is settled of the comparisons on these facts, by comparison. */
export function settledFor(facts: object): Map<object, Settled> {
  const known = settledOn.get(facts) ?? new Map<object, Settled>();
  settledOn.set(facts, known);
  return known;
}

/** Undefined for a comparison outside of a question. */
export const settledOf = (leaf: object, facts: object): Settled | undefined => settledOn.get(facts)?.get(leaf);

/** The operand that the engine gets of a counted comparison: its outcome. */
export class Outcome {
  readonly outcome: ComparisonOutcome;
  constructor(outcome: ComparisonOutcome) {
    this.outcome = outcome;
  }
}
