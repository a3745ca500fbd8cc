// Stored decisions as they are read: the original answer with a promise that is signed alone, then whether the decision stands now.
import { answerOfRecord } from '../../shared/core/decision/record.ts';
import type { Presence, AnswerMembers } from '../../shared/domain/decisions/presence.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import type { Promiser } from '../../shared/domain/ledger/promises.ts';

export interface DecisionViewDeps {
  /** Signs the promise of a decision again; signatures are deterministic. */
  readonly promiser: Pick<Promiser, 'promise'> | undefined;
  readonly presence: Presence;
}

/**
 * The JSON texts of stored decisions of the key's organisation and environment, from their records. Each begins with the
 * bytes of the first answer, apart from the promise's signature; `stands`, and `stands_reason` of one that does not, come last.
 */
export type ShowDecisions = (key: AuthenticatedKey, records: readonly Buffer[]) => Promise<string[]>;

export function createDecisionView({ promiser, presence }: DecisionViewDeps): ShowDecisions {
  return async (key, records) => {
    const texts = records.map((record) =>
      answerOfRecord(record, promiser && ((about) => promiser.promise({ ...key, ...about }))),
    );
    // Written by this service.
    const answers = texts.map((text) => JSON.parse(text) as AnswerMembers);
    const lapses = answers.length === 0 ? [] : await presence.lapses(key, answers);
    return texts.map((text, i) => {
      const lapse = lapses[i];
      const standing = lapse === undefined ? '"stands":true' : `"stands":false,"stands_reason":"${lapse}"`;
      return `${text.slice(0, -1)},${standing}}`;
    });
  };
}
