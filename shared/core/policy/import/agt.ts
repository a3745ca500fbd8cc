// Imports policy documents of Microsoft's Agent Governance Toolkit: rules over a flat context, of which the first by priority decides.
// https://microsoft.github.io/agent-governance-toolkit/specs/AGENT-OS-POLICY-ENGINE-1.0/
import { isMap, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Lexicon } from '../../intent/lexicon/types.ts';
import {
  comparisonOf,
  type FactPath,
  Inexpressible,
  exactly,
  joined,
  textContains,
  translator,
  type WrittenCondition,
} from './conditions.ts';
import { ExpressionError, parseExpression } from './expression.ts';
import { itemsOf, lineOf, type Members, membersOf } from './members.ts';
import {
  catalogueFile,
  distinct,
  type ImportedEffect,
  ImportError,
  type ImportNote,
  type ImportResult,
  policyFile,
  slugOf,
  type SourceFile,
  writtenRule,
} from './result.ts';

const EFFECTS: Readonly<Record<string, ImportedEffect>> = {
  allow: 'ALLOW',
  // It permits and records, and every decision is recorded here.
  audit: 'ALLOW',
  log: 'ALLOW',
  deny: 'DENY',
  block: 'DENY',
  escalate: 'ESCALATE',
  require_approval: 'ESCALATE',
};
const OPERATORS: Readonly<Record<string, string>> = {
  eq: 'equal',
  ne: 'notEqual',
  lt: 'lessThan',
  lte: 'lessThanInclusive',
  gt: 'greaterThan',
  gte: 'greaterThanInclusive',
  in: 'in',
  not_in: 'notIn',
  contains: 'contains',
  matches: 'matchesPattern',
};
const TOOL_FIELDS = new Set(['tool_name', 'tool', 'tool.name']);
const AGENT_FIELDS = new Set(['agent_id', 'agent.id']);

/** Facts for fields of the toolkit's context. */
export type FieldTable = Readonly<Record<string, FactPath>>;

function factOf(field: string, table: FieldTable): FactPath {
  if (Object.hasOwn(table, field)) return table[field] as FactPath;
  if (TOOL_FIELDS.has(field)) return { fact: 'tool', path: 'name' };
  if (AGENT_FIELDS.has(field)) return { fact: 'agent', path: 'id' };
  if (!/^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/.test(field))
    throw new Inexpressible(`the field ${JSON.stringify(field)}`);
  return { fact: 'context', path: field };
}

interface Rule {
  readonly name: string;
  readonly line: number;
  readonly priority: number;
  readonly effect: ImportedEffect | undefined;
  readonly action: string;
  /** Undefined: it has none, or one beside another. */
  readonly condition: unknown;
  readonly message: string;
  /** Members that are not read. */
  readonly strange: readonly string[];
  /** Whether it says that it is switched off. The toolkit ignores that. */
  readonly isOff: boolean;
}

/** Everything of a rule that is read, and what only describes it. */
const RULE_MEMBERS = new Set(
  'name priority action condition conditions message reason description id tags severity enabled disabled'.split(' '),
);

const FORMS: Readonly<Record<string, 'all' | 'any' | 'not'>> = {
  all: 'all',
  and: 'all',
  any: 'any',
  or: 'any',
  not: 'not',
};

/** The one form of a condition: with a second one, or a member that is not known, a part of it would be lost. @throws {Inexpressible} */
function formOf(condition: Members): readonly [form: string, value: unknown] {
  const names = Object.keys(condition);
  const [form = '', other] = names.filter((name) => Object.hasOwn(FORMS, name));
  if (form !== '' && names.length === 1) return [form, condition[form]];
  if (other !== undefined) throw new Inexpressible(`a condition has both ${form} and ${other}`);
  const strange = names.find(
    (name) => name !== form && (form !== '' || !['field', 'operator', 'value'].includes(name)),
  );
  if (strange !== undefined) throw new Inexpressible(`a condition has the member ${JSON.stringify(strange)}`);
  return ['field', condition];
}

/** A `$` at the end, which there also stands before a last line feed. */
const LAST_DOLLAR = /(?<!\\)((?:\\\\)*)\$$/;

/** Classes of characters that are those of Unicode there, and those of ASCII here. */
const BY_ALPHABET = /\\[dswbDSWB]/;

/** @throws {Inexpressible} */
function comparisonIn({ field, operator, value }: Members, table: FieldTable): WrittenCondition {
  if (typeof field !== 'string' || typeof operator !== 'string')
    throw new Inexpressible('the condition has no field and operator');
  const fact = factOf(field, table);
  if (operator === 'exists') {
    if (value !== undefined && typeof value !== 'boolean') throw new Inexpressible('exists has a value');
    return comparisonOf(fact, 'isPresent', value ?? true);
  }
  const name = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (name === undefined) throw new Inexpressible(`the operator ${JSON.stringify(operator)}`);
  if (name === 'contains' && typeof value === 'string') return textContains(fact, value);
  const isPattern = name === 'matchesPattern' && typeof value === 'string';
  return comparisonOf(fact, name, isPattern ? value.replace(LAST_DOLLAR, '$1\\n?$$') : value);
}

/** @throws {Inexpressible} @throws {ExpressionError} */
function conditionOf(given: unknown, table: FieldTable): WrittenCondition {
  if (typeof given === 'string') {
    const translate = translator({
      factOf: (names) => factOf(names.join('.'), table),
      onUse: () => undefined,
      contains: 'texts',
    });
    return translate(parseExpression(given, 'agt'));
  }
  const [form, value] = formOf(membersOf(given));
  const kind = FORMS[form];
  if (kind === undefined) return comparisonIn(membersOf(value), table);
  if (kind === 'not') return { not: conditionOf(value, table) };
  const parts = itemsOf(value).map((part) => conditionOf(part, table));
  if (parts.length === 0) throw new Inexpressible('a condition is empty');
  return joined(kind, ...parts);
}

/** As the toolkit reads it: texts that are numbers, too. @throws {ImportError} when the order of the rules would be unknown */
function priorityOf(given: unknown, where: string): number {
  const priority = typeof given === 'string' && given.trim() !== '' ? Number(given) : (given ?? 0);
  if (typeof priority === 'number' && Number.isFinite(priority)) return priority;
  throw new ImportError(`${where} has a priority that is no number`);
}

/** A policy document of the toolkit. */
interface Document {
  readonly source: SourceFile;
  readonly rules: readonly Rule[];
  readonly members: Members;
  readonly byDefault: string;
}

/** @throws {ImportError} when the file is no policy document */
function readDocument(source: SourceFile): Document {
  const { name: file, text } = source;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined)
    throw new ImportError(`${file}:${lines.linePos(error.pos[0]).line} is not YAML: ${error.message}`);
  const content: unknown = document.toJS({ maxAliasCount: 100 });
  const members = membersOf(content);
  const items = isMap(document.contents) ? document.contents.get('rules', true) : undefined;
  if (!Array.isArray(members['rules']) || !isSeq(items))
    throw new ImportError(`${file} is no policy document of the toolkit: it has no list "rules"`);
  const rules = members['rules'].map((given: unknown, i): Rule => {
    const rule = membersOf(given);
    const { name, priority, action, condition, conditions, message, description, reason } = rule;
    const node = items.items[i] as { readonly range?: readonly [number, number, number] } | undefined;
    const { line } = lines.linePos(node?.range?.[0] ?? 0);
    return {
      name: lineOf(name) || `rule-${i + 1}`,
      line,
      priority: priorityOf(priority, `${file}:${line}`),
      action: lineOf(action),
      effect: Object.hasOwn(EFFECTS, lineOf(action)) ? EFFECTS[lineOf(action)] : undefined,
      condition: condition !== undefined && conditions !== undefined ? undefined : (condition ?? conditions),
      message: lineOf(message) || lineOf(reason) || lineOf(description) || lineOf(name),
      strange: Object.keys(rule).filter((member) => !RULE_MEMBERS.has(member)),
      isOff: (rule['enabled'] ?? true) !== true || (rule['disabled'] ?? false) !== false,
    };
  });
  const byDefault = lineOf(membersOf(members['defaults'])['action']) || lineOf(members['default_action']);
  return { source, rules, members, byDefault: byDefault === '' ? 'deny' : byDefault };
}

/** The names of tools that conditions compare. */
function toolsIn(condition: unknown): string[] {
  if (Array.isArray(condition)) return condition.flatMap(toolsIn);
  const { fact, path, value, ...rest } = membersOf(condition);
  if (fact === 'tool' && path === 'name') return [value].flat().filter((one): one is string => typeof one === 'string');
  return Object.values(rest).flatMap(toolsIn);
}

/** The patterns that conditions compare with. */
function patternsIn(condition: unknown): string[] {
  if (Array.isArray(condition)) return condition.flatMap(patternsIn);
  const { operator, value, ...rest } = membersOf(condition);
  if (operator === 'matchesPattern') return typeof value === 'string' ? [value] : [];
  return Object.values(rest).flatMap(patternsIn);
}

/** A rule that decides before those of lower priority. */
interface Earlier {
  readonly document: Document;
  readonly priority: number;
  readonly effect: 'ALLOW' | 'ESCALATE';
  readonly condition: WrittenCondition;
}

/**
 * Imports documents that the toolkit loads together: the first of all their rules decides, by priority. A rule of higher priority that permits
 * or asks a human becomes an exception of the refusals below it, because here a refusal always takes precedence. Rules of several documents
 * with one priority have no order that is known here, so that a refusal among them stays.
 * @throws {ImportError}
 */
export function importAgt(
  sources: readonly SourceFile[],
  options: { readonly fields: FieldTable; readonly lexicon: Lexicon },
): ImportResult {
  const documents = sources.map(readDocument);
  const notes: ImportNote[] = [];
  const earlier: Earlier[] = [];
  const parts = new Map(
    documents.map((document) => [
      document,
      { nameOf: distinct(), written: [] as object[], conditions: [] as WrittenCondition[] },
    ]),
  );
  const all = documents.flatMap((document) => document.rules.map((rule) => ({ document, rule })));
  // Array.prototype.sort is stable, so rules of one priority stay in the order of the file.
  for (const { document, rule } of all.sort((a, b) => b.rule.priority - a.rule.priority)) {
    const part = parts.get(document);
    if (part === undefined) continue;
    const { message } = rule;
    const note = (kind: ImportNote['kind'], text: string): void =>
      void notes.push({ file: document.source.name, line: rule.line, rule: rule.name, kind, message: text });
    // Nothing that refuses is lost, so an action that is not known counts as a refusal.
    const effect = rule.effect ?? 'DENY';
    if (rule.effect === undefined)
      note('stricter', `the action ${JSON.stringify(rule.action)} is not known, so it refuses`);
    let condition: WrittenCondition | undefined;
    try {
      if (rule.isOff && effect === 'ALLOW') throw new Inexpressible('it is switched off');
      condition = conditionOf(rule.condition, options.fields);
    } catch (error) {
      if (!(error instanceof Inexpressible || error instanceof ExpressionError)) throw error;
      if (effect === 'ALLOW') {
        note('left out', error.message);
        continue;
      }
      note('stricter', `its condition can't be expressed, so it always holds: ${error.message}`);
    }
    if (rule.isOff) note('stricter', 'it is switched off, which the toolkit ignores, and refuses');
    if (rule.strange.length > 0) note('different', `its members ${rule.strange.join(', ')} are not read`);
    if (patternsIn(condition).some((pattern) => BY_ALPHABET.test(pattern)))
      note(
        'different',
        'the classes \\d, \\s, \\w and \\b of its pattern are those of ASCII here, and of Unicode there',
      );
    if (condition !== undefined) part.conditions.push(condition);
    const name = part.nameOf(slugOf(rule.name, 'rule'));
    const exactness = { missing: 'is false', refuses: true } as const;
    const refuses = effect !== 'ALLOW';
    const own = condition === undefined ? [] : [refuses ? exactly(condition, exactness) : condition];
    const isExcepted = (one: Earlier): boolean =>
      one.effect !== effect && (one.document === document || one.priority > rule.priority);
    const exceptions = refuses
      ? earlier.filter(isExcepted).map((one): WrittenCondition => ({ not: one.condition }))
      : [];
    const [first, ...others] = [...own, ...exceptions];
    const whole = first === undefined ? undefined : joined('all', first, ...others);
    part.written.push(writtenRule({ name, effect, condition: whole, message: message.slice(0, 500) }));
    if (effect !== 'DENY' && condition !== undefined)
      earlier.push({ document, priority: rule.priority, effect, condition: exactly(condition, exactness) });
  }
  const permitting = documents.filter(({ byDefault }) => EFFECTS[byDefault] === 'ALLOW');
  for (const document of permitting) {
    const part = parts.get(document);
    if (permitting.length < documents.length)
      notes.push({
        file: document.source.name,
        line: 1,
        rule: 'by-default',
        kind: 'left out',
        message: 'another of the documents permits nothing by default',
      });
    else
      part?.written.push(
        writtenRule({
          name: part.nameOf('by-default'),
          effect: 'ALLOW',
          condition: undefined,
          message: 'the policy permits what no rule refuses',
        }),
      );
  }
  const files = documents.flatMap((document) => {
    const { written, conditions } = parts.get(document) ?? { written: [], conditions: [] };
    if (written.length === 0) return [];
    const { source, members } = document;
    const id = slugOf(lineOf(members['name']), slugOf(source.name.replace(/\.[^.]*$/, ''), 'imported'));
    const catalogue = catalogueFile({
      server: id,
      names: conditions.flatMap(toolsIn),
      resourceOf: (tool) => `${id}/${slugOf(tool, 'tool')}`,
      lexicon: options.lexicon,
      source: { file: source.name, line: 1 },
    });
    notes.push(...catalogue.notes);
    const description = lineOf(members['description']) || `Imported from ${source.name}.`;
    return [policyFile({ id, description, resources: ['*'], rules: written }), ...catalogue.files];
  });
  const [named] = sources;
  if (files.length === 0) throw new ImportError(`${named?.name ?? 'nothing'} has no rule that can be expressed`);
  const lost = notes.filter(({ kind, rule }) => kind === 'left out' && rule !== 'by-default').length;
  return { files, notes, rules: { found: all.length, imported: all.length - lost } };
}
