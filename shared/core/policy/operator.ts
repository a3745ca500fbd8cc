// The type of an operator: the fact types that it applies to, the values that it accepts, and its test.
import type { ComparisonOutcome, Test } from './comparisons.ts';
import type { Work } from './items.ts';
import type { FactType } from './vocabulary.ts';

/**
 * Steps of one comparison, also with all items of a list: for patterns, instructions times characters. About a tenth of a second at
 * worst, and milliseconds for common patterns.
 */
export const MAX_STEPS = 4_000_000;

export interface Operator {
  readonly name: string;
  readonly description: string;
  /** The fact types it applies to (besides `unknown`). */
  readonly types: readonly FactType[];
  /** Whether the compared values have the fact's own type, and are in its closed list if it has one. */
  readonly isOfFact?: true;
  /** Describes what is wrong with a compared value in a policy; undefined when it is valid. @param type of the fact */
  readonly valueProblem: (value: unknown, type?: FactType) => string | undefined;
  /** Converts a valid value into the form that `test` takes (canonical patterns). */
  readonly prepare?: (value: unknown) => unknown;
  /** Combines the prepared value with other facts, such as the time of the decision; `test` takes the result. */
  readonly bind?: (value: unknown, facts: object, work?: Work) => unknown;
  /** The paths of the facts that `bind` always reads. */
  readonly binds?: readonly string[];
  /** Whether the value is a condition on the items of a list, and how many of them it must hold for. */
  readonly quantifier?: Quantifier;
  /** An example of a compared value. */
  readonly example: unknown;
  /** Total: accepts any fact value, and any value that passed `valueProblem`, prepared and bound. */
  readonly test: Test;
  /** The characters of all texts of a fact that it may look at, by its prepared value; with more the fact counts as missing. */
  readonly maxCharacters?: (value: unknown) => number;
  /** The steps that a comparison takes for each character, by its prepared value; of operators whose steps are counted (question-steps.ts). */
  readonly stepsPerCharacter?: (value: unknown) => number;
  /** The variant for facts that may be texts; `context` keeps the meaning that it had before there was one. */
  readonly onText?: Operator;
}

export type Quantifier = 'some' | 'every';

/** An operator in a table, without its name. */
export type Entry = Omit<Operator, 'name'>;

export type { ComparisonOutcome };
