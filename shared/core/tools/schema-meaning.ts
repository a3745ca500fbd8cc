// What the input schema of a tool says about its arguments: which name a resource, and which hold code.
import type { ReadKind } from './schema.ts';
import { type Json, objectOf } from '../../kernel/json.ts';

export interface SchemaMeaning {
  readonly resource?: string;
  readonly places?: string[];
  readonly reads?: Record<string, ReadKind>;
  /** An argument is an address elsewhere. */
  readonly hasUrl: boolean;
  /** An argument with code that no reader understands, or that may be absent. */
  readonly unreadCode: string | undefined;
  /** A required list that names no resource: the call is about many things. */
  readonly list: string | undefined;
}

/** Arguments by their names in lower case without separators: `filePath` and `file_path` are `filepath`. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

const PATHS = new Set(['path', 'file', 'filepath', 'filename', 'directory', 'dir', 'folder', 'repopath']);
const PATH_LISTS = new Set(['paths', 'files', 'filepaths', 'filenames']);
const SOURCES = new Set(['source', 'src', 'sourcepath', 'oldpath', 'from']);
const DESTINATIONS = new Set(['destination', 'dest', 'dst', 'destinationpath', 'newpath', 'target', 'to']);
const URLS = new Set(['url', 'uri', 'href']);
const COMMANDS = new Set(['command', 'cmd', 'shell', 'bash', 'commandline']);
const CODE = new Set(
  'code script expression function javascript js eval snippet python pythoncode sourcecode'.split(' '),
);

/** Those of them that hold a whole program. */
const PROGRAMS = new Set(['code', 'script', 'javascript', 'python', 'pythoncode', 'sourcecode']);

interface Argument {
  readonly name: string;
  readonly plain: string;
  readonly kind: 'text' | 'texts' | 'list' | 'other';
  readonly isRequired: boolean;
}

function kindOf(schema: Json): Argument['kind'] {
  if (schema['type'] === 'string') return 'text';
  if (schema['type'] !== 'array') return 'other';
  return objectOf(schema['items'])?.['type'] === 'string' ? 'texts' : 'list';
}

function argumentsOf(schema: Json): Argument[] {
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(objectOf(schema['properties']) ?? {}).map(([name, value]) => ({
    name,
    plain: plain(name),
    kind: kindOf(objectOf(value) ?? {}),
    isRequired: required.includes(name),
  }));
}

function targetOf(args: readonly Argument[]): Pick<SchemaMeaning, 'resource' | 'places'> {
  // Only arguments that are always there: a template with a missing argument makes a call unknown.
  const named = (names: ReadonlySet<string>, kind: Argument['kind']): string | undefined =>
    args.find((one) => one.isRequired && one.kind === kind && names.has(one.plain))?.name;
  const [source, destination] = [named(SOURCES, 'text'), named(DESTINATIONS, 'text')];
  if (source !== undefined && destination !== undefined)
    return { resource: `file/{${destination}}`, places: [`file/{${source}}`] };
  const path = named(PATHS, 'text');
  if (path !== undefined) return { resource: `file/{${path}}` };
  const paths = named(PATH_LISTS, 'texts');
  if (paths !== undefined) return { resource: `file/{${paths}[]}` };
  const url = named(URLS, 'text');
  return url === undefined ? {} : { resource: `url/{${url}}` };
}

/** The language of programs that a tool is given, if its name or description has one. */
function languageIn(about: string): 'python' | 'javascript' | undefined {
  const isPython = /python/i.test(about);
  const isJavaScript = /javascript|typescript|\bnode(?:\.?js)?\b/i.test(about);
  if (isPython === isJavaScript) return undefined;
  return isPython ? 'python' : 'javascript';
}

function readKindOf({ plain: name, kind }: Argument, about: string): ReadKind | 'code' | undefined {
  const isAboutSql = /(?:^|[^a-z])sql(?:[^a-z]|$)|sqlite|postgres|mysql/i.test(about);
  const language = name === 'python' || name === 'javascript' ? name : languageIn(about);
  if (PROGRAMS.has(name) && kind === 'text' && language !== undefined) return language;
  if (COMMANDS.has(name) || /(?:command|cmd)$/.test(name)) return kind === 'text' ? 'shell' : 'code';
  if (name === 'sql' || (isAboutSql && (name === 'query' || name === 'statement')))
    return kind === 'text' ? 'sql' : 'code';
  return CODE.has(name) ? 'code' : undefined;
}

/** @param about the name and description of the tool @param inputSchema as the server gave it */
export function meaningOfSchema(inputSchema: unknown, about: string): SchemaMeaning {
  const args = argumentsOf(objectOf(inputSchema) ?? {});
  const reads: Record<string, ReadKind> = {};
  let unreadCode: string | undefined;
  for (const one of args) {
    const kind = readKindOf(one, about);
    if (kind === undefined) continue;
    if (kind === 'code' || !one.isRequired) unreadCode ??= one.name;
    else reads[one.name] = kind;
  }
  const target = targetOf(args);
  const list = args.find(({ kind, isRequired }) => isRequired && (kind === 'list' || kind === 'texts'))?.name;
  return {
    ...target,
    hasUrl: args.some((one) => URLS.has(one.plain)),
    ...(Object.keys(reads).length === 0 ? {} : { reads }),
    unreadCode,
    list: target.resource === undefined ? list : undefined,
  };
}
