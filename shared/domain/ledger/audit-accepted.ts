// What an operator has accepted of an audit's findings, as it is stored: sealed, so that whoever only writes to the database
// cannot accept in advance what the audit is going to find.
import type { Sql } from '../../platform/db/database.ts';

/** Whose findings: those of one log, or those that belong to none. */
export type AcceptedPlace = `log ${number}` | 'installation';

const sealedText = (place: AcceptedPlace, sentences: readonly string[]): string => JSON.stringify([place, sentences]);

/** The text that is stored for these sentences. */
export function writeAccepted(
  { seals }: Pick<Sql, 'seals'>,
  place: AcceptedPlace,
  sentences: readonly string[],
): string {
  if (sentences.length === 0) return '[]';
  const seal = seals.sealOfText('audit-accepted', sealedText(place, sentences)).toString('hex');
  return JSON.stringify({ sentences, seal });
}

/** The sentences of a stored text; none when this service did not write it as it is, and then every finding counts. */
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
