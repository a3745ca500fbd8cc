// The published schema of a policy: the validating one, extended so that editors complete facts, paths, operators and closed lists.
// Completions come from `const` members with descriptions. A path is tested with a pattern, because editors also offer the values
// that they find in a test (`if`).
import { objectOf } from '../../kernel/json.ts';
import { prettyJson } from '../../kernel/pretty-json.ts';
import { type Operator, OPERATORS, usableOn } from './operators.ts';
import { PolicySchema } from './schema.ts';
import { conditional } from './schema-parts.ts';
import { FACT_NAMES, VOCABULARY, type VocabularyEntry } from './vocabulary.ts';

interface Choice {
  readonly const: string;
  readonly description: string;
}

const exactly = (texts: readonly string[]): string =>
  `^(?:${texts.map((text) => text.replaceAll('.', '\\.')).join('|')})$`;

function typeOf({ type, unit }: VocabularyEntry): string {
  return unit === undefined ? type : `${type}, ${unit}`;
}

const pathChoice = (entry: VocabularyEntry): Choice[] =>
  entry.path === undefined ? [] : [{ const: entry.path, description: `${typeOf(entry)}: ${entry.description}` }];

function ofFact(fact: string): readonly VocabularyEntry[] {
  return VOCABULARY.filter((entry) => entry.fact === fact);
}

/** A fact without paths has a description of its own; another one lists its paths. */
function factChoice(fact: string): Choice {
  const entries = ofFact(fact);
  const plain = entries.find(({ path }) => path === undefined);
  if (plain !== undefined) return { const: fact, description: `${typeOf(plain)}: ${plain.description}` };
  const names = entries.flatMap(({ path }) => path ?? []);
  return { const: fact, description: names.length === 0 ? 'members that callers send' : names.join(', ') };
}

/** A test whether a condition compares one of some entries of one fact. */
function isOneOf(fact: string, entries: readonly VocabularyEntry[]): object {
  const names = entries.flatMap(({ path }) => path ?? []);
  if (names.length === 0) return { required: ['fact'], properties: { fact: { const: fact }, path: false } };
  return {
    required: ['fact', 'path'],
    properties: { fact: { const: fact }, path: { type: 'string', pattern: exactly(names) } },
  };
}

/** Entries by fact and something else that they share. */
function grouped(
  keyOf: (entry: VocabularyEntry) => string,
): { readonly fact: string; readonly entries: readonly VocabularyEntry[] }[] {
  const groups = new Map<string, VocabularyEntry[]>();
  for (const entry of VOCABULARY) {
    const key = `${entry.fact} ${keyOf(entry)}`;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].flatMap((entries) => {
    const [first] = entries;
    return first === undefined ? [] : [{ fact: first.fact, entries }];
  });
}

const operatorChoices = (operators: readonly Operator[]): object => ({
  anyOf: operators.map(({ name, description }): Choice => ({ const: name, description })),
});
const namesOf = (operators: readonly Operator[]): string => operators.map(({ name }) => name).join();

/** The operators of each group of paths, each set of operators once below `$defs`; for other paths all of them. */
function operatorHints(): { readonly hints: readonly object[]; readonly defs: Readonly<Record<string, object>> } {
  const sets = new Map<string, string>();
  const defs: Record<string, object> = { allOperators: operatorChoices([...OPERATORS.values()]) };
  const tests: object[] = [];
  const hints = grouped((entry) => namesOf(usableOn(entry))).map(({ fact, entries }) => {
    const usable = entries[0] === undefined ? [] : usableOn(entries[0]);
    const key = namesOf(usable);
    const name = sets.get(key) ?? `operators${sets.size + 1}`;
    sets.set(key, name);
    defs[name] = operatorChoices(usable);
    const test = isOneOf(fact, entries);
    tests.push(test);
    return conditional(test, { properties: { operator: { $ref: `#/$defs/${name}` } } });
  });
  const others = conditional({ anyOf: tests }, true, { properties: { operator: { $ref: '#/$defs/allOperators' } } });
  return { hints: [...hints, others], defs };
}

/** The values of a closed list, for the operators that compare with them. A fact or another object may stand for a value. */
function valueHints(): object[] {
  const comparing = [...OPERATORS.values()].filter(({ isOfFact }) => isOfFact).map(({ name }) => name);
  return grouped(({ values = [] }) => values.join('\n')).flatMap(({ fact, entries }) => {
    const values = entries[0]?.values;
    if (values === undefined) return [];
    const test = objectOf(isOneOf(fact, entries)) ?? {};
    const isCompared = {
      required: ['operator'],
      properties: { operator: { type: 'string', pattern: exactly(comparing) } },
    };
    const value = { anyOf: [{ enum: values }, { type: 'array', items: { enum: values } }, { type: 'object' }] };
    return [conditional({ allOf: [test, isCompared] }, { properties: { value } })];
  });
}

function pathHints(): object[] {
  return FACT_NAMES.flatMap((fact) => {
    const choices = ofFact(fact).flatMap(pathChoice);
    if (choices.length === 0) return [];
    // Declared paths, arguments and members of the context have names of their own.
    const path = { anyOf: [...choices, { type: 'string' }] };
    return [conditional({ required: ['fact'], properties: { fact: { const: fact } } }, { properties: { path } })];
  });
}

/** The published schema (draft 2020-12). It accepts whatever `checkPolicy` accepts. */
export function publishedPolicySchema(): object {
  const schema = objectOf(PolicySchema) ?? {};
  const definitions = objectOf(schema['$defs']) ?? {};
  const condition = objectOf(definitions['condition']) ?? {};
  const members = objectOf(condition['properties']) ?? {};
  const { hints, defs } = operatorHints();
  const properties = {
    ...members,
    fact: { description: 'the fact to look at', anyOf: FACT_NAMES.map(factChoice), examples: ['trust', 'intent'] },
    path: { type: 'string', description: 'the dotted path below the fact', examples: ['level', 'recorded.score'] },
    operator: {
      type: 'string',
      description: 'how the fact is compared with the value',
      examples: ['lessThan', 'containsAny'],
    },
  };
  const before = Array.isArray(condition['allOf']) ? condition['allOf'] : [];
  const allOf: unknown[] = [...before, ...pathHints(), ...hints, ...valueHints()];
  return { ...schema, $defs: { ...definitions, ...defs, condition: { ...condition, properties, allOf } } };
}

/** The text of policies/schema/policy.schema.json. */
export function policySchemaText(): string {
  return prettyJson(publishedPolicySchema());
}
