// The forms of a lexicon's verbs, as tables to look words up in.
import { nominals, participles, verbForms } from './inflection.ts';
import type { VerbEntry, VerbReading } from './lexicon.ts';
import { PhraseTable } from './phrase-table.ts';

/** Base forms first, so that `process` is never read as a form of another verb. */
export function compileForms(verbs: ReadonlyMap<string, VerbEntry>): PhraseTable<VerbReading> {
  const table = new PhraseTable<VerbReading>();
  const forms = [...verbs.values()].flatMap((entry) =>
    verbForms(entry.verb).map(([text, form]) => ({ text, reading: { entry, form } })),
  );
  for (const { text, reading } of forms) if (reading.form === 'base') table.add(text, reading);
  for (const { text, reading } of forms) if (table.get(text) === undefined) table.add(text, reading);
  return table;
}

/** Past participles of all verbs that can ask for something. */
export function compileParticiples(verbs: ReadonlyMap<string, VerbEntry>): PhraseTable<VerbEntry> {
  const table = new PhraseTable<VerbEntry>();
  for (const entry of verbs.values()) {
    if (entry.weak) continue;
    for (const text of participles(entry.verb)) if (table.get(text) === undefined) table.add(text, entry);
  }
  return table;
}

/** Nouns of actions; `things` are nouns that name something else. */
export function compileNominals(
  verbs: ReadonlyMap<string, VerbEntry>,
  things: ReadonlySet<string>,
): Map<string, VerbEntry> {
  const found = new Map<string, VerbEntry>();
  for (const entry of verbs.values()) {
    if (entry.weak) continue;
    for (const noun of nominals(entry.verb))
      if (!things.has(noun) && !verbs.has(noun) && !found.has(noun)) found.set(noun, entry);
  }
  return found;
}
