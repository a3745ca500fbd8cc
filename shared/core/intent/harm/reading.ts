// What a reading by rules says about harm: names that have weights of their own beside those of the words.
import { ACTIONS, EFFECTS } from '../../../kernel/vocabulary.ts';
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

/** An action with its effect, of which every reading has one. */
export const REQUEST_NAMES: readonly string[] = ACTIONS.flatMap((action) =>
  EFFECTS.map((effect) => `${action} ${effect}`),
);

/** All names that a reading may have. */
export const READING_NAMES: readonly string[] = [...REQUEST_NAMES, ...SIGNS];

/** `delete destructive`, `external`, ...: the leading request with its effect, and each sign that holds. */
export const namesOfReading = (
  { action, effect, source }: Pick<CandidateAction, 'action' | 'effect' | 'source'>,
  { isExternal, isHinted, destroys }: ReadSigns,
): string[] => [
  `${action} ${effect}`,
  ...(source === 'code' ? ['code'] : []),
  ...(isExternal ? ['external'] : []),
  ...(isHinted ? ['hinted'] : []),
  ...(destroys ? ['destroys'] : []),
];
