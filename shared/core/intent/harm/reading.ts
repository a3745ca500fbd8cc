// What a reading by rules says about harm: names that have weights of their own beside those of the words.
import { type Action, ACTIONS, type Effect, EFFECTS } from '../../../kernel/vocabulary.ts';
import type { CandidateAction } from '../grammar/candidate.ts';

/** What of a reading tells about harm. */
export interface ReadSigns {
  /** Something leaves the organisation. */
  readonly isExternal: boolean;
  /** A phrasing or a statement says that something is paid, disclosed or otherwise changed, and no request accounts for it. */
  readonly isHinted: boolean;
  /** A word or phrasing says that something is destroyed, and no request accounts for it. */
  readonly destroys: boolean;
}

const SIGNS = ['code', 'external', 'hinted', 'destroys'] as const;
type Sign = (typeof SIGNS)[number];

/** An action with its effect, of which the reading of a text has one. */
type RequestName = `${Action} ${Effect}`;
export type ReadingName = RequestName | Sign;

export const REQUEST_NAMES: readonly RequestName[] = ACTIONS.flatMap((action) =>
  EFFECTS.map((effect): RequestName => `${action} ${effect}`),
);

export const READING_NAMES: readonly ReadingName[] = [...REQUEST_NAMES, ...SIGNS];

/** `delete destructive`, `external`, ...: the leading request with its effect, and each sign that holds. */
export function namesOfReading(
  { action, effect, source }: Pick<CandidateAction, 'action' | 'effect' | 'source'>,
  { isExternal, isHinted, destroys }: ReadSigns,
): ReadingName[] {
  const holds: Readonly<Record<Sign, boolean>> = {
    code: source === 'code',
    external: isExternal,
    hinted: isHinted,
    destroys,
  };
  return [`${action} ${effect}`, ...SIGNS.filter((sign) => holds[sign])];
}
