// Compiles the forms of a lexicon's verbs into look-up tables.
import { nominals, participles, verbForms } from './inflection.ts';
import type { VerbEntry, VerbReading } from './types.ts';
import { PhraseTable } from './phrase-table.ts';

/** The first verb with a form keeps it, except that an organisation's verb with another meaning takes over its own forms. */
const isFree = (known: VerbEntry | undefined, entry: VerbEntry): boolean =>
  known === undefined || (known !== entry && known.verb === entry.verb);

type Verbs = ReadonlyMap<string, VerbEntry>;

/** Base forms first, so that `process` is never read as a form of another verb. Layered over the installation's table when given. */
export function compileForms(verbs: Verbs, below?: PhraseTable<VerbReading>): PhraseTable<VerbReading> {
  if (verbs.size === 0 && below !== undefined) return below;
  const table = new PhraseTable<VerbReading>(below);
  for (const entry of verbs.values()) table.add(entry.verb, { entry, form: 'base' });
  for (const entry of verbs.values())
    for (const [text, form] of verbForms(entry.verb))
      if (form !== 'base' && isFree(table.get(text)?.entry, entry)) table.add(text, { entry, form });
  return table;
}

/** Past participles of all verbs that can be requests; layered over the installation's table when given. */
export function compileParticiples(verbs: Verbs, below?: PhraseTable<VerbEntry>): PhraseTable<VerbEntry> {
  if (verbs.size === 0 && below !== undefined) return below;
  const table = new PhraseTable<VerbEntry>(below);
  for (const entry of verbs.values()) {
    if (entry.weak) continue;
    for (const text of participles(entry.verb)) if (isFree(table.get(text), entry)) table.add(text, entry);
  }
  return table;
}

/** Nouns of actions; `things` are nouns that name something else. */
export function compileNominals(verbs: Verbs, things: Pick<ReadonlySet<string>, 'has'>): Map<string, VerbEntry> {
  const found = new Map<string, VerbEntry>();
  for (const entry of verbs.values()) {
    if (entry.weak) continue;
    for (const noun of nominals(entry.verb))
      if (!things.has(noun) && !verbs.has(noun) && !found.has(noun)) found.set(noun, entry);
  }
  return found;
}
