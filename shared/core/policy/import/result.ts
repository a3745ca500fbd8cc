// What an import produces: the files of a policy folder, and the parts that have no equal here.
import { ACTIONS } from '../../../kernel/vocabulary.ts';
import { actionWordOf } from '../../authzen/action-name.ts';
import { actionOf } from '../../intent/strings/action-word.ts';
import type { Lexicon } from '../../intent/lexicon/types.ts';
import { ALWAYS, type FactPath, type ImportedType, joined, type WrittenCondition } from './conditions.ts';

export interface SourceFile {
  readonly name: string;
  readonly text: string;
}

/** A part of the source that the result does not have, or has differently. */
export interface ImportNote {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The rule in the source. */
  readonly rule: string;
  readonly message: string;
  /** `left out`: a permission is missing. `stricter`: the result refuses more. `different`: to be looked at. */
  readonly kind: 'left out' | 'stricter' | 'different';
}

export interface ImportResult {
  /** Paths below the policy folder, with the JSON of each file. */
  readonly files: readonly { readonly path: string; readonly json: object }[];
  readonly notes: readonly ImportNote[];
  readonly rules: { readonly found: number; readonly imported: number };
  /** Conditions that have a name in the source, by their JSON. */
  readonly names?: ReadonlyMap<string, string>;
}

export class ImportError extends Error {}

export type ImportedEffect = 'ALLOW' | 'DENY' | 'ESCALATE';
interface ImportedRule {
  readonly name: string;
  readonly effect: ImportedEffect;
  /** Undefined: always. */
  readonly condition: WrittenCondition | undefined;
  readonly message: string;
}

/** A text of small letters, digits and hyphens, for ids and names of rules. */
export function slugOf(text: string, fallback: string): string {
  const slug = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80);
  return slug === '' ? fallback : slug;
}

/** Adds a number to names that come again. */
export function distinct(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    let free = name;
    for (let count = 2; taken.has(free); count += 1) free = `${name}-${count}`;
    taken.add(free);
    return free;
  };
}

/** A rule as it is written in a policy file. */
export function writtenRule({ name, effect, condition, message }: ImportedRule): object {
  const kept = condition ?? ALWAYS;
  const isJunction = 'all' in kept || 'any' in kept || 'not' in kept;
  return {
    name,
    conditions: isJunction ? kept : { all: [kept] },
    event: {
      type: effect,
      params: { code: `${name.replaceAll('-', '_').toUpperCase()}`.replace(/^[^A-Z]+/, 'RULE_').slice(0, 64), message },
    },
  };
}

export interface WrittenPolicy {
  readonly id: string;
  readonly description: string;
  readonly resources: readonly string[];
  readonly rules: readonly object[];
}

export const policyFile = ({ id, description, resources, rules }: WrittenPolicy): ImportResult['files'][number] => ({
  path: `${id}.json`,
  json: {
    $schema: './schema/policy.schema.json',
    id,
    description: description.slice(0, 1_000),
    stage: 'enforce',
    target: { actions: ['*'], resources },
    rules,
  },
});

/** The condition that one of these tools is called. */
export const toolIs = (names: readonly string[]): WrittenCondition =>
  names.length === 1
    ? { fact: 'tool', path: 'name', operator: 'equal', value: names[0] }
    : { fact: 'tool', path: 'name', operator: 'in', value: [...names] };

/** Collects the attributes that conditions use, for attributes.json. */
export function createAttributes() {
  const used = new Map<string, Map<string, ImportedType>>();
  return {
    use({ fact, path }: FactPath, type: ImportedType): void {
      const name = path.startsWith('attributes.') ? path.slice('attributes.'.length) : undefined;
      if (name === undefined || (fact !== 'agent' && fact !== 'resource')) return;
      const types = used.get(fact) ?? new Map<string, ImportedType>();
      used.set(fact, types);
      // A comparison of two facts implies text; any other use says more.
      if (!types.has(name) || types.get(name) === 'text') types.set(name, type);
    },
    files(): ImportResult['files'] {
      if (used.size === 0) return [];
      const members = [...used].map(([fact, types]) => [
        fact,
        Object.fromEntries([...types].sort().map(([name, type]) => [name, { type }])),
      ]);
      const json = { $schema: './schema/attributes.schema.json', ...Object.fromEntries(members) };
      return [{ path: 'attributes.json', json }];
    },
  };
}

/** The action class of a tool, from the words of its name; undefined when the lexicon does not know them. */
function classOf(tool: string, lexicon: Lexicon): string | undefined {
  const word = actionWordOf(tool, {}, lexicon);
  const action = actionOf(word, lexicon)?.action;
  return ACTIONS.find((one) => one === action && one !== 'unknown');
}

export interface ImportedTools {
  readonly server: string;
  readonly names: Iterable<string>;
  readonly resourceOf: (tool: string) => string;
  readonly lexicon: Lexicon;
  /** Where notes about the tools belong. */
  readonly source: { readonly file: string; readonly line: number };
}

/** A catalogue that says what the tools do. Tools whose names the lexicon does not know are left out, with a note: calls of them are unknown. */
export function catalogueFile(tools: ImportedTools): {
  readonly files: ImportResult['files'];
  readonly notes: readonly ImportNote[];
} {
  const { server, names, resourceOf, lexicon, source } = tools;
  const entries: [string, object][] = [];
  const notes: ImportNote[] = [];
  for (const name of [...new Set(names)].sort()) {
    const action = classOf(name, lexicon);
    if (action === undefined)
      notes.push({
        ...source,
        rule: name,
        kind: 'stricter',
        message: 'nothing is known about this tool, so no call of it is permitted: add it to a catalogue',
      });
    else entries.push([name, { action, resource: resourceOf(name) }]);
  }
  if (entries.length === 0) return { files: [], notes };
  const json = {
    $schema: '../schema/tools.schema.json',
    server,
    description: `The tools that the imported policy names. Compare their actions and resources with what they do.`,
    tools: Object.fromEntries(entries),
  };
  return { files: [{ path: `tools/${server}.json`, json }], notes };
}

/** Joins a scope and a condition; undefined is always. */
export function both(
  scope: WrittenCondition | undefined,
  condition: WrittenCondition | undefined,
): WrittenCondition | undefined {
  if (scope === undefined || condition === undefined) return scope ?? condition;
  return joined('all', scope, condition);
}

/** The line of a position, from 1. */
export const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;
