// Names of programming languages that only compute or read: their schema, and the sets that the reader of programs uses.
import Type, { type Static } from 'typebox';
import { object, record, rows } from './parts.ts';
import { listingOnce, type Report } from './tables.ts';
import texts from './texts.json' with { type: 'json' };
import { wordSet } from '../text/word-set.ts';

const PART = '[A-Za-z_$@][A-Za-z0-9_$@/-]*';
/** A name, with the modules that it is in, or all names of one module. */
const NAME = Type.String({ pattern: `^${PART}(\\.${PART})*(\\.\\*)?$`, maxLength: 80 });
/** A function, or after a dot a method of whatever object. */
const CALLABLE = Type.String({ pattern: `^\\.?${PART}(\\.${PART})*(\\.\\*)?$`, maxLength: 80 });
const METHOD = Type.String({ pattern: '^[A-Za-z_$][A-Za-z0-9_$]*$', maxLength: 60 });

/** What is described there and is no list of names. */
type OtherName = '' | 'usual' | 'sessions' | 'apiHosts';
type ListName = Exclude<keyof typeof texts.programLanguage, OtherName>;
const OTHERS: ReadonlySet<string> = new Set<OtherName>(['', 'usual', 'sessions', 'apiHosts']);
const isListName = (name: string): name is ListName => !OTHERS.has(name);
const LIST_NAMES = Object.keys(texts.programLanguage).filter(isListName);

/** The lists of methods and the like, and those of functions and methods; the others have names of functions alone. */
const OF_METHODS = wordSet(
  'methods looks memoryMethods changes called pathArguments requestOptions commandOptions reading vagueNames plainNames writingNames',
);
const OF_CALLABLES = wordSet(
  'makers callers paths walkers joiners keepers pairers elements blind plain writes writesItself vague copies queries connects ' +
    'wrappers segments sameTexts joinsPaths',
);
const itemOf = (list: ListName) => (OF_METHODS.has(list) ? METHOD : OF_CALLABLES.has(list) ? CALLABLE : NAME);
const listOf = (list: ListName) => Type.Optional(rows(itemOf(list), { uniqueItems: true, maxItems: 5_000 }));
// The same names.
const LISTS = Object.fromEntries(LIST_NAMES.map((list) => [list, listOf(list)])) as Record<
  ListName,
  ReturnType<typeof listOf>
>;
/** Names of calls that are read as those of tools, in whichever language. */
const TOOL_LISTS = { vagueNames: LISTS.vagueNames, plainNames: LISTS.plainNames, writingNames: LISTS.writingNames };

const Language = object('programLanguage', {
  ...LISTS,
  usual: Type.Optional(record(METHOD, NAME)),
  sessions: Type.Optional(record(NAME, NAME)),
  apiHosts: Type.Optional(
    rows(Type.String({ pattern: '^[a-z0-9.-]+$', maxLength: 80 }), { uniqueItems: true, maxItems: 1_000 }),
  ),
});

export const ProgramsSchema = object('programs', {
  python: Type.Optional(Language),
  javascript: Type.Optional(Language),
  tools: Type.Optional(object('programTools', TOOL_LISTS)),
});

export type ProgramLanguage = Exclude<keyof Static<typeof ProgramsSchema>, 'tools'>;

export interface Names {
  has(name: string): boolean;
}

/** The names of a language that only compute or read, by list (`texts.json` describes them). */
export type ProgramNames = Readonly<Record<ListName, Names>> & {
  readonly usual: ReadonlyMap<string, string>;
  /** What the usual names stand for. */
  readonly usualNames: Names;
  /** Types of which an object has the functions of a module. */
  readonly sessions: ReadonlyMap<string, string>;
  /** These modules. */
  readonly sessionNames: ReadonlySet<string>;
  readonly apiHosts: Names;
  /** Calls of tools are read by their names: the lists that make this stricter are there. */
  readonly readsTools: boolean;
  /** First parts of all functions: what a name that nothing defines may be. */
  readonly roots: ReadonlySet<string>;
};

/** By language; absent where nothing is listed, and then such programs are not told apart from others. */
export type Programs = Partial<Readonly<Record<ProgramLanguage, ProgramNames>>>;

/** `.*` stands for one more part, which is not the name of a module: that would reach all that the module has. */
function namesOf(listed: readonly string[], modules: ReadonlySet<string> = new Set()): Names {
  const whole = new Set(listed.filter((name) => !name.endsWith('.*')));
  const modulesListed = new Set(listed.filter((name) => name.endsWith('.*')).map((name) => name.slice(0, -2)));
  if (modulesListed.size === 0) return whole;
  const has = (name: string): boolean => {
    if (whole.has(name)) return true;
    const dot = name.lastIndexOf('.');
    return dot > 0 && modulesListed.has(name.slice(0, dot)) && !modules.has(name.slice(dot + 1));
  };
  return { has };
}

/** Functions that the reader treats by itself. */
const TREATED: ReadonlySet<string> = new Set([
  'open',
  'io.open',
  'codecs.open',
  'gzip.open',
  'type',
  'getattr',
  'require',
]);

function compileLanguage(
  language: Static<typeof Language>,
  tools: Static<typeof ProgramsSchema>['tools'],
  pointer: string,
  report: Report,
): ProgramNames {
  // A language of an earlier version has lists of its own.
  const file: Static<typeof Language> = { ...tools, ...language };
  const listed = (list: ListName): readonly string[] => file[list] ?? [];
  const modules = new Set(listed('modules'));
  const functions = namesOf(listed('functions'), modules);
  const [whole, methods] = [new Set(listed('functions')), new Set(listed('methods'))];
  const isListed = (name: string) =>
    whole.has(name) ||
    functions.has(name) ||
    TREATED.has(name) ||
    (name.endsWith('.*') && listed('functions').some((one) => one.startsWith(name.slice(0, -1))));
  for (const list of ['makers', 'openers', 'clients', 'callers'] as const)
    for (const [at, name] of listed(list).entries())
      if (!name.startsWith('.') && !isListed(name))
        report(`${pointer}/${list}/${at}`, `"${name}" is not listed in functions`);
  for (const [at, name] of listed('looks').entries())
    if (!methods.has(name)) report(`${pointer}/looks/${at}`, `"${name}" is not listed in methods`);
  for (const [at, name] of listed('pure').entries())
    if (modules.has(name))
      report(
        `${pointer}/pure/${at}`,
        `"${name}" is a module, which also gives what it loads itself: list what it computes with`,
      );
  const isFirst = listingOnce(report);
  for (const list of ['methods', 'memoryMethods'] as const)
    for (const [at, name] of listed(list).entries())
      isFirst(name, `${pointer}/${list}/${at}`, `the method "${name}" is listed twice`);
  // Every list by its name.
  const byList = Object.fromEntries(LIST_NAMES.map((list) => [list, namesOf(listed(list))])) as Record<ListName, Names>;
  return {
    ...byList,
    functions,
    readsTools: file.vagueNames !== undefined && file.unread !== undefined,
    usual: new Map(Object.entries(file.usual ?? {})),
    usualNames: new Set(Object.values(file.usual ?? {})),
    sessions: new Map(Object.entries(file.sessions ?? {})),
    sessionNames: new Set(Object.values(file.sessions ?? {})),
    apiHosts: new Set(file.apiHosts),
    roots: new Set(
      (['functions', 'requests', 'commands', 'copies'] as const).flatMap((list) =>
        listed(list).map((name) => name.split('.', 1)[0] ?? ''),
      ),
    ),
  };
}

/** A language whose lists are those of an earlier version, without those that make a reading stricter, is not told apart. */
export function compilePrograms(file: Static<typeof ProgramsSchema> | undefined, report: Report): Programs {
  const { python, javascript, tools } = file ?? {};
  return {
    ...(python?.changes && { python: compileLanguage(python, tools, '/programs/python', report) }),
    ...(javascript?.changes && { javascript: compileLanguage(javascript, tools, '/programs/javascript', report) }),
  };
}
