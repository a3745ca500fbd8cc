// Generates the operations and resources of the Python client: one method for each operation, once blocking and once for asyncio.
import { ID_NAMES, LEFT_OUT, RESOURCES, type Row, WHOLE } from './resource-table.ts';
import { docstring, PythonTypes } from './models.ts';
import {
  type ApiDocument,
  type ApiOperation,
  answersOf,
  codeLine,
  firstSentence,
  nameOf,
  parametersOf,
  referencesIn,
  type Schema,
  snakeCase,
} from './schema.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const GENERATED = '# Generated from docs/openapi.json by "npm run generate". Do not edit.\n';

interface Argument {
  readonly name: string;
  readonly wire: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** As the default of an optional argument. */
  readonly fallback: 'None' | 'UNSET';
}

interface Method {
  readonly resource: string;
  readonly name: string;
  readonly row: Row;
  readonly comment: string;
  readonly path: readonly Argument[];
  readonly query: readonly Argument[];
  readonly body: readonly Argument[];
  readonly bodyType: string | undefined;
  readonly answer: string;
  /** The type of one item, when the answer is a page of a list. */
  readonly item: string | undefined;
  readonly statuses: readonly number[];
  readonly isText: boolean;
}

/** The three generated modules, by their names. @throws {Error} when an operation of the description has no row */
export function pythonModules(
  document: ApiDocument,
): Readonly<Record<'models' | 'operations' | 'resources' | 'async_resources', string>> {
  checkComplete(document);
  const types = new PythonTypes(document, rootsOf(document));
  const methods = Object.entries(RESOURCES).flatMap(([resource, rows]) =>
    Object.entries(rows).map(([name, one]) => methodOf(document, types, { resource, name, row: one })),
  );
  return {
    models: types.text(),
    operations: operationsText(methods),
    resources: resourcesText(methods, false),
    async_resources: resourcesText(methods, true),
  };
}

function checkComplete({ paths }: ApiDocument): void {
  const known = new Set(
    Object.values(RESOURCES).flatMap((rows) => Object.values(rows).map(({ method, path }) => `${method} ${path}`)),
  );
  for (const [path, operations] of Object.entries(paths)) {
    if (LEFT_OUT.test(path)) continue;
    for (const method of METHODS)
      if (operations[method] !== undefined && !known.has(`${method.toUpperCase()} ${path}`))
        throw new Error(`${method.toUpperCase()} ${path} is missing in test/drift/python/resource-table.ts`);
  }
}

/** The components of the requests and answers in the table. */
function rootsOf({ paths }: ApiDocument): string[] {
  return Object.values(RESOURCES).flatMap((rows) =>
    Object.values(rows).flatMap(({ method, path, body }) => {
      const operation = paths[path]?.[method.toLowerCase()];
      if (operation === undefined) return [];
      return [
        ...referencesIn([operation.parameters, operation.requestBody, answersOf(operation).schemas]),
        ...bodyRoot(body),
      ];
    }),
  );
}

const bodyRoot = (body: string | undefined): string[] => (body === undefined || body.startsWith(WHOLE) ? [] : [body]);

function methodOf(document: ApiDocument, types: PythonTypes, at: { resource: string; name: string; row: Row }): Method {
  const { resource, name, row } = at;
  const operation = document.paths[row.path]?.[row.method.toLowerCase()];
  if (operation === undefined) throw new Error(`the description has no ${row.method} ${row.path}`);
  const parent = `${resource}.${name}`;
  const parameters = parametersOf(operation, document);
  const argument = (one: { name: string; required?: boolean; schema?: Schema }): Argument => ({
    name: one.name === 'id' ? (ID_NAMES[resource] ?? 'id') : snakeCase(one.name),
    wire: one.name,
    type: qualified(types.typeOf(one.schema ?? {}, parent, one.name), types),
    isRequired: one.required === true,
    fallback: 'None',
  });
  const { statuses, schemas, isText } = answersOf(operation);
  const [only] = schemas;
  const page = schemas.length === 1 && only !== undefined ? types.resolve(only) : undefined;
  const isPage = page?.properties?.['nextCursor'] !== undefined && page.properties['items'] !== undefined;
  const item = isPage ? types.itemOf(only ?? {}) : undefined;
  const answers = schemas.map((schema) => types.answerOf(schema, `${resource}_${name}`));
  const bodyType = row.body ?? bodyOf(operation);
  return {
    resource,
    name,
    row,
    comment: firstSentence(operation.summary),
    path: parameters.filter((one) => one.in === 'path').map(argument),
    query: parameters.filter((one) => one.in === 'query').map(argument),
    body: bodyArguments(types, bodyType, document),
    bodyType,
    answer: isText
      ? 'str'
      : qualified(answers.length === 1 ? (answers[0] ?? 'Any') : `Union[${answers.join(', ')}]`, types),
    item: item === undefined ? undefined : qualified(item, types),
    statuses,
    isText,
  };
}

function bodyOf({ requestBody }: ApiOperation): string | undefined {
  const reference = requestBody?.content['application/json']?.schema?.$ref;
  return reference === undefined ? undefined : nameOf(reference);
}

function bodyArguments(types: PythonTypes, body: string | undefined, { components }: ApiDocument): Argument[] {
  if (body === undefined) return [];
  if (body.startsWith(WHOLE))
    return [
      { name: body.slice(WHOLE.length), wire: '', type: 'Mapping[str, Any]', isRequired: true, fallback: 'None' },
    ];
  const schema = components.schemas[body] ?? {};
  return Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const type = types.typeOf(member, body, name);
    const isRequired = (schema.required ?? []).includes(name);
    const fallback = type.startsWith('Optional[') ? 'UNSET' : 'None';
    const accepted = types.accepting(type);
    return { name: snakeCase(name), wire: name, type: qualified(accepted, types), isRequired, fallback };
  });
}

/** Prefixes the names of models. */
function qualified(type: string, types: PythonTypes): string {
  return type.replace(/"[^"]*"|\b[A-Z]\w+/g, (word) => (types.isModel(word) ? `m.${word}` : word));
}

const constantOf = ({ resource, name }: Method): string => `${resource}_${name}`.toUpperCase();

function operationsText(methods: readonly Method[]): string {
  const lines = methods.map((method) => {
    const { row, path, query, bodyType, statuses, isText, answer } = method;
    const pairs = (list: readonly Argument[]): string =>
      list.map(({ name, wire }) => `("${name}", "${wire}")`).join(', ');
    const tuple = (list: readonly Argument[]): string => (list.length === 0 ? '()' : `(${pairs(list)},)`);
    const body =
      bodyType === undefined
        ? 'None'
        : bodyType.startsWith(WHOLE)
          ? `"${bodyType.slice(WHOLE.length)}"`
          : `m.${bodyType}`;
    return [
      `${constantOf(method)}: Operation[${answer}] = Operation(`,
      `    method="${row.method}",`,
      `    path="${row.path}",`,
      `    path_arguments=${tuple(path)},`,
      ...(query.length === 0
        ? ['    query_arguments=(),']
        : ['    query_arguments=(', ...query.map((one) => `        ${pairs([one])},`), '    ),']),
      `    body=${body},`,
      `    answer=${answer},`,
      `    statuses=(${statuses.join(', ')},),`,
      `    is_text=${isText ? 'True' : 'False'},`,
      ')',
    ].join('\n');
  });
  return `${GENERATED}"""The operations of the API, as data."""

from __future__ import annotations

from typing import Union

from . import models as m
from .operation import Operation

${lines.join('\n')}
`;
}

function resourcesText(methods: readonly Method[], isAsync: boolean): string {
  const classes = Object.keys(RESOURCES).map((resource) => {
    const own = methods.filter((method) => method.resource === resource);
    const name = classOf(resource, isAsync);
    return `\n\nclass ${name}(${isAsync ? 'Async' : ''}Resource):\n${own.map((method) => methodText(method, isAsync)).join('\n')}`;
  });
  const caller = isAsync ? 'AsyncResource' : 'Resource';
  return `${GENERATED}"""The operations of the API as ${isAsync ? 'coroutines' : 'methods'}, by resource."""

from __future__ import annotations

from typing import Any, ${isAsync ? 'AsyncIterator' : 'Iterator'}, List, Literal, Mapping, Optional, Sequence, Union

from . import models as m
from . import operations as ops
from .resource import ${caller}
from .unset import UNSET, Unset
${classes.join('')}`;
}

function classOf(resource: string, isAsync: boolean): string {
  return `${isAsync ? 'Async' : ''}${resource.charAt(0).toUpperCase()}${resource.slice(1)}`;
}

/** Whether the body is one argument. */
function isWhole({ bodyType }: Method): boolean {
  return bodyType?.startsWith(WHOLE) === true;
}

function methodText(method: Method, isAsync: boolean): string {
  const { name, item, answer } = method;
  const others = [...(isWhole(method) ? [] : method.body), ...method.query.filter((one) => one.name !== 'cursor')];
  const cursor = method.query.filter((one) => one.name === 'cursor');
  if (item === undefined) return callText(method, { name, others, answer, call: 'call', isAsync });
  // Without a cursor all items are on one page.
  if (cursor.length === 0) return callText(method, { name, others, answer: `List[${item}]`, call: 'items', isAsync });
  const iterator = `${isAsync ? 'AsyncIterator' : 'Iterator'}[${item}]`;
  return [
    callText(method, { name, others, answer: iterator, call: 'iterate', isAsync: false }),
    callText(method, { name: `${name}_page`, others: [...others, ...cursor], answer, call: 'call', isAsync }),
  ].join('\n');
}

interface Shape {
  readonly name: string;
  readonly others: readonly Argument[];
  readonly answer: string;
  readonly call: 'call' | 'items' | 'iterate';
  readonly isAsync: boolean;
}

function callText(method: Method, { name, others, answer, call, isAsync }: Shape): string {
  const ordered = [...others.filter((one) => one.isRequired), ...others.filter((one) => !one.isRequired)];
  const positional = [...method.path, ...(isWhole(method) ? method.body : [])];
  const signature = [
    'self',
    ...positional.map((one) => `${one.name}: ${one.type}`),
    ...(ordered.length > 0 ? ['*'] : []),
  ];
  for (const { name: argument, type, isRequired, fallback } of ordered) {
    if (isRequired) signature.push(`${argument}: ${type}`);
    else if (fallback === 'UNSET') signature.push(`${argument}: Union[Unset, ${type}] = UNSET`);
    else signature.push(`${argument}: Optional[${type}] = None`);
  }
  const place = `${method.row.method} ${method.row.path}`;
  const comment = `${method.comment}: ${place}.`;
  const values = [`ops.${constantOf(method)}`, ...[...positional, ...ordered].map((one) => `${one.name}=${one.name}`)];
  return [
    bracketed(`    ${isAsync ? 'async ' : ''}def ${name}(`, signature, `) -> ${answer}:`),
    ...docstring(comment, '        '),
    bracketed(`        return ${isAsync ? 'await ' : ''}self._${call}(`, values, ')'),
    '',
  ].join('\n');
}

/** On one line if it fits, else with one item per line. */
function bracketed(before: string, items: readonly string[], after: string): string {
  const line = `${before}${items.join(', ')}${after}`;
  if (line.length <= 110) return line;
  const indent = /^ */.exec(before)?.[0] ?? '';
  return [before, ...items.map((one) => codeLine(`${indent}    ${one},`)), `${indent}${after}`].join('\n');
}
