// The stored form of findings that an operator has accepted. It is sealed, so that write access to the database is not enough to
// accept findings in advance.
import type { Sql } from '../../platform/db/database.ts';

/** Findings of one log, or of the installation. */
export type AcceptedPlace = `log ${number}` | 'installation';

const sealedText = (place: AcceptedPlace, sentences: readonly string[]): string => JSON.stringify([place, sentences]);

/** The text to store for these sentences. */
export function writeAccepted(
  { seals }: Pick<Sql, 'seals'>,
  place: AcceptedPlace,
  sentences: readonly string[],
): string {
  if (sentences.length === 0) return '[]';
  const seal = seals.sealOfText('audit-accepted', sealedText(place, sentences)).toString('hex');
  return JSON.stringify({ sentences, seal });
}

/** The sentences of a stored text. Empty when its seal is wrong: then no finding is accepted. */
export function readAccepted({ seals }: Pick<Sql, 'seals'>, place: AcceptedPlace, text: string): string[] {
  if (text === '[]') return [];
  let stored: { readonly sentences?: unknown; readonly seal?: unknown } | null;
  try {
    // Any JSON value; its members are checked below.
    stored = JSON.parse(text) as typeof stored;
  } catch {
    return [];
  }
  const { sentences, seal } = stored ?? {};
  if (!Array.isArray(sentences) || typeof seal !== 'string') return [];
  const known = sentences.filter((one) => typeof one === 'string');
  const isOurs = seals.isSealOfText('audit-accepted', sealedText(place, known), Buffer.from(seal, 'hex'));
  return isOurs && known.length === sentences.length ? known : [];
}
