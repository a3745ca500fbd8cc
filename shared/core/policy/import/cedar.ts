// Imports Cedar policies. Actions are the tools of a server, principals are agents, groups are their tags.
// https://docs.cedarpolicy.com/policies/syntax-grammar.html
import type { Lexicon } from '../../intent/lexicon/types.ts';
import { canonicalResource, isPattern } from '../../intent/resource.ts';
import { resourceOf } from '../../authzen/question.ts';
import {
  type FactPath,
  Inexpressible,
  exactly,
  joined,
  readsToolName,
  translator,
  type WrittenCondition,
} from './conditions.ts';
import { ExpressionError, Parser, type Token, tokensOf } from './expression.ts';
import {
  both,
  catalogueFile,
  createAttributes,
  distinct,
  ImportError,
  type ImportNote,
  type ImportResult,
  lineAt,
  policyFile,
  slugOf,
  type SourceFile,
  toolIs,
  writtenRule,
} from './result.ts';

interface Entity {
  readonly type: string;
  readonly id: string;
}
/** One of the three parts of a policy's head. */
type Scope =
  | { readonly kind: 'any' }
  | { readonly kind: 'equal' | 'in'; readonly entities: readonly Entity[] }
  | { readonly kind: 'is'; readonly type: string; readonly within: Entity | undefined };

/** What stands before the parentheses. */
interface Head {
  /** Undefined without `@id`. */
  readonly id: string | undefined;
  readonly effect: 'ALLOW' | 'DENY';
}
interface CedarPolicy {
  readonly principal: Scope;
  readonly action: Scope;
  readonly resource: Scope;
  /** Reads the conditions, which may have no equal. */
  readonly conditions: readonly { readonly isUnless: boolean; readonly of: ReturnType<Parser['expression']> }[];
}

function entity(parser: Parser): Entity {
  if (parser.peek().text === '?') throw new Inexpressible('it is a template');
  let type = parser.name();
  for (;;) {
    parser.expect('::');
    if (parser.peek().kind === 'text') return { type, id: parser.text() };
    type += `::${parser.name()}`;
  }
}

function typeName(parser: Parser): string {
  let type = parser.name();
  while (parser.take('::')) type += `::${parser.name()}`;
  return type;
}

function scope(parser: Parser, of: string): Scope {
  parser.expect(of);
  if (parser.take('==')) return { kind: 'equal', entities: [entity(parser)] };
  if (parser.take('is')) {
    const type = typeName(parser);
    return { kind: 'is', type, within: parser.take('in') ? entity(parser) : undefined };
  }
  if (!parser.take('in')) return { kind: 'any' };
  if (!parser.take('[')) return { kind: 'in', entities: [entity(parser)] };
  const entities: Entity[] = [];
  while (!parser.take(']')) {
    entities.push(entity(parser));
    parser.take(',');
  }
  return { kind: 'in', entities };
}

function headOf(parser: Parser): Head {
  let id: string | undefined;
  while (parser.take('@')) {
    const annotation = parser.name();
    if (!parser.take('(')) continue;
    const value = parser.text();
    parser.expect(')');
    if (annotation === 'id') id = value;
  }
  const effect = parser.take('permit') ? 'ALLOW' : 'DENY';
  if (effect === 'DENY') parser.expect('forbid');
  return { id, effect };
}

function restOf(parser: Parser): CedarPolicy {
  parser.expect('(');
  const principal = scope(parser, 'principal');
  parser.expect(',');
  const action = scope(parser, 'action');
  parser.expect(',');
  const resource = scope(parser, 'resource');
  parser.take(',');
  parser.expect(')');
  const conditions: { isUnless: boolean; of: ReturnType<Parser['expression']> }[] = [];
  while (!parser.take(';')) {
    const isUnless = parser.take('unless');
    if (!isUnless) parser.expect('when');
    parser.expect('{');
    conditions.push({ isUnless, of: parser.expression() });
    parser.expect('}');
  }
  return { principal, action, resource, conditions };
}

/** An entity as requests name it, so that what is split in them is split here. */
function resourceNamed({ type, id }: Entity): string {
  const read = resourceOf({ type, id });
  if (!read.ok)
    throw new Inexpressible(`the entity ${type}::${JSON.stringify(id)} makes no resource: it ${read.message}`);
  return read.value;
}

/** All resources of a type. */
function allOf(type: string): string {
  const read = canonicalResource(type);
  if (!read.ok || isPattern(read.resource)) throw new Inexpressible(`the type ${type} makes no resource`);
  return `${read.resource}/*`;
}

/** The resources of a target. */
function targetOf(resource: Scope): string[] {
  if (resource.kind === 'any') return ['*'];
  if (resource.kind === 'is') {
    if (resource.within !== undefined) throw new Inexpressible('the type and the parent of a resource together');
    return [allOf(resource.type)];
  }
  return resource.entities.flatMap((one) =>
    resource.kind === 'equal' ? [resourceNamed(one)] : [resourceNamed(one), `${resourceNamed(one)}/*`],
  );
}

/** The type of principals that needs no tag. */
const AGENT = 'Agent';
const taggedWith = (tag: string): WrittenCondition => ({
  fact: 'agent',
  path: 'tags',
  operator: 'contains',
  value: tag,
});
const idIs = (id: string): WrittenCondition => ({ fact: 'agent', path: 'id', operator: 'equal', value: id });

/** The types of principals: agents, and what a file compares a principal with. Other types are those of groups. */
function principalTypesIn(tokens: readonly Token[]): ReadonlySet<string> {
  const types = new Set([AGENT]);
  for (const [i, { kind, text }] of tokens.entries()) {
    if (kind !== 'name' || text !== 'principal' || !['==', '!=', 'is'].includes(tokens[i + 1]?.text ?? '')) continue;
    const names: string[] = [];
    for (let at = i + 2; tokens[at]?.kind === 'name'; at += 2) {
      names.push(tokens[at]?.text ?? '');
      if (tokens[at + 1]?.text !== '::') break;
    }
    types.add(names.join('::'));
  }
  return types;
}

/** In a group. A principal is in itself; an agent that is named like a group is not in it. */
const memberOf = ({ type, id }: Entity, principals: ReadonlySet<string>): WrittenCondition =>
  principals.has(type) ? joined('any', taggedWith(id), idIs(id)) : taggedWith(id);

function principalOf(principal: Scope, principals: ReadonlySet<string>): WrittenCondition | undefined {
  if (principal.kind === 'any') return undefined;
  if (principal.kind === 'is') {
    const { type, within } = principal;
    return both(type === AGENT ? undefined : taggedWith(type), within && memberOf(within, principals));
  }
  const [first, ...others] = principal.entities.map((one) =>
    principal.kind === 'equal' ? idIs(one.id) : memberOf(one, principals),
  );
  return first === undefined ? undefined : joined('any', first, ...others);
}

function factOf(names: readonly string[]): FactPath {
  const [root, ...members] = names;
  const [member] = members;
  if (root === 'context' && member !== undefined) return { fact: 'context', path: members.join('.') };
  if (root === 'action' && member === undefined) return { fact: 'tool', path: 'name' };
  if (root === 'principal' && member === undefined) return { fact: 'agent', path: 'id' };
  if ((root === 'principal' || root === 'resource') && member !== undefined) {
    if (members.length > 1) throw new Inexpressible(`${names.join('.')} is a member of another entity`);
    return { fact: root === 'principal' ? 'agent' : 'resource', path: `attributes.${member}` };
  }
  throw new Inexpressible(`${names.join('.')} has no equal`);
}

/** Where the next policy starts after an error: behind the next semicolon. */
function skip(parser: Parser): void {
  while (parser.peek().kind !== 'end' && !parser.take(';')) parser.next();
}

/** @throws {ImportError} */
function tokensIn({ name, text }: SourceFile): Token[] {
  try {
    return tokensOf(text);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new ImportError(`${name}:${lineAt(text, error.at)} is not Cedar: ${error.message}`);
  }
}

/** @throws {ImportError} when nothing of the file can be read */
export function importCedar(source: SourceFile, options: { readonly lexicon: Lexicon }): ImportResult {
  const tokens = tokensIn(source);
  const principals = principalTypesIn(tokens);
  const parser = new Parser(tokens, 'cedar');
  const attributes = createAttributes();
  const translate = translator({
    factOf,
    entityText: (_type, id) => id,
    onUse: attributes.use,
    contains: 'lists',
    memberOf: (names, [type = '', id = '']) => {
      if (names.length !== 1 || names[0] !== 'principal') throw new Inexpressible('only principals are in groups');
      return memberOf({ type, id }, principals);
    },
  });
  const notes: ImportNote[] = [];
  const nameOf = distinct();
  const byTarget = new Map<string, { resources: string[]; rules: object[] }>();
  const tools = new Set<string>();
  const id = slugOf(source.name.replace(/\.[^.]*$/, ''), 'cedar');
  let found = 0;
  let imported = 0;
  while (parser.peek().kind !== 'end') {
    found += 1;
    const fallback = `policy-${found}`;
    const line = lineAt(source.text, parser.peek().at);
    const note = (rule: string, kind: ImportNote['kind'], message: string): void => {
      notes.push({ file: source.name, line, rule, kind, message });
    };
    let head: Head | undefined;
    let read: CedarPolicy;
    try {
      head = headOf(parser);
      read = restOf(parser);
    } catch (error) {
      if (!(error instanceof ExpressionError || error instanceof Inexpressible)) throw error;
      // Nothing that permits may be kept when something that refuses is lost.
      if (error instanceof ExpressionError)
        throw new ImportError(`${source.name}:${lineAt(source.text, error.at)} can't be read: ${error.message}`);
      if (head?.effect !== 'ALLOW')
        throw new ImportError(`${source.name}:${line} a forbid can't be expressed: ${error.message}`);
      note(head.id ?? fallback, 'left out', error.message);
      skip(parser);
      continue;
    }
    const title = head.id ?? fallback;
    const name = nameOf(slugOf(title, fallback));
    const refuses = head.effect === 'DENY';
    try {
      const resources = targetOf(read.resource);
      const action = actionCondition(read.action, tools);
      const scopes = both(action, principalOf(read.principal, principals));
      const conditions = read.conditions.map(({ isUnless, of }): WrittenCondition | undefined => {
        try {
          const condition = translate(of);
          return isUnless ? { not: condition } : condition;
        } catch (error) {
          if (!(error instanceof Inexpressible) || !refuses) throw error;
          note(title, 'stricter', `a condition can't be expressed and is taken to hold: ${error.message}`);
          return undefined;
        }
      });
      const stated = conditions.reduce(both, scopes);
      // An action is one of the application whose policies these are, not a tool of that name on any server.
      const isOfTool = !refuses && read.resource.kind === 'any' && stated !== undefined && readsToolName(stated);
      const whole = isOfTool ? both(serverIs(id), stated) : stated;
      const condition = whole && exactly(whole, { missing: 'fails in order', refuses });
      const key = resources.join(' ');
      const policyOfTarget = byTarget.get(key) ?? { resources, rules: [] };
      byTarget.set(key, policyOfTarget);
      const message = refuses ? `${title} forbids it` : `${title} permits it`;
      policyOfTarget.rules.push(writtenRule({ name, effect: head.effect, condition, message }));
      if (isOfTool) note(title, 'stricter', `its actions are permitted as tools of the server ${id} alone`);
      for (const message of assumptionsOf(read)) note(title, 'different', message);
      imported += 1;
    } catch (error) {
      if (!(error instanceof Inexpressible)) throw error;
      if (refuses)
        throw new ImportError(`${source.name}:${line} the forbid ${title} can't be expressed: ${error.message}`);
      note(title, 'left out', error.message);
    }
  }
  if (byTarget.size === 0) throw new ImportError(`${source.name} has no policy that can be expressed`);
  const catalogue = catalogueFile({
    server: id,
    names: tools,
    resourceOf: (tool) => `${id}/${slugOf(tool, 'tool')}`,
    lexicon: options.lexicon,
    source: { file: source.name, line: 1 },
  });
  notes.push(...catalogue.notes);
  const policies = [...byTarget.values()].map(({ resources, rules }, i) =>
    policyFile({
      id: byTarget.size === 1 ? id : `${id}-${i + 1}`,
      description: `Imported from ${source.name}.`,
      resources,
      rules,
    }),
  );
  return { files: [...policies, ...attributes.files(), ...catalogue.files], notes, rules: { found, imported } };
}

const serverIs = (id: string): WrittenCondition => ({ fact: 'tool', path: 'server', operator: 'equal', value: id });

function actionCondition(action: Scope, tools: Set<string>): WrittenCondition | undefined {
  if (action.kind === 'any') return undefined;
  if (action.kind === 'is') throw new Inexpressible('the type of an action');
  const names = action.entities.map(({ id }) => id);
  for (const name of names) tools.add(name);
  return toolIs(names);
}

/** What the entities of Cedar, which are not part of the policies, decide there. */
function assumptionsOf({ principal, action, resource }: CedarPolicy): string[] {
  const messages: string[] = [];
  if (principal.kind === 'is' && principal.type !== AGENT)
    messages.push(`agents that are a ${principal.type} are taken to have the tag ${principal.type}`);
  if (action.kind === 'in') messages.push('the actions are taken to be tools, not groups of actions');
  if (resource.kind === 'in') messages.push('what belongs to the resource is taken to be below it in its path');
  return messages;
}
