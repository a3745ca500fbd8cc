// Words of programs, of SQL and of sentences around code: their schema, and the sets that the readers of code use.
import Type, { type Static } from 'typebox';
import { list, object } from './parts.ts';

const CodeWord = Type.String({ pattern: '^[$a-z][$a-z0-9_-]*\\*?$', maxLength: 40 });
const words = (...example: readonly string[]) => Type.Optional(list(CodeWord, example));

const MEMBERS = {
  httpClients: words('fetch', 'axios'),
  shellCalls: words('popen'),
  evaluators: words('eval'),
  commandCalls: words('runcommand', 'bulkwrite'),
  systemObjects: words('prisma', 'fs'),
  pureFunctions: words('isinstance'),
  queries: words('execute'),
  sqlHeads: words('select', 'vacuum'),
  sqlReads: words('show'),
  sqlSession: words('begin'),
  sqlChanges: words('insert'),
  sqlDestroys: words('truncate'),
  sqlObjects: words('table', 'schema'),
  sqlNoise: words('if', 'exists'),
  sqlOpenings: words('reset-master'),
  sqlPlainObjects: words('table'),
  sqlStoredCode: words('trigger'),
  sqlPlainClauses: words('add'),
  sqlPlainSets: words('default'),
  sqlWideTypes: words('text'),
  sqlPlainSettings: words('search_path', 'enable_*'),
  sqlReading: words('count', 'regexp_*'),
  sqlActing: words('nextval', 'pg_advisory_*'),
  sqlGlue: words('in', 'values'),
  sqlReadingProcedures: words('sp_help*'),
  sqlMoney: words('balance'),
  destroyingOptions: words('purge'),
  plainMembers: words('length', 'tostring'),
  plainVariables: words('tz', 'lc_*'),
  decidingVariables: words('path', 'ld_*'),
  runningOptions: words('to-command'),
  dryOptions: words('dry-run'),
  wetOptions: words('execute'),
  writingOptions: words('output'),
  protections: words('encryption'),
  exposures: words('public'),
  guards: words('auditd'),
  stoppers: words('stop', 'mask'),
  textFields: words('title', 'comment'),
  contentFields: words('rows'),
  dataNouns: words('contents', 'dump'),
  destroyingEndpoints: words('restore'),
  searchFields: words('query'),
  codeNouns: words('script', 'python'),
  lookTools: words('weather', 'ls'),
  lookFields: words('path', 'city'),
  plainTargets: words('test', 'lint'),
  runners: words('run', 'execute'),
  scriptRunners: words('source', 'launch'),
  continues: words('and', 'because'),
  opensUrls: words('visit'),
};

export const CodeWordsSchema = object('codeWords', MEMBERS, {
  examples: [{ httpClients: ['fetch'], sqlHeads: ['select'] }],
});

/** Names, some of which stand for all that begin alike. */
export type CodeWords = Readonly<Record<keyof typeof MEMBERS, NameSet>>;

export interface NameSet {
  has(name: string): boolean;
  /** Those that stand only for themselves. */
  readonly names: ReadonlySet<string>;
}

function nameSet(names: readonly string[]): NameSet {
  const whole = new Set(names.filter((name) => !name.endsWith('*')));
  const stems = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  const hasWithStems = (name: string) => whole.has(name) || stems.some((stem) => name.startsWith(stem));
  return { names: whole, has: stems.length === 0 ? (name) => whole.has(name) : hasWithStems };
}

const NAMES = Object.keys(MEMBERS) as (keyof typeof MEMBERS)[];

/** The sets by name; a list that the lexicon has not is empty. */
export const compileCodeWords = (file: Static<typeof CodeWordsSchema> = {}): CodeWords =>
  // Every name of the type is a key.
  Object.fromEntries(NAMES.map((name) => [name, nameSet(file[name] ?? [])])) as CodeWords;
