// The named conditions and constants of a set, and their expansion: behind it, no policy has names any more.
import type { NamedCondition, NamedConstant, TermsFile } from './terms-schema.ts';
import { TERMS_FILE } from './files.ts';
import { pointerToken } from '../../kernel/json.ts';
import { isQuantifier, itemComparisons } from './items.ts';
import type { Comparison, Condition, ItemComparison, ItemCondition, WrittenCondition } from './schema.ts';

/** The names that a part of an expanded condition comes from. */
export interface Origin {
  /** The named condition that it is written in. */
  readonly condition?: string;
  /** The constant that is its value. */
  readonly constant?: string;
}

/** The terms of one set. */
export interface Terms {
  /** Undefined without terms.json. */
  readonly file: TermsFile | undefined;
  readonly conditions: readonly string[];
  readonly constants: readonly string[];
  /** Whether every name counts as known, because the file can't be read. */
  readonly isUnreadable: boolean;
  conditionOf(name: string): NamedCondition | undefined;
  constantOf(name: string): NamedConstant | undefined;
  /** Where a term is defined, for messages: `terms.json:3:5`. */
  placeOf(kind: 'conditions' | 'constants', name: string): string;
  /** The condition with every name replaced; the same object when it has none. Only for checked conditions. */
  expand(condition: WrittenCondition): Condition;
  /** Undefined for a part that was written where it stands. */
  originOf(part: Condition): Origin | undefined;
}

/** The constant that a comparison names as its value. */
export function constantUse(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, 'constant'))
    return undefined;
  const { constant } = value as { readonly constant: unknown };
  return typeof constant === 'string' ? constant : undefined;
}

/** The constants that a comparison names, also for the items of a list. */
function constantsIn({ operator, value }: ItemComparison): string[] {
  const name = constantUse(value);
  if (name !== undefined) return [name];
  if (!isQuantifier(operator)) return [];
  // The schema demands a condition on an item.
  return itemComparisons(value as ItemCondition).flatMap(({ comparison }) => constantsIn(comparison));
}

/** The parts directly below a condition. */
export function partsOf(condition: WrittenCondition): readonly WrittenCondition[] {
  if ('all' in condition) return condition.all;
  if ('any' in condition) return condition.any;
  return 'not' in condition ? [condition.not] : [];
}

/** The names that a condition uses, in their order; not those that the named conditions use. */
export function namesIn(condition: WrittenCondition): { readonly conditions: string[]; readonly constants: string[] } {
  if ('condition' in condition) return { conditions: [condition.condition], constants: [] };
  if ('fact' in condition) {
    return { conditions: [], constants: constantsIn(condition) };
  }
  const found = partsOf(condition).map(namesIn);
  return {
    conditions: found.flatMap(({ conditions }) => conditions),
    constants: found.flatMap(({ constants }) => constants),
  };
}

const memberOf = <T>(members: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined;

/** @param locate the position of a pointer in the file, for messages; absent for a stored set, which has no lines */
export function termsOf(
  file: TermsFile | undefined,
  locate?: (pointer: string) => { readonly line: number; readonly column: number },
): Terms {
  const origins = new WeakMap<Condition, Origin>();
  const expanded = new WeakMap<WrittenCondition, Condition>();
  const conditionOf = (name: string): NamedCondition | undefined => memberOf(file?.conditions, name);
  const constantOf = (name: string): NamedConstant | undefined => memberOf(file?.constants, name);

  function withOrigin<T extends Condition>(part: T, origin: Origin): T {
    origins.set(part, { ...origins.get(part), ...origin });
    return part;
  }
  function valueOf(name: string): unknown {
    const constant = constantOf(name);
    if (constant === undefined) throw new Error(`there is no constant ${name}`);
    return constant.value;
  }
  function withConstant(comparison: Comparison, name: string): Comparison {
    return withOrigin({ ...comparison, value: valueOf(name) }, { constant: name });
  }
  /** A condition on items with every constant replaced. */
  function itemsOf(condition: ItemCondition): ItemCondition {
    if ('not' in condition) return { not: itemsOf(condition.not) };
    if ('all' in condition) return { all: condition.all.map(itemsOf) };
    if ('any' in condition) return { any: condition.any.map(itemsOf) };
    const name = constantUse(condition.value);
    return name === undefined ? withItems(condition) : { ...condition, value: valueOf(name) };
  }
  /** A comparison with every constant replaced that the condition on its items names; the same object when there is none. */
  function withItems<C extends ItemComparison>(comparison: C): C {
    if (constantsIn(comparison).length === 0) return comparison;
    // The value of such an operator, by the schema.
    return { ...comparison, value: itemsOf(comparison.value as ItemCondition) };
  }
  /** Copies what is written in a term, so that equal parts of two terms have their own origins. */
  function copied(condition: WrittenCondition, name: string): Condition {
    if ('condition' in condition) return named(condition.condition);
    if ('fact' in condition) {
      const constant = constantUse(condition.value);
      const own = constant === undefined ? { ...withItems(condition) } : withConstant(condition, constant);
      return withOrigin(own, { condition: name });
    }
    const below = (part: WrittenCondition): Condition => copied(part, name);
    if ('all' in condition) return withOrigin({ all: condition.all.map(below) }, { condition: name });
    if ('any' in condition) return withOrigin({ any: condition.any.map(below) }, { condition: name });
    return withOrigin({ not: below(condition.not) }, { condition: name });
  }
  const byName = new Map<string, Condition>();
  function named(name: string): Condition {
    const known = byName.get(name);
    if (known !== undefined) return known;
    const term = conditionOf(name);
    if (term === undefined) throw new Error(`there is no condition ${name}`);
    const made = copied(term.condition, name);
    byName.set(name, made);
    return made;
  }
  function changed(condition: WrittenCondition): Condition {
    if ('condition' in condition) return named(condition.condition);
    if ('fact' in condition) {
      const name = constantUse(condition.value);
      return name === undefined ? withItems(condition) : withConstant(condition, name);
    }
    const isSame = (parts: readonly WrittenCondition[], made: readonly Condition[]): boolean =>
      made.every((part, i) => part === parts[i]);
    if ('not' in condition) {
      const part = expand(condition.not);
      return part === condition.not ? (condition as Condition) : { not: part };
    }
    const parts = partsOf(condition);
    const made = parts.map(expand);
    // Nothing below it has a name.
    if (isSame(parts, made)) return condition as Condition;
    return 'all' in condition ? { all: made } : { any: made };
  }
  function expand(condition: WrittenCondition): Condition {
    const known = expanded.get(condition);
    if (known !== undefined) return known;
    const made = changed(condition);
    expanded.set(condition, made);
    return made;
  }

  return {
    file,
    conditions: Object.keys(file?.conditions ?? {}),
    constants: Object.keys(file?.constants ?? {}),
    isUnreadable: false,
    conditionOf,
    constantOf,
    placeOf(kind, name) {
      const pointer = `/${kind}${pointerToken(name)}`;
      if (locate === undefined) return `${TERMS_FILE}#${pointer}`;
      const { line, column } = locate(pointer);
      return `${TERMS_FILE}:${line}:${column}`;
    },
    expand,
    originOf: (part) => origins.get(part),
  };
}

export const NO_TERMS: Terms = termsOf(undefined);
/** For policies beside a terms.json that can't be read, so that its names are not reported as unknown as well. */
export const UNREADABLE_TERMS: Terms = { ...NO_TERMS, isUnreadable: true };
