// Imports Cerbos resource policies with their derived roles. Actions are the tools of a server that is named like the kind of resource, roles are
// tags of agents. https://docs.cerbos.dev/cerbos/latest/policies/
import { LineCounter, parseAllDocuments } from 'yaml';
import type { Lexicon } from '../../intent/lexicon/types.ts';
import { type FactPath, Inexpressible, exactly, joined, translator, type WrittenCondition } from './conditions.ts';
import { type Expression, ExpressionError, parseExpression } from './expression.ts';
import { itemsOf, type Members, membersOf, textOf, textsOf } from './members.ts';
import {
  both,
  catalogueFile,
  createAttributes,
  distinct,
  ImportError,
  type ImportedTools,
  type ImportNote,
  type ImportResult,
  policyFile,
  slugOf,
  type SourceFile,
  toolIs,
  writtenRule,
} from './result.ts';

interface Document {
  readonly file: string;
  readonly content: Members;
  /** The line of a node of the document, from 1. @param path its members and positions */
  readonly lineOf: (path: readonly (string | number)[]) => number;
}

/** @throws {ImportError} */
function documentsOf(sources: readonly SourceFile[]): Document[] {
  return sources.flatMap(({ name: file, text }) => {
    const lines = new LineCounter();
    return parseAllDocuments(text, { lineCounter: lines }).flatMap((document): Document[] => {
      const [error] = document.errors;
      if (error !== undefined)
        throw new ImportError(`${file}:${lines.linePos(error.pos[0]).line} is not YAML: ${error.message}`);
      const content = membersOf(document.toJS({ maxAliasCount: 100 }));
      const lineOf = (path: readonly (string | number)[]): number => {
        const node = document.getIn(path, true) as { readonly range?: readonly number[] } | undefined;
        return lines.linePos(node?.range?.[0] ?? 0).line;
      };
      return [{ file, content, lineOf }];
    });
  });
}

/** Short names of CEL in Cerbos. */
const SHORT: Readonly<Record<string, readonly string[]>> = {
  R: ['request', 'resource'],
  P: ['request', 'principal'],
  C: ['constants'],
  V: ['variables'],
};

function factOf(given: readonly string[]): FactPath {
  const [root = '', ...rest] = given;
  const names = [...(SHORT[root] ?? [root]), ...rest];
  const [request, side, member, attribute, ...deeper] = names;
  if (request === 'request' && (side === 'principal' || side === 'resource')) {
    if ((member === 'attr' || member === 'attributes') && attribute !== undefined) {
      if (deeper.length > 0) throw new Inexpressible(`${given.join('.')} is inside an attribute`);
      return { fact: side === 'principal' ? 'agent' : 'resource', path: `attributes.${attribute}` };
    }
    if (side === 'principal' && member === 'id' && attribute === undefined) return { fact: 'agent', path: 'id' };
    if (side === 'principal' && member === 'roles' && attribute === undefined) return { fact: 'agent', path: 'tags' };
  }
  throw new Inexpressible(`${given.join('.')} has no equal`);
}

/** Replaces constants and variables by what they stand for. */
function substitute(of: Expression, defined: ReadonlyMap<string, Expression>, depth = 0): Expression {
  if (depth > 20) throw new Inexpressible('its variables refer to each other');
  const inside = (one: Expression): Expression => substitute(one, defined, depth);
  switch (of.kind) {
    case 'literal':
    case 'pattern':
      return of;
    case 'list':
      return { ...of, items: of.items.map(inside) };
    case 'path': {
      const [root = '', name, ...members] = of.names;
      const kind = (SHORT[root] ?? [root])[0];
      if ((kind !== 'constants' && kind !== 'variables') || name === undefined) return of;
      const known = defined.get(`${kind}.${name}`);
      if (known === undefined || members.length > 0) throw new Inexpressible(`${of.names.join('.')} is not known`);
      return substitute(known, defined, depth + 1);
    }
    case 'call':
      return { ...of, target: of.target === undefined ? undefined : inside(of.target), args: of.args.map(inside) };
    case 'not':
      return { ...of, of: inside(of.of) };
    case 'binary':
      return { ...of, left: inside(of.left), right: inside(of.right) };
  }
}

type Defined = ReadonlyMap<string, Expression>;

function literal(value: unknown): Expression {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(literal) };
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return { kind: 'literal', value };
  throw new Inexpressible('a constant has members');
}

/** The constants and variables of a policy. Those that can't be read are unknown, and so is what uses them. */
function definitionsOf(policy: Members): Defined {
  const defined = new Map<string, Expression>();
  const add = (name: string, read: () => Expression): void => {
    try {
      defined.set(name, read());
    } catch (error) {
      if (!(error instanceof Inexpressible || error instanceof ExpressionError)) throw error;
    }
  };
  for (const [name, value] of Object.entries(membersOf(membersOf(policy['constants'])['local'])))
    add(`constants.${name}`, () => literal(value));
  for (const [name, value] of Object.entries(membersOf(membersOf(policy['variables'])['local'])))
    add(`variables.${name}`, () => parseExpression(textOf(value), 'cel'));
  return defined;
}

/** A `match` of Cerbos. @throws {Inexpressible} @throws {ExpressionError} */
function matchOf(match: Members, read: (expression: string) => WrittenCondition): WrittenCondition {
  const { expr, all, any, none } = match;
  if (typeof expr === 'string') return read(expr);
  for (const [kind, given] of [
    ['all', all],
    ['any', any],
    ['any', none],
  ] as const) {
    if (given === undefined) continue;
    const parts = itemsOf(membersOf(given)['of']).map((part) => matchOf(membersOf(part), read));
    if (parts.length === 0) throw new Inexpressible('a condition is empty');
    const whole = joined(kind, ...parts);
    return given === none && none !== undefined ? { not: whole } : whole;
  }
  throw new Inexpressible('a condition has no expression');
}

/** Undefined: every role. @throws {Inexpressible} without any */
const taggedWith = (roles: readonly string[]): WrittenCondition | undefined => {
  if (roles.length === 0) throw new Inexpressible('no roles are named');
  if (roles.includes('*')) return undefined;
  const [only] = roles;
  return roles.length === 1
    ? { fact: 'agent', path: 'tags', operator: 'contains', value: only }
    : { fact: 'agent', path: 'tags', operator: 'containsAny', value: [...roles] };
};

/**
 * Policies for one principal and for roles are not read, so they must refuse nothing. A policy for a role does: it denies the role whatever
 * it does not list. @throws {ImportError}
 */
function refuseDenials({ file, content, lineOf }: Document): void {
  if ('rolePolicy' in content)
    throw new ImportError(
      `${file}:${lineOf(['rolePolicy'])} a policy for a role refuses all that it does not list, which can't be expressed`,
    );
  const policy = membersOf(content['principalPolicy']);
  for (const [i, rule] of itemsOf(policy['rules']).entries())
    for (const [j, given] of itemsOf(membersOf(rule)['actions']).entries()) {
      const { action, name, effect } = membersOf(given);
      // Anything else than a permission refuses, also a misspelled effect.
      if (effect === 'EFFECT_ALLOW') continue;
      const line = lineOf(['principalPolicy', 'rules', i, 'actions', j]);
      const title = textOf(name) || textOf(action);
      throw new ImportError(
        `${file}:${line} ${title}: a refusal for the principal ${textOf(policy['principal'])} can't be expressed`,
      );
    }
}

interface ScopeAndVersion {
  /** Empty: it applies whatever scope a request has. */
  readonly scope: string;
  /** As notes about it. */
  readonly notes: readonly ImportNote[];
}

/**
 * Requests here have neither a scope nor a version. What a scope permits is left out, and what it refuses is refused everywhere.
 * @param versions of the resources that were read before @throws {ImportError}
 */
function scopeAndVersionOf({ file, content, lineOf }: Document, versions: Map<string, string>): ScopeAndVersion {
  const policy = membersOf(content['resourcePolicy']);
  const kind = textOf(policy['resource']);
  const at = (member: string): number => lineOf(['resourcePolicy', member]);
  const version = textOf(policy['version']) || 'default';
  const other = versions.get(kind);
  if (other !== undefined && other !== version)
    throw new ImportError(
      `${file}:${at('version')} the policy for ${kind} has the versions ${other} and ${version}: import one of them`,
    );
  versions.set(kind, version);
  const scope = textOf(policy['scope']);
  const permissions = textOf(policy['scopePermissions']);
  if (scope !== '' && permissions !== '' && !/^SCOPE_PERMISSIONS_(?:UNSPECIFIED|OVERRIDE_PARENT)$/.test(permissions))
    throw new ImportError(
      `${file}:${at('scopePermissions')} ${permissions} refuses in the scope ${scope} what it does not list, which can't be expressed`,
    );
  const note = (member: string, kindOfNote: ImportNote['kind'], message: string): ImportNote => ({
    file,
    line: at(member),
    rule: '',
    kind: kindOfNote,
    message,
  });
  return {
    scope,
    notes: [
      ...(scope === '' ? [] : [note('scope', 'stricter', `what it refuses in the scope ${scope} is refused in all`)]),
      ...(version === 'default'
        ? []
        : [note('version', 'different', `it is read as the only version; it is ${version}`)]),
    ],
  };
}

/** @throws {ImportError} */
export function importCerbos(sources: readonly SourceFile[], options: { readonly lexicon: Lexicon }): ImportResult {
  const all = documentsOf(sources);
  const documents = all.filter(({ content }) => content['disabled'] !== true);
  const attributes = createAttributes();
  const translate = translator({ factOf, onUse: attributes.use, contains: 'texts' });
  const reader =
    (defined: Defined) =>
    (text: string): WrittenCondition =>
      translate(substitute(parseExpression(text, 'cel'), defined));
  const conditionOf = (given: unknown, defined: Defined): WrittenCondition | undefined =>
    given === undefined ? undefined : matchOf(membersOf(membersOf(given)['match']), reader(defined));

  /** The names of derived roles, by the JSON of their conditions. */
  const names = new Map<string, string>();
  /** By the name of their set, and their own. */
  const derived = new Map<string, Map<string, () => WrittenCondition | undefined>>();
  for (const { file, content, lineOf } of documents) {
    if (!('derivedRoles' in content)) continue;
    const roles = membersOf(content['derivedRoles']);
    const defined = definitionsOf(roles);
    const set = new Map<string, () => WrittenCondition | undefined>();
    const title = textOf(roles['name']);
    if (derived.has(title))
      throw new ImportError(`${file}:${lineOf(['derivedRoles', 'name'])} there are two sets of derived roles ${title}`);
    derived.set(title, set);
    for (const definition of itemsOf(roles['definitions']).map(membersOf)) {
      const name = textOf(definition['name']);
      set.set(name, () => {
        const role = both(
          taggedWith(textsOf(definition['parentRoles'])),
          conditionOf(definition['condition'], defined),
        );
        if (role !== undefined) names.set(JSON.stringify(role), slugOf(name, 'role'));
        return role;
      });
    }
  }
  /** A role of the sets that a policy imports: another set may have one of the same name. @throws {Inexpressible} */
  const derivedRole = (name: string, sets: readonly string[]): WrittenCondition | undefined => {
    const known = sets.flatMap((set) => derived.get(set)?.get(name) ?? []);
    const [only, other] = known;
    if (only === undefined)
      throw new Inexpressible(`the derived role ${name} is in none of the files that importDerivedRoles names`);
    if (other !== undefined) throw new Inexpressible(`several imported sets have a derived role ${name}`);
    return only();
  };

  const notes = all
    .filter(({ content }) => content['disabled'] === true)
    .map(
      ({ file, lineOf }): ImportNote => ({
        file,
        line: lineOf(['disabled']),
        rule: '',
        kind: 'different',
        message: 'it is disabled there, so it is not read',
      }),
    );
  const files: ImportResult['files'][number][] = [];
  /** The tools of a server, and where it was named first. */
  const catalogues = new Map<string, { readonly names: string[]; readonly source: ImportedTools['source'] }>();
  const versions = new Map<string, string>();
  let found = 0;
  let imported = 0;
  for (const document of documents) {
    const { file, content, lineOf } = document;
    refuseDenials(document);
    if ('principalPolicy' in content || 'exportVariables' in content)
      notes.push({
        file,
        line: 1,
        rule: '',
        kind: 'different',
        message: 'only resource policies and derived roles are read',
      });
    const policy = membersOf(content['resourcePolicy']);
    const kind = textOf(policy['resource']);
    if (kind === '') continue;
    const { scope, notes: aboutPolicy } = scopeAndVersionOf(document, versions);
    notes.push(...aboutPolicy);
    const imports = textsOf(policy['importDerivedRoles']);
    const server = slugOf(kind, 'resource');
    const defined = definitionsOf(policy);
    const nameOf = distinct();
    const source = { file, line: lineOf(['resourcePolicy', 'rules']) };
    const catalogue = catalogues.get(server) ?? { names: [], source };
    catalogues.set(server, catalogue);
    const rules: object[] = [];
    for (const [i, given] of itemsOf(policy['rules']).entries()) {
      found += 1;
      const rule = membersOf(given);
      const actions = textsOf(rule['actions']);
      // Anything else than a permission refuses, also a misspelled effect.
      const refuses = rule['effect'] !== 'EFFECT_ALLOW';
      const who = [...textsOf(rule['roles']), ...textsOf(rule['derivedRoles'])].join(' ');
      const title = textOf(rule['name']) || `${actions.join(' ')} ${who}`.replaceAll('*', 'anything');
      const note = (notKind: ImportNote['kind'], message: string): void => {
        notes.push({ file, line: lineOf(['resourcePolicy', 'rules', i]), rule: title, kind: notKind, message });
      };
      if (rule['output'] !== undefined) note('different', 'its output is not read');
      /** For a rule that refuses, a part that has no equal is taken to hold. */
      const orAlways = (read: () => WrittenCondition | undefined): WrittenCondition | undefined => {
        try {
          return read();
        } catch (error) {
          if (!(error instanceof Inexpressible || error instanceof ExpressionError) || !refuses) throw error;
          note('stricter', `a part can't be expressed and is taken to hold: ${error.message}`);
          return undefined;
        }
      };
      try {
        if (scope !== '' && !refuses) throw new Inexpressible(`it permits only in the scope ${scope}`);
        if (actions.some((action) => action !== '*' && action.includes('*')))
          throw new Inexpressible('a pattern of actions');
        const asked = actions.includes('*') ? undefined : toolIs(actions);
        const principal = orAlways(() => {
          const roles = textsOf(rule['roles']);
          const alternatives = [
            ...(roles.length === 0 ? [] : [taggedWith(roles)]),
            ...textsOf(rule['derivedRoles']).map((name) => derivedRole(name, imports)),
          ];
          if (alternatives.length === 0) throw new Inexpressible('no roles are named');
          const narrow = alternatives.filter((one): one is WrittenCondition => one !== undefined);
          const [first, ...others] = narrow;
          return first === undefined || narrow.length < alternatives.length
            ? undefined
            : joined('any', first, ...others);
        });
        const condition = orAlways(() => conditionOf(rule['condition'], defined));
        const whole = both(both(asked, principal), condition);
        rules.push(
          writtenRule({
            name: nameOf(slugOf(title, `rule-${i + 1}`)),
            effect: refuses ? 'DENY' : 'ALLOW',
            condition: whole && exactly(whole, { missing: 'fails', refuses }),
            message: `${title} ${refuses ? 'is denied' : 'is permitted'}`,
          }),
        );
        catalogue.names.push(...actions.filter((action) => action !== '*'));
        imported += 1;
      } catch (error) {
        if (!(error instanceof Inexpressible || error instanceof ExpressionError)) throw error;
        if (refuses)
          throw new ImportError(`${file}:${lineOf(['resourcePolicy', 'rules', i])} ${title}: ${error.message}`);
        note('left out', error.message);
      }
    }
    if (rules.length > 0)
      files.push(
        policyFile({
          id: scope === '' ? server : `${server}-${slugOf(scope, 'scope')}`,
          description: textOf(content['description']).trim() || `Imported from ${file}.`,
          resources: [`${server}/*`],
          rules,
        }),
      );
  }
  for (const [server, tools] of catalogues) {
    const { lexicon } = options;
    const made = catalogueFile({ server, ...tools, resourceOf: () => `${server}/{id}`, lexicon });
    files.push(...made.files);
    notes.push(...made.notes);
  }
  if (found === 0) throw new ImportError('the files have no resource policy of Cerbos with rules');
  if (imported === 0) throw new ImportError('no rule can be expressed');
  return { files: [...files, ...attributes.files()], notes, rules: { found, imported }, names };
}
