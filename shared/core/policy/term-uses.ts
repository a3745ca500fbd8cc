// Uses of named conditions and constants: unknown names, and how large a condition becomes when its names are replaced.
import { didYouMean } from '../../kernel/near.ts';
import { type Problem, shown } from './schema-problems.ts';
import type { WrittenCondition } from './schema.ts';
import { partsOf, type Terms } from './terms.ts';

/** The comparisons that the conditions of one rule, and those of one policy, may come to. */
export const EXPANDED_LIMITS = { rule: 1_000, policy: 2_000 } as const;
/** Named conditions that use one another, one inside the other. */
const MAX_NESTING = 16;

const NOUNS = { conditions: 'condition', constants: 'constant' } as const;

/** @param pointer of the member with the name */
export function unknownTerm(kind: 'conditions' | 'constants', name: string, terms: Terms, pointer: string): Problem[] {
  const known = terms[kind];
  if (terms.isUnreadable || known.includes(name)) return [];
  const names = known.length === 0 ? 'none' : known.slice(0, 20).join(', ');
  const message = `terms.json has no ${NOUNS[kind]} ${shown(name)}${didYouMean(name, known)}; known are ${names}`;
  return [{ code: 'UNKNOWN_TERM', pointer, message }];
}

/** The problem at the use of a term whose definition is valid by itself. */
export function usedProblem(
  kind: 'conditions' | 'constants',
  name: string,
  terms: Terms,
  problem: Problem,
  pointer: string,
): Problem {
  const place = terms.placeOf(kind, name);
  return { ...problem, pointer, message: `the ${NOUNS[kind]} ${shown(name)} (${place}): ${problem.message}` };
}

/** A use of a named condition, with the pointer of the name. */
interface Use {
  readonly name: string;
  readonly pointer: string;
}

export function usesIn(condition: WrittenCondition, pointer: string): Use[] {
  if ('condition' in condition) return [{ name: condition.condition, pointer: `${pointer}/condition` }];
  if ('not' in condition) return usesIn(condition.not, `${pointer}/not`);
  const member = 'all' in condition ? 'all' : 'any';
  return partsOf(condition).flatMap((part, i) => usesIn(part, `${pointer}/${member}/${i}`));
}

/** Of a condition with its names replaced. */
export interface ExpandedSize {
  readonly comparisons: number;
  /** Named conditions inside one another. */
  readonly nesting: number;
}

const ONE: ExpandedSize = { comparisons: 1, nesting: 0 };

/** Computes sizes without expanding anything. Only for terms without a cycle. */
export function sizer(terms: Terms): (condition: WrittenCondition) => ExpandedSize {
  const known = new Map<string, ExpandedSize>();
  const ofName = (name: string): ExpandedSize => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const term = terms.conditionOf(name);
    const inner = term === undefined ? ONE : sizeOf(term.condition);
    const size = { ...inner, nesting: inner.nesting + 1 };
    known.set(name, size);
    return size;
  };
  function sizeOf(condition: WrittenCondition): ExpandedSize {
    if ('condition' in condition) return ofName(condition.condition);
    if ('fact' in condition) return ONE;
    const sizes = partsOf(condition).map(sizeOf);
    return {
      comparisons: sizes.reduce((sum, { comparisons }) => sum + comparisons, 0),
      nesting: Math.max(0, ...sizes.map(({ nesting }) => nesting)),
    };
  }
  return sizeOf;
}

/** What is wrong with the size of a condition that uses names. */
export function sizeProblem({ comparisons, nesting }: ExpandedSize, pointer: string): Problem[] {
  const limit = EXPANDED_LIMITS.rule;
  const wrong =
    comparisons > limit
      ? `comes to more than ${limit.toLocaleString('en')} comparisons when its names are replaced`
      : nesting > MAX_NESTING
        ? `uses named conditions that are nested more than ${MAX_NESTING} deep`
        : undefined;
  return wrong === undefined ? [] : [{ code: 'TOO_LARGE', pointer, message: wrong }];
}
