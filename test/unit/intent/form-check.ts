// Forms of requests as data: a text, the requested action class, and its object where that matters.
import { expect } from 'chai';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import type { Action } from '../../../shared/kernel/vocabulary.ts';
import { shippedLexicon } from './lexicon.ts';

export type Form = readonly [text: string, action: Action, object?: string];

/** A suite with a test for each form, under the shipped lexicon. */
export function checkForms(group: string, forms: readonly Form[]): void {
  const lexicon = shippedLexicon();
  describe(group, () => {
    for (const [text, action, object] of forms)
      it(text, () => {
        const parse = parseIntent(text, lexicon);
        expect([parse.action, object === undefined ? '' : parse.object]).to.deep.equal([action, object ?? '']);
      });
  });
}
