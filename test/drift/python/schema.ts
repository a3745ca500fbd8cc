// The OpenAPI document as the generators of the Python client read it, and the Python spelling of its names.

import type { Schema } from '../openapi-schema.ts';

export type { Schema };

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface ApiOperation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

const REFERENCE = '#/components/schemas/';
const KEYWORDS = new Set([
  'from',
  'in',
  'is',
  'not',
  'or',
  'and',
  'class',
  'def',
  'import',
  'global',
  'pass',
  'return',
]);
const MAX_LINE = 110;

/** The component that a reference names. */
export function nameOf(reference: string): string {
  if (!reference.startsWith(REFERENCE)) throw new Error(`${reference} is not a component schema`);
  return reference.slice(REFERENCE.length);
}

/** The components to which a part of the document refers. */
export function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]: [string, unknown]) => {
    if (name !== '$ref' || typeof one !== 'string') return referencesIn(one);
    return one.startsWith(REFERENCE) ? [nameOf(one)] : [];
  });
}

export function snakeCase(name: string): string {
  const snake = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
  return KEYWORDS.has(snake) ? `${snake}_` : snake;
}

export function camelCase(snake: string): string {
  return snake.replace(/_$/, '').replace(/_([a-z0-9])/g, (_, next: string) => next.toUpperCase());
}

export function pascalCase(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** The first sentence of a description, on one line. */
export function firstSentence(description: string | undefined): string {
  const [first = ''] = (description ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[^.]\.) (?=[A-Z`])/);
  return first.replaceAll('\\', '\\\\').replaceAll('"""', "'''");
}

/** Breaks a text into lines that start with `indent`. */
export function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > MAX_LINE) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, indent + line];
}

/** A line of code; the choices of a Literal that does not fit on it stand below. */
export function codeLine(line: string): string {
  const match = /^( *)(.*?Literal\[)([^\]]*)(\].*)$/.exec(line);
  if (line.length <= MAX_LINE || match === null) return line;
  const [, indent = '', before = '', choices = '', after = ''] = match;
  return [indent + before, ...wrapped(choices, `${indent}    `), indent + after].join('\n');
}

/** The schemas of the answers that are not problem documents. */
export function answersOf({ responses }: ApiOperation): { statuses: number[]; schemas: Schema[]; isText: boolean } {
  const statuses: number[] = [];
  const schemas: Schema[] = [];
  let isText = false;
  for (const [status, { content }] of Object.entries(responses)) {
    const json = content?.['application/json']?.schema;
    if (json === undefined && content?.['text/plain'] === undefined) continue;
    statuses.push(Number(status));
    if (json === undefined) isText = true;
    else if (!schemas.some((one) => JSON.stringify(one) === JSON.stringify(json))) schemas.push(json);
  }
  return { statuses, schemas, isText: isText && schemas.length === 0 };
}

export function parametersOf(operation: ApiOperation, document: ApiDocument): Parameter[] {
  const shared = document.components.parameters ?? {};
  return (operation.parameters ?? []).map((one) =>
    one.$ref === undefined ? one : (shared[one.$ref.slice(one.$ref.lastIndexOf('/') + 1)] ?? one),
  );
}
