// Generates `clients/python/custos_client/models.py`: a dataclass for each object of the API that has a closed list of members.
import { isDeepStrictEqual } from 'node:util';
import {
  type ApiDocument,
  camelCase,
  codeLine,
  firstSentence,
  nameOf,
  pascalCase,
  referencesIn,
  type Schema,
  snakeCase,
  wrapped,
} from './schema.ts';

/** Signed or hashed as they are: they stay dictionaries with the members of the wire. */
const VERBATIM = new Set(['Receipt', 'Promise', 'PromiseBatch']);
/** What the description leaves open. */
const ITEM_TYPES: Readonly<Record<string, string>> = { 'EnforceBatchRequest.requests': 'EnforceRequest' };

/** Members that hold a secret: in no text of their object, so that a log of it has none. */
const SECRETS = new Set(['secret', 'key']);

const HEADER = `# Generated from docs/openapi.json by "npm run generate". Do not edit.
"""The requests and answers of the API, in snake_case; with \`is_camel_case\` JSON has camelCase."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Dict, List, Literal, Optional, TypedDict, Union

from .unset import UNSET, Unset
`;

export class PythonTypes {
  private readonly components: Readonly<Record<string, Schema>>;
  private readonly declarations = new Map<string, string>();
  /** Evaluated when the module is loaded, unlike annotations: they come last. */
  private readonly aliases: string[] = [];
  /** Objects inside components, by member name: equal ones become one class. */
  private readonly inner = new Map<string, { readonly schema: Schema; readonly type: string }[]>();

  /** @param roots the components of requests and answers; those that they refer to follow */
  constructor(document: ApiDocument, roots: readonly string[]) {
    this.components = document.components.schemas;
    const reachable = new Set(roots);
    for (const name of reachable) for (const reference of referencesIn(this.components[name])) reachable.add(reference);
    for (const item of Object.values(ITEM_TYPES)) reachable.add(item);
    for (const name of [...reachable].sort()) this.component(name);
  }

  text(): string {
    return [HEADER, ...this.declarations.values(), '\n\n', ...this.aliases].join('');
  }

  /** The component, following references. */
  resolve(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : (this.components[nameOf(schema.$ref)] ?? {});
  }

  /** Whether `models.py` defines the name. */
  isModel(name: string): boolean {
    return this.components[name] !== undefined || this.declarations.has(name);
  }

  private isDataclass(name: string): boolean {
    return this.declarations.has(name) && !VERBATIM.has(name);
  }

  /** The type of one item of a list. */
  itemOf(list: Schema): string {
    const { properties } = this.resolve(list);
    const parent = list.$ref === undefined ? '' : nameOf(list.$ref);
    return this.typeOf(properties?.['items']?.items ?? {}, parent, singular('items'));
  }

  /** The type of an answer, of which an object without a name gets one from the operation. */
  answerOf(schema: Schema, operation: string): string {
    return this.typeOf(schema, pascalCase(operation), '');
  }

  /** The type of an argument: any sequence, any mapping, and a mapping for each dataclass. */
  accepting(type: string): string {
    return type
      .replaceAll('List[', 'Sequence[')
      .replaceAll('Dict[', 'Mapping[')
      .replace(/\b[A-Z]\w+/g, (word) => (this.isDataclass(word) ? `Union[${word}, Mapping[str, Any]]` : word));
  }

  private component(name: string): void {
    const schema = this.components[name] ?? {};
    if (VERBATIM.has(name)) this.declarations.set(name, this.typedDict(name, schema));
    else if (isClosed(schema)) this.declarations.set(name, this.dataclass(name, schema));
    else {
      const comment = firstSentence(schema.description);
      const lines = [...(comment === '' ? [] : wrapped(comment, '# ')), `${name} = ${this.typeOf(schema, name, '')}`];
      this.aliases.push(`${lines.join('\n')}\n`);
    }
  }

  /** The Python type of a schema. `parent` and `member` name the class of an object that has no name of its own. */
  typeOf(schema: Schema, parent: string, member: string): string {
    if (schema.$ref !== undefined) return nameOf(schema.$ref);
    const variants = schema.anyOf ?? schema.oneOf;
    if (variants !== undefined) return this.unionOf(variants, parent, member);
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    switch (schema.type) {
      case 'string':
        return 'str';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'array': {
        const known = ITEM_TYPES[`${parent}.${member}`];
        return `List[${known ?? this.typeOf(schema.items ?? {}, parent, singular(member))}]`;
      }
      case 'object':
        if (isClosed(schema)) return this.named(schema, parent, member);
        return typeof schema.additionalProperties === 'object'
          ? `Dict[str, ${this.typeOf(schema.additionalProperties, parent, member)}]`
          : 'Dict[str, Any]';
      default:
        return 'Any';
    }
  }

  private unionOf(variants: readonly Schema[], parent: string, member: string): string {
    const isNullable = variants.some((one) => one.type === 'null');
    const others = variants.filter((one) => one.type !== 'null');
    const isAlone = others.length === 1;
    const types = others.map((one) => {
      // Several objects without a name differ in the members that they require.
      const suffix = isAlone || one.$ref !== undefined ? '' : pascalCase((one.required ?? []).join('_'));
      return this.typeOf(one, parent, isAlone ? member : `${member}${suffix}`);
    });
    const union = types.length === 1 ? (types[0] ?? 'Any') : `Union[${[...new Set(types)].join(', ')}]`;
    return isNullable ? `Optional[${union}]` : union;
  }

  private named(schema: Schema, parent: string, member: string): string {
    const known = this.inner.get(member) ?? [];
    const same = known.find((one) => isDeepStrictEqual(one.schema, schema));
    if (same !== undefined) return same.type;
    const type = member === '' && this.isModel(parent) ? `${parent}Item` : `${parent}${pascalCase(member)}`;
    if (this.components[type] !== undefined || this.declarations.has(type))
      throw new Error(`two types are called ${type}`);
    this.inner.set(member, [...known, { schema, type }]);
    const text = this.dataclass(type, schema);
    this.declarations.set(type, text);
    return type;
  }

  private dataclass(type: string, schema: Schema): string {
    const required = new Set(schema.required);
    const names = Object.keys(schema.properties ?? {});
    // A field without a default can not follow one with a default.
    const ordered = [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
    const lines = ['', '', '@dataclass(frozen=True)', `class ${type}:`];
    const comment = firstSentence(schema.description);
    if (comment !== '') lines.push(...docstring(comment, '    '), '');
    if (ordered.some((name) => snakeCase(name).replace(/_$/, '') !== name)) {
      const odd = ordered.find((name) => camelCase(snakeCase(name)) !== name);
      if (odd !== undefined) throw new Error(`${type}.${odd} is not in camelCase, as other members of ${type} are`);
      lines.push('    is_camel_case: ClassVar[bool] = True', '');
    }
    for (const name of ordered) {
      const member = schema.properties?.[name] ?? {};
      const note = firstSentence(member.description);
      if (note !== '') lines.push(...wrapped(note, '    # '));
      lines.push(
        codeLine(`    ${fieldOf(name, this.typeOf(member, type, name), required.has(name), SECRETS.has(name))}`),
      );
    }
    if (ordered.length === 0) lines.push('    pass');
    return `${lines.join('\n')}\n`;
  }

  private typedDict(type: string, schema: Schema): string {
    const required = new Set(schema.required);
    const fields = (areRequired: boolean): string[] =>
      Object.entries(schema.properties ?? {})
        .filter(([name]) => required.has(name) === areRequired)
        .map(([name, member]) => `    ${name}: ${this.typeOf(member, type, name)}`);
    const optional = fields(false);
    // Python 3.9 has no NotRequired: the members that are always there are those of a base class.
    const base = `_${type}Always`;
    const lines = optional.length === 0 ? [] : ['', '', `class ${base}(TypedDict):`, ...fields(true)];
    lines.push('', '', optional.length === 0 ? `class ${type}(TypedDict):` : `class ${type}(${base}, total=False):`);
    const comment = `${firstSentence(schema.description)} A dictionary with the members of the wire: store it as it is.`;
    lines.push(...docstring(comment.trim(), '    '), '');
    lines.push(...(optional.length === 0 ? fields(true) : optional));
    return `${lines.join('\n')}\n`;
  }
}

export function docstring(text: string, indent: string): string[] {
  const [only = '', ...more] = wrapped(text, indent);
  if (more.length === 0 && only.length + 6 <= 110) return [`${indent}"""${only.slice(indent.length)}"""`];
  return [...wrapped(`"""${text}`, indent), `${indent}"""`];
}

function singular(member: string): string {
  return member.endsWith('ies') ? `${member.slice(0, -3)}y` : member.replace(/s$/, '');
}

function literal(value: unknown): string {
  return value === true ? 'True' : value === false ? 'False' : JSON.stringify(value);
}

function fieldOf(name: string, type: string, isRequired: boolean, isHidden: boolean): string {
  // Absent and null are different where null is a value.
  const [full, value] = type.startsWith('Optional[')
    ? [`Union[Unset, ${type}]`, 'UNSET']
    : [`Optional[${type}]`, 'None'];
  const typed = `${snakeCase(name)}: ${isRequired ? type : full}`;
  if (isHidden) return `${typed} = field(${isRequired ? '' : `default=${value}, `}repr=False)`;
  return isRequired ? typed : `${typed} = ${value}`;
}

function isClosed(schema: Schema): boolean {
  return schema.type === 'object' && schema.additionalProperties === false && schema.properties !== undefined;
}
