// Makes imported policies shorter: a condition that they repeat gets a name in terms.json, and is used by its name.
import type { WrittenCondition } from './conditions.ts';
import { distinct, type ImportResult, slugOf } from './result.ts';

type Files = ImportResult['files'];
type Rule = Readonly<Record<string, unknown>> & { readonly conditions: WrittenCondition };
type Policy = Readonly<Record<string, unknown>> & { readonly rules: readonly Rule[] };

/** Each takes one pass over all conditions, and the ones that save most come first. */
const MAX_NAMES = 60;
const MAX_NAME_LENGTH = 64;
const JUNCTIONS = ['all', 'any'] as const;

const isCondition = (value: unknown): value is WrittenCondition =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The junction of a condition, with its parts. */
function junctionOf(condition: WrittenCondition) {
  for (const kind of JUNCTIONS) {
    const parts = condition[kind];
    // Only conditions are written in junctions.
    if (Array.isArray(parts)) return { kind, parts: parts as readonly WrittenCondition[] };
  }
  return undefined;
}

/** A copy of a condition whose direct parts are mapped. */
function mapParts(condition: WrittenCondition, map: (part: WrittenCondition) => WrittenCondition): WrittenCondition {
  const junction = junctionOf(condition);
  if (junction !== undefined) return { [junction.kind]: junction.parts.map(map) };
  return isCondition(condition['not']) ? { not: map(condition['not']) } : condition;
}

/** Calls `visit` with the condition, its parts, and each row of neighbours in a junction, as a junction of their own. */
function visitAll(condition: WrittenCondition, visit: (one: WrittenCondition) => void): void {
  if ('condition' in condition) return;
  visit(condition);
  const junction = junctionOf(condition);
  const { kind, parts } = junction ?? { kind: 'all', parts: [] };
  for (let from = 0; from < parts.length; from += 1)
    for (let to = from + 2; to <= parts.length; to += 1)
      if (to - from < parts.length) visit({ [kind]: parts.slice(from, to) });
  mapParts(condition, (part) => {
    visitAll(part, visit);
    return part;
  });
}

/** A copy in which a reference stands for each condition with this text. */
function replaced(condition: WrittenCondition, text: string, reference: WrittenCondition): WrittenCondition {
  if (JSON.stringify(condition) === text) return reference;
  const inside = mapParts(condition, (part) => replaced(part, text, reference));
  const junction = junctionOf(inside);
  if (junction === undefined) return inside;
  const { kind, parts } = junction;
  for (let from = 0; from < parts.length; from += 1)
    for (let to = from + 2; to <= parts.length; to += 1)
      if (JSON.stringify({ [kind]: parts.slice(from, to) }) === text)
        return { [kind]: [...parts.slice(0, from), reference, ...parts.slice(to)] };
  return inside;
}

interface Candidate {
  readonly text: string;
  readonly condition: WrittenCondition;
  /** Characters that a name for it saves, with its definition counted. */
  readonly saved: number;
}

/** About the length of a reference, and of what a definition adds to its condition. */
const REFERENCE_LENGTH = 40;

/** The repeated condition that gets a name next: one with a name in the source, else the one that saves most. */
function nextOf(conditions: readonly WrittenCondition[], suggested: ReadonlyMap<string, string>) {
  const seen = new Map<string, { condition: WrittenCondition; count: number }>();
  for (const one of conditions)
    visitAll(one, (condition) => {
      const text = JSON.stringify(condition);
      const known = seen.get(text);
      if (known === undefined) seen.set(text, { condition, count: 1 });
      else known.count += 1;
    });
  let best: Candidate | undefined;
  for (const [text, { condition, count }] of seen) {
    if (count < 2) continue;
    const saved = suggested.has(text)
      ? Number.MAX_SAFE_INTEGER
      : (count - 1) * text.length - (count + 1) * REFERENCE_LENGTH;
    if (saved > (best?.saved ?? 0)) best = { text, condition, saved };
  }
  return best;
}

/** A name from what a condition says: `owner-id-equal-agent-id`. */
function nameOf(condition: WrittenCondition): string {
  const junction = junctionOf(condition);
  if (junction !== undefined) return junction.parts.map(nameOf).join(junction.kind === 'all' ? '-and-' : '-or-');
  if (isCondition(condition['not'])) return `not-${nameOf(condition['not'])}`;
  const { path = '', operator, value, condition: reference } = condition;
  if (typeof reference === 'string') return reference;
  const expected = isCondition(value) ? `${String(value['fact'])} ${String(value['path'])}` : String(value);
  const words = `${String(path).replace(/^attributes\./, '')} ${operator === 'equal' ? 'is' : String(operator)} ${expected}`;
  return slugOf(words.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/attributes\./g, ''), 'condition');
}

/**
 * The files with names for repeated conditions, where that makes them shorter. A named condition is expanded when a set is loaded, so the
 * meaning is the same. @param suggested names of conditions in the source, by their JSON
 */
export function withNamedConditions(files: Files, suggested: ReadonlyMap<string, string> = new Map()): Files {
  const policies = files.filter(({ json }) => 'rules' in json);
  // Policy files are written by `policyFile` and `writtenRule`.
  let rules = policies.map(({ json }) => (json as Policy).rules.map(({ conditions }) => conditions));
  const named = new Map<string, WrittenCondition>();
  const distinctName = distinct();
  while (named.size < MAX_NAMES) {
    const best = nextOf([...rules.flat(), ...named.values()], suggested);
    if (best === undefined) break;
    const words = suggested.get(best.text) ?? nameOf(best.condition);
    const name = distinctName(
      words
        .slice(0, MAX_NAME_LENGTH - 4)
        .replace(/-+$/, '')
        .replace(/^(?![a-z])/, 'is-'),
    );
    const reference = { condition: name };
    rules = rules.map((ofPolicy) => ofPolicy.map((one) => replaced(one, best.text, reference)));
    for (const [other, condition] of named) named.set(other, replaced(condition, best.text, reference));
    named.set(name, best.condition);
  }
  if (named.size === 0) return files;
  const written = policies.map(({ path, json }, i) => ({
    path,
    json: {
      ...json,
      rules: (json as Policy).rules.map((rule, j) => {
        const conditions = rules[i]?.[j] ?? rule.conditions;
        // A rule has a junction.
        return { ...rule, conditions: 'condition' in conditions ? { all: [conditions] } : conditions };
      }),
    },
  }));
  const terms = {
    $schema: './schema/terms.schema.json',
    conditions: Object.fromEntries([...named].map(([name, condition]) => [name, { condition }])),
  };
  return [...written, { path: 'terms.json', json: terms }, ...files.filter(({ json }) => !('rules' in json))];
}
