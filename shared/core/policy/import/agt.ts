// Imports policy documents of Microsoft's Agent Governance Toolkit: rules over a flat context, of which the first by priority decides.
// https://microsoft.github.io/agent-governance-toolkit/specs/AGENT-OS-POLICY-ENGINE-1.0/
import { isMap, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Lexicon } from '../../intent/lexicon/types.ts';
import { type FactPath, Inexpressible, exactly, joined, translator, type WrittenCondition } from './conditions.ts';
import { ExpressionError, parseExpression } from './expression.ts';
import { lineOf, membersOf } from './members.ts';
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
  readonly condition: unknown;
  readonly message: string;
}

/** @throws {Inexpressible} */
function conditionOf(given: unknown, table: FieldTable): WrittenCondition {
  if (typeof given === 'string') {
    const translate = translator({ factOf: (names) => factOf(names.join('.'), table), onUse: () => undefined });
    return translate(parseExpression(given));
  }
  const { field, operator, value, all, any, and, or, not } = membersOf(given);
  for (const [kind, parts] of [
    ['all', all ?? and],
    ['any', any ?? or],
  ] as const)
    if (Array.isArray(parts)) return joined(kind, ...parts.map((part) => conditionOf(part, table)));
  if (not !== undefined) return { not: conditionOf(not, table) };
  if (typeof field !== 'string' || typeof operator !== 'string')
    throw new Inexpressible('the condition has no field and operator');
  if (operator === 'exists') return { ...factOf(field, table), operator: 'isPresent', value: true };
  const name = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (name === undefined) throw new Inexpressible(`the operator ${JSON.stringify(operator)}`);
  return { ...factOf(field, table), operator: name, value };
}

/** @throws {ImportError} when the file is no policy document */
function readDocument({ name: file, text }: SourceFile) {
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
    const { name, priority, action, condition, conditions, message, description, reason } = membersOf(given);
    const node = items.items[i] as { readonly range?: readonly [number, number, number] } | undefined;
    return {
      name: lineOf(name) || `rule-${i + 1}`,
      line: lines.linePos(node?.range?.[0] ?? 0).line,
      priority: typeof priority === 'number' ? priority : 0,
      action: lineOf(action),
      effect: Object.hasOwn(EFFECTS, lineOf(action)) ? EFFECTS[lineOf(action)] : undefined,
      condition: condition ?? conditions,
      message: lineOf(message) || lineOf(reason) || lineOf(description) || lineOf(name),
    };
  });
  const byDefault = lineOf(membersOf(members['defaults'])['action']) || lineOf(members['default_action']);
  return { rules, members, byDefault: byDefault === '' ? 'deny' : byDefault };
}

/** The names of tools that conditions compare. */
function toolsIn(condition: unknown): string[] {
  if (Array.isArray(condition)) return condition.flatMap(toolsIn);
  const { fact, path, value, ...rest } = membersOf(condition);
  if (fact === 'tool' && path === 'name') return [value].flat().filter((one): one is string => typeof one === 'string');
  return Object.values(rest).flatMap(toolsIn);
}

/**
 * Imports one document. A rule of higher priority that permits becomes an exception of the refusals below it, because here a refusal always
 * takes precedence.
 * @throws {ImportError}
 */
export function importAgt(
  source: SourceFile,
  options: { readonly fields: FieldTable; readonly lexicon: Lexicon },
): ImportResult {
  const { rules, members, byDefault } = readDocument(source);
  const notes: ImportNote[] = [];
  const nameOf = distinct();
  const written: object[] = [];
  const permitted: WrittenCondition[] = [];
  const conditions: WrittenCondition[] = [];
  const note = (rule: Rule, kind: ImportNote['kind'], message: string): void => {
    notes.push({ file: source.name, line: rule.line, rule: rule.name, kind, message });
  };
  // Array.prototype.sort is stable, so rules of one priority stay in the order of the file.
  for (const rule of [...rules].sort((a, b) => b.priority - a.priority)) {
    const { message } = rule;
    // Nothing that refuses is lost, so an action that is not known counts as a refusal.
    const effect = rule.effect ?? 'DENY';
    if (rule.effect === undefined)
      note(rule, 'stricter', `the action ${JSON.stringify(rule.action)} is not known, so it refuses`);
    let condition: WrittenCondition | undefined;
    try {
      condition = conditionOf(rule.condition, options.fields);
    } catch (error) {
      if (!(error instanceof Inexpressible || error instanceof ExpressionError)) throw error;
      if (effect === 'ALLOW') {
        note(rule, 'left out', error.message);
        continue;
      }
      note(rule, 'stricter', `its condition can't be expressed, so it always holds: ${error.message}`);
    }
    if (condition !== undefined) conditions.push(condition);
    const name = nameOf(slugOf(rule.name, 'rule'));
    const refuses = effect !== 'ALLOW';
    const own =
      condition === undefined ? [] : [refuses ? exactly(condition, { missing: 'is false', refuses }) : condition];
    const exceptions = refuses ? permitted.map((one): WrittenCondition => ({ not: one })) : [];
    const [first, ...others] = [...own, ...exceptions];
    const whole = first === undefined ? undefined : joined('all', first, ...others);
    written.push(writtenRule({ name, effect, condition: whole, message: message.slice(0, 500) }));
    if (!refuses && condition !== undefined) permitted.push(exactly(condition, { missing: 'is false', refuses: true }));
  }
  const id = slugOf(lineOf(members['name']), slugOf(source.name.replace(/\.[^.]*$/, ''), 'imported'));
  if (EFFECTS[byDefault] === 'ALLOW')
    written.push(
      writtenRule({
        name: nameOf('by-default'),
        effect: 'ALLOW',
        condition: undefined,
        message: 'the policy permits what no rule refuses',
      }),
    );
  const catalogue = catalogueFile({
    server: id,
    names: conditions.flatMap(toolsIn),
    resourceOf: (tool) => `${id}/${slugOf(tool, 'tool')}`,
    lexicon: options.lexicon,
    source: { file: source.name, line: 1 },
  });
  notes.push(...catalogue.notes);
  const description = lineOf(members['description']) || `Imported from ${source.name}.`;
  if (written.length === 0) throw new ImportError(`${source.name} has no rule that can be expressed`);
  return {
    files: [policyFile({ id, description, resources: ['*'], rules: written }), ...catalogue.files],
    notes,
    rules: { found: rules.length, imported: rules.length - notes.filter(({ kind }) => kind === 'left out').length },
  };
}
