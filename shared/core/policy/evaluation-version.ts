// The version of the evaluation, which every decision names.

/**
 * Raised by a change after which facts, signals or approvals lead to another outcome than before under the same policy set, a stored set can't
 * be loaded any more, or records or facts of decisions have another form. Decisions of other versions that this one evaluates differently are
 * not evaluable, instead of altered. `earlier-decisions.test.ts` fails when a change needs it. How texts are read is not part of it: the facts
 * hold what was read.
 *
 * A record names it as `evaluation`, from 2 on. Then it needs a text of its own in usual-texts.ts, so that it takes one byte.
 */
export const EVALUATION: number = 1;

/** That of records that name none. */
export const FIRST_EVALUATION = 1;
