// What values that code sets mean, as data: their schema, and the rules that the readers of code use.
import Type, { type Static } from 'typebox';
import { CODE_WORD_NAMES, type CodeWordName, type CodeWords, isCodeWordName } from './code-words.ts';
import { DOING, flag, list, object, oneOf, rows } from './parts.ts';
import { doingOf } from './tables.ts';

const SettingName = Type.String({ pattern: '^[a-z0-9]+(_[a-z0-9]+)*$', maxLength: 40 });

export const Settings = rows(
  object('setting', {
    ...DOING,
    names: list(SettingName),
    values: Type.Optional(list(Type.String({ minLength: 1, maxLength: 30 }))),
    except: Type.Optional(list(SettingName)),
    inReads: flag,
  }),
);

export const compileSettings = (groups: Static<typeof Settings> = []) =>
  groups.map((group) => ({
    names: new Set(group.names),
    /** Undefined: any. */
    values: group.values && new Set(group.values),
    doing: doingOf(group),
    except: group.except ?? [],
    inReads: group.inReads ?? false,
  }));

/** What setting a value does. */
export type SettingRule = ReturnType<typeof compileSettings>[number];

/** Kinds of values (`code/value-kinds.ts`). */
const VALUE_KINDS = [
  'acts',
  'amount',
  'brief',
  'date',
  'destroying',
  'endless',
  'ends',
  'everywhere',
  'file',
  'folder',
  'host',
  'hundred',
  'image',
  'inside',
  'least',
  'level',
  'link',
  'local',
  'machine',
  'mail',
  'metrics',
  'moment',
  'off',
  'on',
  'one',
  'outside',
  'program',
  'published',
  'reference',
  'remark',
  'schedule',
  'sensitive',
  'shared',
  'size',
  'switchedOn',
  'unpinned',
  'version',
  'word',
  'words',
  'zero',
] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];
/** Kinds of names that the lexicon has in other tables: `destroying` are verbs. */
const NAME_KINDS = ['credentials', 'destroying', 'kept', 'money', 'protectedOff', 'protectedOn', 'rights'] as const;
export type NameKind = (typeof NAME_KINDS)[number] | CodeWordName;

const entries = (own: string, kinds: readonly string[]) =>
  Type.Optional(list(Type.String({ pattern: `^(?:${own}|@(?:${kinds.join('|')}))$`, maxLength: 40 })));
const Names = entries('!?[a-z0-9]+(?:_[a-z0-9]+)*', [...NAME_KINDS, ...CODE_WORD_NAMES]);
const Values = entries('[^@]+', VALUE_KINDS);
const Examples = list(Type.String({ pattern: '^[^=]+=', maxLength: 120 }));

export const SettingKinds = rows(
  object('settingKind', {
    kind: Type.String({ minLength: 3, maxLength: 120 }),
    is: oneOf(['ordinary', 'open', 'grave']),
    names: Names,
    where: Type.Optional(oneOf(['part', 'whole', 'first', 'last', 'end', 'around', 'top', 'head', 'all', 'variable'])),
    with: Names,
    without: Names,
    values: Values,
    except: Values,
    examples: Examples,
    against: Type.Optional(Examples),
  }),
);

/** Some words or values, and kinds of such. */
export interface KindSet<Kind extends string> {
  readonly own: ReadonlySet<string>;
  readonly kinds: readonly Kind[];
  readonly not: ReadonlySet<string>;
}

const startingWith = (sign: string, all: readonly string[]): readonly string[] =>
  all.filter((entry) => entry.length > 1 && entry.startsWith(sign)).map((entry) => entry.slice(1));

function kindSet<Kind extends string>(
  all: readonly string[] | undefined,
  lists?: CodeWords,
): KindSet<Kind> | undefined {
  if (all === undefined) return undefined;
  const kinds = startingWith('@', all);
  const listed = new Map(
    kinds.flatMap((kind) => (isCodeWordName(kind) && lists ? [[kind, lists[kind]] as const] : [])),
  );
  return {
    own: new Set([
      ...all.filter((entry) => entry.length === 1 || !/^[@!]/.test(entry)),
      ...[...listed.values()].flatMap(({ names }) => [...names]),
    ]),
    // The schema has no others.
    kinds: kinds.filter(
      (kind) => listed.get(kind as CodeWordName)?.hasStems !== false,
    ) as readonly string[] as readonly Kind[],
    not: new Set(startingWith('!', all)),
  };
}

/** The kinds of settings, of which the first counts that a setting is of. */
export const compileSettingKinds = (kinds: Static<typeof SettingKinds> = [], lists: CodeWords) =>
  kinds.map((one) => ({
    kind: one.kind,
    is: one.is,
    where: one.where ?? 'part',
    names: kindSet<NameKind>(one.names, lists),
    with: kindSet<NameKind>(one.with, lists),
    without: kindSet<NameKind>(one.without, lists),
    values: kindSet<ValueKind>(one.values),
    except: kindSet<ValueKind>(one.except),
  }));
export type SettingKind = ReturnType<typeof compileSettingKinds>[number];
