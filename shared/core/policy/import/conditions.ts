// Translates expressions of other policy languages into conditions, as far as the meanings are the same.
import { RE2JS } from 're2js';
import { ATTRIBUTE_NAME } from '../../attributes/schema.ts';
import { OPERATORS } from '../operators.ts';
import type { Binary, Expression } from './expression.ts';

/** A part of a foreign policy that has no equal here. Its message completes "... can't be expressed: ". */
export class Inexpressible extends Error {}

/** A condition as it is written in a policy file. */
export type WrittenCondition = Readonly<Record<string, unknown>>;

/** A fact by its path, as in `{fact: 'agent', path: 'attributes.team'}`. */
export interface FactPath {
  readonly fact: string;
  readonly path: string;
}

export type ImportedType = 'text' | 'number' | 'boolean' | 'time' | 'list';

/** What the expressions of one language mean. */
export interface Meanings {
  /** The fact that a path names. @throws {Inexpressible} when there is none */
  readonly factOf: (names: readonly string[]) => FactPath;
  /** The text that an entity is here, such as `User::"alice"`; default: a refusal. */
  readonly entityText?: (type: string, id: string) => string;
  /** Called with each fact and the type that its use implies. */
  readonly onUse: (fact: FactPath, type: ImportedType) => void;
  /** The condition for `principal in Group::"g"`, where the language has groups. */
  readonly memberOf?: (names: readonly string[], entity: readonly string[]) => WrittenCondition;
  /** What `x.contains(y)` searches. */
  readonly contains: 'lists' | 'texts';
}

const ORDER: Readonly<Partial<Record<Binary, readonly [operator: string, flipped: Binary]>>> = {
  '==': ['equal', '=='],
  '!=': ['notEqual', '!='],
  '<': ['lessThan', '>'],
  '<=': ['lessThanInclusive', '>='],
  '>': ['greaterThan', '<'],
  '>=': ['greaterThanInclusive', '<='],
};
/** Methods with a text or list behind a path, and the operators that mean the same. */
const METHODS: Readonly<Record<string, readonly [operator: string, used: ImportedType]>> = {
  startsWith: ['startsWith', 'text'],
  endsWith: ['endsWith', 'text'],
  matches: ['matchesPattern', 'text'],
  containsAny: ['containsAny', 'list'],
  containsAll: ['containsAll', 'list'],
};

type Literal = string | number | boolean;
const typeOf = (value: Literal): ImportedType =>
  typeof value === 'string' ? 'text' : (typeof value as 'number' | 'boolean');

/** Names of members that paths here can have: `a.b` is the member `b` of `a`, and never one that is named so. */
const MEMBER = /^[A-Za-z0-9_-]{1,64}$/;
/** Members of `context` below each other. */
const MAX_MEMBERS = 8;

/** A comparison with a constant. @throws {Inexpressible} for a value that no policy may have */
export function comparisonOf(fact: FactPath, operator: string, value: unknown): WrittenCondition {
  // Larger integers are not exact in JSON.
  const isRounded = [value].flat().some((one) => Number.isInteger(one) && !Number.isSafeInteger(one));
  const problem = isRounded ? 'has an integer beyond 2^53-1' : OPERATORS.get(operator)?.valueProblem(value);
  if (problem !== undefined) throw new Inexpressible(`the value of ${fact.fact}.${fact.path} ${operator} ${problem}`);
  return { ...fact, operator, value };
}

/** Whether a text has a part. Texts in the context can not be searched by `contains`, which there means a list. */
export function textContains(fact: FactPath, part: string): WrittenCondition {
  return fact.fact === 'context'
    ? comparisonOf(fact, 'matchesPattern', RE2JS.quote(part))
    : comparisonOf(fact, 'contains', part);
}

/** Builds the translator of one language. It throws {@link Inexpressible} for what has no equal. */
export function translator({
  factOf,
  entityText,
  onUse,
  memberOf,
  contains,
}: Meanings): (of: Expression) => WrittenCondition {
  const literalOf = (of: Expression): Literal | undefined => {
    if (of.kind === 'literal') return of.value;
    if (of.kind !== 'path' || !of.isEntity) return undefined;
    const [type = '', id = ''] = of.names;
    if (entityText === undefined) throw new Inexpressible(`${type}::"${id}" is not known here`);
    return entityText(type, id);
  };

  const literalsOf = (of: Expression): Literal[] | undefined => {
    if (of.kind !== 'list') return undefined;
    const items = of.items.map(literalOf);
    const known = items.filter((item): item is Literal => item !== undefined);
    if (known.length !== items.length) throw new Inexpressible('a list has members that are not constant');
    if (known.length === 0) throw new Inexpressible('a list is empty');
    return known;
  };

  const pathOf = (of: Expression): FactPath => {
    if (of.kind !== 'path' || of.isEntity) throw new Inexpressible('a calculation is compared');
    return factNamed(of.names);
  };

  const factNamed = (names: readonly string[]): FactPath => {
    const strange = names.find((name) => !MEMBER.test(name));
    if (strange !== undefined) throw new Inexpressible(`the member ${JSON.stringify(strange)}`);
    if (names.length > MAX_MEMBERS + 1) throw new Inexpressible(`${names.join('.')} is too deep`);
    const found = factOf(names);
    const [, attribute] = /^attributes\.(.*)$/.exec(found.path) ?? [];
    if (attribute !== undefined && !ATTRIBUTE_NAME.test(attribute))
      throw new Inexpressible(`an attribute can't be named ${JSON.stringify(attribute)}`);
    return found;
  };

  const comparison = (fact: FactPath, operator: string, value: unknown, used: ImportedType): WrittenCondition => {
    onUse(fact, used);
    return comparisonOf(fact, operator, value);
  };

  const comparisonOfFacts = (left: FactPath, operator: string, right: FactPath, used: ImportedType) => {
    onUse(left, used);
    return { ...left, operator, value: right };
  };

  /** `timestamp(x).timeSince() < duration("1h")` of CEL. */
  const age = (operator: Binary, left: Expression, right: Expression): WrittenCondition | undefined => {
    if (left.kind !== 'call' || left.name !== 'timeSince') return undefined;
    const since = left.target?.kind === 'call' && left.target.name === 'timestamp' ? left.target.args[0] : left.target;
    const limit = right.kind === 'call' && right.name === 'duration' ? right.args[0] : undefined;
    const isYounger = operator === '<' || operator === '<=';
    if (since === undefined || limit?.kind !== 'literal' || !(isYounger || operator.startsWith('>')))
      throw new Inexpressible('an age is compared with something else than a duration');
    return comparison(pathOf(since), isYounger ? 'newerThan' : 'olderThan', String(limit.value), 'time');
  };

  const compared = (operator: Binary, left: Expression, right: Expression): WrittenCondition => {
    const [name, flipped] = ORDER[operator] ?? [];
    if (name === undefined || flipped === undefined) throw new Inexpressible(`the operator ${operator}`);
    const aged = age(operator, left, right);
    if (aged !== undefined) return aged;
    const value = literalOf(right);
    if (value !== undefined) return comparison(pathOf(left), name, value, typeOf(value));
    if (literalOf(left) !== undefined) return compared(flipped, right, left);
    const used = operator === '==' || operator === '!=' ? 'text' : 'number';
    const other = pathOf(right);
    onUse(other, used);
    return comparisonOfFacts(pathOf(left), name, other, used);
  };

  const within = (left: Expression, right: Expression): WrittenCondition => {
    if (left.kind === 'path' && !left.isEntity && memberOf !== undefined && right.kind === 'path' && right.isEntity)
      return memberOf(left.names, right.names);
    const list = literalsOf(right);
    if (list !== undefined) return comparison(pathOf(left), 'in', list, typeOf(list[0] ?? ''));
    const item = literalOf(left);
    if (item !== undefined) return comparison(pathOf(right), 'contains', item, 'list');
    const wanted = pathOf(left);
    onUse(wanted, 'text');
    return comparisonOfFacts(pathOf(right), 'contains', wanted, 'list');
  };

  /** Whether a text has a part: `contains` of CEL, which lists do not have. */
  const textHas = (target: Expression, part: Expression): WrittenCondition => {
    const fact = pathOf(target);
    if (fact.path === 'tags') throw new Inexpressible('a list has no method contains');
    const text = literalOf(part);
    if (text === undefined) throw new Inexpressible('the argument of contains is not constant');
    if (typeof text !== 'string') throw new Inexpressible('the argument of contains is no text');
    onUse(fact, 'text');
    return textContains(fact, text);
  };

  /** An attribute has to be declared, even when nothing else says its type. */
  const presence = (fact: FactPath): WrittenCondition => {
    onUse(fact, 'text');
    return { ...fact, operator: 'isPresent', value: true };
  };

  const called = (name: string, target: Expression | undefined, args: readonly Expression[]): WrittenCondition => {
    const [first] = args;
    if (name === 'has' && target === undefined && first !== undefined) return presence(pathOf(first));
    if (target === undefined || first === undefined) throw new Inexpressible(`the function ${name}`);
    if (name === 'contains' && contains === 'texts') return textHas(target, first);
    if (name === 'contains') {
      const list = literalsOf(target);
      if (list !== undefined) return comparison(pathOf(first), 'in', list, typeOf(list[0] ?? ''));
      const item = literalOf(first);
      if (item !== undefined) return comparison(pathOf(target), 'contains', item, 'list');
      const wanted = pathOf(first);
      onUse(wanted, 'text');
      return comparisonOfFacts(pathOf(target), 'contains', wanted, 'list');
    }
    const [operator, used] = METHODS[name] ?? [];
    if (operator === undefined || used === undefined) throw new Inexpressible(`the function ${name}`);
    const value = used === 'list' ? literalsOf(first) : literalOf(first);
    if (value === undefined) throw new Inexpressible(`the argument of ${name} is not constant`);
    return comparison(pathOf(target), operator, value, used);
  };

  const translate = (of: Expression): WrittenCondition => {
    switch (of.kind) {
      case 'not':
        return { not: translate(of.of) };
      case 'call':
        return called(of.name, of.target, of.args);
      case 'path':
        return comparison(pathOf(of), 'equal', true, 'boolean');
      case 'literal':
        if (typeof of.value === 'boolean') return of.value ? { all: [ALWAYS] } : { not: ALWAYS };
        throw new Inexpressible('a text or number stands where a condition is expected');
      case 'list':
      case 'pattern':
        throw new Inexpressible(`a ${of.kind} stands where a condition is expected`);
      case 'binary':
        break;
    }
    const { operator, left, right } = of;
    if (operator === '&&') return joined('all', translate(left), translate(right));
    if (operator === '||') return joined('any', translate(left), translate(right));
    if (operator === 'in') return within(left, right);
    if (operator === 'not in') return { not: within(left, right) };
    if (operator === 'has') {
      if (left.kind !== 'path' || right.kind !== 'path') throw new Inexpressible('has names no member');
      return presence(factNamed([...left.names, ...right.names]));
    }
    if (right.kind === 'pattern') return comparison(pathOf(left), 'matchesPattern', likePattern(right.pieces), 'text');
    return compared(operator, left, right);
  };
  return translate;
}

/** Holds for every request: there is always an environment. */
export const ALWAYS: WrittenCondition = { fact: 'agent', path: 'id', operator: 'isPresent', value: true };

/** Conditions in one `all` or `any`; nested ones of the same kind are joined. */
export function joined(kind: 'all' | 'any', ...conditions: readonly WrittenCondition[]): WrittenCondition {
  const parts = conditions.flatMap((condition): unknown => condition[kind] ?? condition);
  const [only] = parts;
  return parts.length === 1 ? (only as WrittenCondition) : { [kind]: parts };
}

/** The RE2 pattern of a `like`. */
const likePattern = (pieces: readonly string[]): string => `(?s)^${pieces.map((one) => RE2JS.quote(one)).join('.*')}$`;

/** Facts that a request may lack. */
const isOptional = (fact: unknown, path: unknown): boolean =>
  fact === 'context' || fact === 'tool' || (typeof path === 'string' && path.startsWith('attributes.'));

const partsOf = (condition: WrittenCondition, kind: string): readonly WrittenCondition[] | undefined =>
  // Built by this module.
  condition[kind] as readonly WrittenCondition[] | undefined;

/**
 * What a comparison of a missing fact is in a language. `fails in order`: an error, unless the parts to its left decide already (Cedar). `fails`: an
 * error, unless any other part decides (CEL). `is false` (the Agent Governance Toolkit).
 */
export type MissingMeans = 'fails in order' | 'fails' | 'is false';

export interface Exactness {
  readonly missing: MissingMeans;
  /** Whether the rule refuses: here a comparison of a missing fact holds in such rules, in the other languages it does not. */
  readonly refuses: boolean;
}

type Known = ReadonlySet<string>;
const NOTHING: Known = new Set();
const nameOf = ({ fact, path }: WrittenCondition): string => `${String(fact)}.${String(path)}`;

/** The facts that are present when a condition holds. */
function impliedBy(condition: WrittenCondition): string[] {
  if (condition['operator'] === 'isPresent') return [nameOf(condition)];
  return (partsOf(condition, 'all') ?? []).flatMap(impliedBy);
}

/** Whether a comparison in it may read a fact that is missing. */
function mayFail(condition: WrittenCondition, known: Known): boolean {
  const { not, operator, fact, path, value } = condition;
  if (not !== undefined) return mayFail(not as WrittenCondition, known);
  const all = partsOf(condition, 'all');
  if (all !== undefined) {
    const found = new Set(known);
    return all.some((part) => {
      const fails = mayFail(part, found);
      for (const name of impliedBy(part)) found.add(name);
      return fails;
    });
  }
  const any = partsOf(condition, 'any');
  if (any !== undefined) return any.some((part) => mayFail(part, known));
  const other = referenceOf(value);
  return (
    (operator !== 'isPresent' && isOptional(fact, path) && !known.has(nameOf(condition))) ||
    (other !== undefined && isOptional(other.fact, other.path) && !known.has(nameOf({ ...other })))
  );
}

const referenceOf = (value: unknown): FactPath | undefined =>
  typeof value === 'object' && value !== null && 'fact' in value ? (value as FactPath) : undefined;

const present = ({ fact, path }: FactPath): WrittenCondition => ({ fact, path, operator: 'isPresent', value: true });

/** A string that is no call of a tool has no such name. Refusals by action hold for it, since permissions without one do. */
const isToolName = ({ fact, path }: FactPath): boolean => fact === 'tool' && path === 'name';

/** Whether a condition compares the name of the tool, in any of its parts. */
export function readsToolName(condition: WrittenCondition): boolean {
  const { all, any, not, fact, path } = condition;
  if (typeof fact === 'string' && typeof path === 'string') return isToolName({ fact, path });
  // Only conditions are written in junctions.
  return ([all, any, not].flat() as (WrittenCondition | undefined)[]).some(
    (part) => part !== undefined && readsToolName(part),
  );
}

/** A comparison, or its negation, with the presence of its facts where it would count without them. */
function exactLeaf(leaf: WrittenCondition, isNegated: boolean, { refuses }: Exactness): WrittenCondition {
  const itself = isNegated ? { not: leaf } : leaf;
  const { fact, path, operator, value } = leaf;
  if (!refuses || operator === 'isPresent') return itself;
  const read = [{ fact, path } as FactPath, referenceOf(value)].filter(
    (one): one is FactPath => one !== undefined && isOptional(one.fact, one.path) && !isToolName(one),
  );
  return joined('all', ...read.map(present), itself);
}

/**
 * The same condition with the meaning of missing facts that it has in its language.
 * @param isNegated whether the condition must be false, and not an error
 */
export function exactly(condition: WrittenCondition, exactness: Exactness, isNegated = false): WrittenCondition {
  const { not } = condition;
  if (not !== undefined) {
    const inner = not as WrittenCondition;
    if (exactness.missing !== 'is false') return exactly(inner, exactness, !isNegated);
    return { not: exactly(inner, exactness) };
  }
  const [all, any] = [partsOf(condition, 'all'), partsOf(condition, 'any')];
  const parts = all ?? any;
  if (parts === undefined) return exactLeaf(condition, isNegated, exactness);
  if ((all !== undefined) !== isNegated)
    return joined('all', ...parts.map((part) => exactly(part, exactness, isNegated)));
  // Any part decides, but in Cedar only when those before it are no errors.
  const before: WrittenCondition[] = [];
  const found = new Set(NOTHING);
  const alternatives = parts.map((part) => {
    const decided = joined('all', ...before, exactly(part, exactness, isNegated));
    if (exactness.missing === 'fails in order' && mayFail(part, found))
      before.push(exactly(part, exactness, !isNegated));
    if (all !== undefined) for (const name of impliedBy(part)) found.add(name);
    return decided;
  });
  return joined('any', ...alternatives);
}
