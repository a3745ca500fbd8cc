// Builders of the schemas of a lexicon, and what several of them have: words, names, what is done, kinds.
import Type from 'typebox';
import { ACTION_CLASSES, EFFECTS, TRAITS } from '../../../kernel/vocabulary.ts';
import texts from './texts.json' with { type: 'json' };

const WORD = "[\\p{Ll}\\p{N}]+(['-][\\p{Ll}\\p{N}]+)*";
const NAME_PATTERN = '^[a-z][a-z0-9_]*$';
const HOST_PATTERN = '^\\.?[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$';
/** The name of a command with at most two subcommands. */
export const COMMAND_PATTERN = '^[a-z0-9:.[][a-z0-9._+-]*( [a-z0-9+][a-z0-9:._+-]*){0,2}$';
const KIND_WORD_PATTERN = `^(${WORD}( ${WORD})*|[a-z](\\.[a-z])+|&)$`;
const SLUG_PATTERN = '^[a-z0-9-]{1,40}$';

/** One lower-case word: letters, digits, and inner hyphens or apostrophes. */
export const Word = Type.String({ pattern: `^${WORD}$`, maxLength: 40 });
/** Words separated by single spaces. */
export const Phrase = Type.String({ pattern: `^${WORD}( ${WORD})*$`, maxLength: 80 });
/** A snake_case name as in a normalized intent. */
export const Name = Type.String({ pattern: NAME_PATTERN, maxLength: 64 });
export const KindWord = Type.String({ pattern: KIND_WORD_PATTERN, maxLength: 40 });
export const Slug = Type.String({ pattern: SLUG_PATTERN });
export const Host = Type.String({ pattern: HOST_PATTERN, maxLength: 253 });

/** Descriptions of the patterns for messages. */
export const PATTERNS: ReadonlyMap<string, string> = new Map([
  [`^${WORD}$`, 'one lower-case word: letters, digits, inner hyphens and apostrophes'],
  [`^${WORD}( ${WORD})*$`, 'lower-case words with single spaces between them'],
  [KIND_WORD_PATTERN, 'lower-case words with single spaces between them, an abbreviation such as "e.g", or "&"'],
  [NAME_PATTERN, 'a snake_case name: lower-case letters and digits, beginning with a letter'],
  [HOST_PATTERN, 'a host without scheme, port and path; a leading dot takes in all below it'],
  [COMMAND_PATTERN, 'a lower-case command with at most two subcommands'],
  [SLUG_PATTERN, 'the slug of an organisation: 1 to 40 of a-z, 0-9 and "-"'],
]);

type Texts = typeof texts;
type DescribedBy<Name extends keyof Texts> = Record<Exclude<keyof Texts[Name], ''>, Type.TSchema>;

/** The description of a member, alone or with examples, which editors show. */
type Text = string | readonly [description: string, ...examples: unknown[]];

// Each is a text, or a list that begins with one.
const textsOf = (name: keyof Texts) => texts[name] as unknown as Readonly<Record<string, Text>>;

const withText = (schema: Type.TSchema, text: Text | undefined): Type.TSchema => {
  if (text === undefined) return schema;
  const [description, ...examples] = typeof text === 'string' ? [text] : text;
  return Type.With(schema, { description, ...(examples.length > 0 ? { examples } : {}) });
};

/** The members with their texts, which `texts.json` has under a name. Those that it does not list there have one already. */
export function described<Of extends keyof Texts, Members extends Type.TProperties & DescribedBy<Of>>(
  name: Of,
  members: Members,
): Members {
  const own = textsOf(name);
  // The same members.
  return Object.fromEntries(
    Object.entries(members).map(([member, schema]) => [member, withText(schema, own[member])]),
  ) as Members;
}

/** An object with these members and no others; `texts.json` describes it under the empty name. */
export const object = <Of extends keyof Texts, Members extends Type.TProperties & DescribedBy<Of>>(
  name: Of,
  members: Members,
  options: Type.TObjectOptions = {},
): Type.TObject<Members> => {
  const schema = Type.Object(described(name, members), { additionalProperties: false, ...options });
  return withText(schema, textsOf(name)['']) as Type.TObject<Members>; // the same schema
};

export const rows = <T extends Type.TSchema>(item: T, limits: Type.TArrayOptions = {}) => Type.Array(item, limits);
export const list = <T extends Type.TSchema>(item: T) => rows(item, { uniqueItems: true, maxItems: 2_000 });
export const oneOf = <const Value extends string>(values: readonly Value[]) => Type.Enum([...values]);
/** True, or absent. */
export const flag = Type.Optional(Type.Boolean({ examples: [true] }));
/** A whole number, or absent. */
export const count = (minimum: number, maximum: number) => Type.Optional(Type.Integer({ minimum, maximum }));
/** Maps names to values; every name must match, which `patternProperties` alone does not require. */
export const record = <K extends Type.TString, V extends Type.TSchema>(
  key: K,
  value: V,
): ReturnType<typeof Type.Record<K, V>> => Type.Record(key, value, { additionalProperties: false });

/** What is done: members of verbs, refinements and commands. */
export const DOING = described('doing', {
  action: oneOf(ACTION_CLASSES),
  effect: Type.Optional(oneOf(EFFECTS)),
  traits: Type.Optional(rows(oneOf(TRAITS), { uniqueItems: true })),
});

/** Kinds of words, of which one must be there. */
export const Kinds = rows(Name, { minItems: 1 });
/** The slots of a pattern of kinds. */
export const slots = (description: string) => rows(Type.With(Kinds, { description }), { minItems: 1, maxItems: 5 });
