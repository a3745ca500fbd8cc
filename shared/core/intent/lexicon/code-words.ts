// Words of programs, of SQL and of sentences around code: their schema, and the sets that the readers of code use.
import Type, { type Static } from 'typebox';
import { closed, list } from './parts.ts';

const CodeWord = Type.String({ pattern: '^[$a-z][$a-z0-9_-]*\\*?$', maxLength: 40 });
const words = (description: string, example: readonly string[]) => Type.Optional(list(CodeWord, description, example));

const MEMBERS = {
  httpClients: words('Names of functions and objects that make HTTP requests.', ['fetch', 'axios']),
  shellCalls: words('Functions that run a command line.', ['popen']),
  evaluators: words('Functions that run code given as text.', ['eval']),
  commandCalls: words('Methods that are given commands as keys of an object.', ['runcommand', 'bulkwrite']),
  systemObjects: words('Objects whose methods change files and databases, and not only memory.', ['prisma', 'fs']),
  pureFunctions: words('Functions of short programs that change nothing.', ['isinstance']),
  queries: words('Functions that are given a statement of SQL.', ['execute']),
  sqlHeads: words('Words at which a statement of SQL may begin in a text.', ['select', 'vacuum']),
  sqlReads: words('Statements that only read.', ['show']),
  sqlSession: words('Statements that concern the session or a transaction.', ['begin']),
  sqlChanges: words('Statements that create or change something.', ['insert']),
  sqlDestroys: words('Statements after which something is gone.', ['truncate']),
  sqlObjects: words('Kinds of things that statements create, change and drop.', ['table', 'schema']),
  sqlNoise: words('Words between a statement and the name of its object.', ['if', 'exists']),
  sqlOpenings: words('First two words, joined, of statements that nothing else has shown yet to be SQL.', [
    'reset-master',
  ]),
  sqlPlainObjects: words('Kinds of things that creating does no more than that. Others are not understood.', ['table']),
  sqlStoredCode: words('Kinds of things that hold statements to be run later.', ['trigger']),
  sqlPlainClauses: words('First words of the parts of an ALTER that lose nothing. Others are not understood.', ['add']),
  sqlPlainSets: words('What an ALTER may SET so that nothing is lost. Other things are not understood.', ['default']),
  sqlWideTypes: words('Types into which a column can be changed so that nothing is lost.', ['text']),
  sqlPlainSettings: words(
    'Settings of a session that protect nothing; `*` at the end stands for any rest. Others are not understood.',
    ['search_path', 'enable_*'],
  ),
  sqlReading: words(
    'Functions that only compute or read; `*` at the end stands for any rest. Others are not understood.',
    ['count', 'regexp_*'],
  ),
  sqlActing: words('Functions that change something and destroy nothing; `*` at the end stands for any rest.', [
    'nextval',
    'pg_advisory_*',
  ]),
  sqlGlue: words('Words before a parenthesis that call no function.', ['in', 'values']),
  sqlReadingProcedures: words('Procedures that only read; `*` at the end stands for any rest.', ['sp_help*']),
  sqlMoney: words('Columns and tables that hold money: to change them is to move it.', ['balance']),
  destroyingOptions: words('First words of long options that destroy something beside what a command changes.', [
    'purge',
  ]),
  plainMembers: words('Properties and methods of objects of PowerShell that only show or compute.', [
    'length',
    'tostring',
  ]),
  plainVariables: words(
    'Variables of the environment, in lower case, that change neither what a program does nor whom it talks to; `*` at the end stands for any rest. What another one set right before a command does is not understood.',
    ['tz', 'lc_*'],
  ),
  decidingVariables: words(
    'Variables, in lower case, that decide which programs run, what they load or whom they talk to, also when they are set before.',
    ['path', 'ld_*'],
  ),
  runningOptions: words('Long options with which any command runs what they name; what that does is not understood.', [
    'to-command',
  ]),
  dryOptions: words('Long options with which a program that is not known changes nothing.', ['dry-run']),
  wetOptions: words('Options with which it does, whatever other options say.', ['execute']),
  writingOptions: words('Long options with which a read writes a file.', ['output']),
  protections: words('Words in the names of settings that protect something; switched off, nothing protects it.', [
    'encryption',
  ]),
  exposures: words('Words in the names of settings that open something to everybody.', ['public']),
  guards: words('Services that protect a host.', ['auditd']),
  stoppers: words('Subcommands that stop a service or take it away.', ['stop', 'mask']),
  textFields: words('Last words of the names of fields that hold text for people.', ['title', 'comment']),
  contentFields: words('Last words of the names of fields that hold all of something.', ['rows']),
  dataNouns: words('Words that name data as a whole, which a request carries.', ['contents', 'dump']),
  destroyingEndpoints: words(
    'Last words of addresses with `_` before them by which something is lost or goes out of use when something is sent there.',
    ['restore'],
  ),
  searchFields: words('Fields that hold what a search looks for.', ['query']),
  codeNouns: words('Words in the names of tools that run code which they are given.', ['script', 'python']),
  lookTools: words('Tools that only look, with names in which no verb says so.', ['weather', 'ls']),
  lookFields: words('Fields of calls that only say what is looked at.', ['path', 'city']),
  plainTargets: words('Parts of projects that people run to build, check or show something.', ['test', 'lint']),
  runners: words('Words of a sentence after which a command may begin.', ['run', 'execute']),
  scriptRunners: words('Words after which the name of a script is one to run.', ['source', 'launch']),
  continues: words('Words with which a sentence goes on after code.', ['and', 'because']),
  opensUrls: words('Words that ask to open an address that follows.', ['visit']),
};

export const CodeWordsSchema = Type.Object(MEMBERS, {
  ...closed,
  description: 'Words of programs, of SQL and of sentences around code.',
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
