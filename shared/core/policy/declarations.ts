// What a policy set declares beside its policies: typed attributes of agents and resources, typed members of the context, and terms.
import type { AttributeDeclaration, AttributesFile, AttributeType, ContextDeclaration } from '../attributes/schema.ts';
import type { KnownVerbs } from '../intent/lexicon/known-verbs.ts';
import { NO_TERMS, type Terms } from './terms.ts';
import type { FactType, VocabularyEntry } from './vocabulary.ts';

/** The declarations of one set; `lookUp` adds them to the fixed vocabulary. */
export interface Declarations {
  /** In the order agent, resource, context. */
  readonly entries: readonly VocabularyEntry[];
  /** The entry of a declared path; undefined if it is not declared. @param path below the fact: `attributes.team` */
  entryOf(fact: string, path: string): VocabularyEntry | undefined;
  /** The named conditions and constants. */
  readonly terms: Terms;
  /**
   * Whether messages of rules have placeholders. False for sets that were stored without any, by this version or by one that knew none:
   * braces in their messages are ordinary characters, and a replay prints them as they were printed then.
   */
  readonly hasPlaceholders: boolean;
  /** The verbs of the lexicon, for suggestions; absent where files are not checked for an author. */
  readonly verbs?: Pick<KnownVerbs, 'actionOf' | 'all'>;
}

const TYPES: Readonly<Record<AttributeType, FactType>> = {
  text: 'string',
  number: 'number',
  boolean: 'boolean',
  time: 'timestamp',
  list: 'strings',
};

type Declared<T> = Readonly<Record<string, T>> | undefined;

function entriesOf(
  fact: string,
  prefix: string,
  declared: Declared<AttributeDeclaration & Pick<ContextDeclaration, 'onlyFrom'>>,
): VocabularyEntry[] {
  return Object.entries(declared ?? {}).map(([name, { type, description, values, onlyFrom }]) => ({
    fact,
    path: `${prefix}${name}`,
    type: TYPES[type],
    description: description ?? `${fact} ${name}, as attributes.json declares it`,
    isDeclared: true,
    ...(values === undefined ? {} : { values }),
    ...(onlyFrom === undefined ? {} : { onlyFrom }),
  }));
}

/** Builds the declarations of a set. @param attributes the content of attributes.json; undefined without that file */
export function declarationsOf(attributes: AttributesFile | undefined, terms = NO_TERMS): Declarations {
  const entries = [
    ...entriesOf('agent', 'attributes.', attributes?.agent),
    ...entriesOf('resource', 'attributes.', attributes?.resource),
    ...entriesOf('context', '', attributes?.context),
  ];
  const byPath = new Map(entries.map((entry) => [`${entry.fact} ${entry.path}`, entry]));
  return { entries, entryOf: (fact, path) => byPath.get(`${fact} ${path}`), terms, hasPlaceholders: true };
}

export const NO_DECLARATIONS: Declarations = declarationsOf(undefined);

/**
 * For policies beside an attributes.json that can't be read: every attribute counts as declared, so that each of them is not reported
 * as unknown as well.
 */
export const UNREADABLE_DECLARATIONS: Declarations = {
  entries: [],
  terms: NO_TERMS,
  hasPlaceholders: true,
  entryOf: (fact, path) =>
    fact !== 'context' && path.startsWith('attributes.')
      ? { fact, path, type: 'unknown', description: 'an attribute' }
      : undefined,
};
