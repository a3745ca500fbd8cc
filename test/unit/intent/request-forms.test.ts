// Every verb that destroys, pays, grants or revokes, in many forms of a request: a trusted agent is never permitted such a text in live.
import path from 'node:path';
import { expect } from 'chai';
import { createVerdictReader } from '../../../bench/intent-verdicts.ts';
import { loadFolderSet } from '../../../bench/intent-reader.ts';
import { participles, type VerbForm, verbForms } from '../../../shared/core/intent/lexicon/inflection.ts';
import type { VerbEntry } from '../../../shared/core/intent/lexicon/types.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { dataOf } from '../../support/data.ts';
import { isLong } from '../property/runs.ts';
import { shippedLexicon } from './lexicon.ts';

/** Each form is tried with one of so many verbs, the next form with others. The long form of the tests tries all. */
const SHARE = isLong ? 1 : 25;

/** What is acted upon, as an object and as a subject. */
const THINGS: Readonly<Record<string, readonly [object: string, subject: string]>> = {
  delete: ['the customer records', 'the customer records'],
  update: ['the backups', 'the backups'],
  execute: ['the server', 'the server'],
  transfer: ['900 euros to Hartmann', 'the invoice of Hartmann'],
  grant: ['admin rights to Tom', 'the admin role'],
  revoke: ["Tom's access", "Tom's access"],
};

const isGrave = ({ weak, effect, action }: VerbEntry): boolean =>
  !weak && (effect === 'destructive' || action === 'transfer' || action === 'grant' || action === 'revoke');

const verbs = [...new Map([...shippedLexicon().verbs.values()].map((entry) => [entry.verb, entry])).values()].filter(
  (entry) => isGrave(entry) && /^\w+$/.test(entry.verb),
);

function textOf(form: string, { verb, action }: VerbEntry): string {
  const [object = '', subject = ''] = THINGS[action] ?? [];
  // `scrapped`, but `ordered`
  const spelled = (all: readonly string[]): string => all.at(/[aeiou].*[^aeiou][aeiou]/.test(verb) ? 0 : -1) ?? verb;
  const formsOf = (kind: VerbForm): string[] =>
    verbForms(verb).flatMap(([written, one]) => (one === kind ? [written] : []));
  const parts: Readonly<Record<string, string>> = {
    verb,
    gerund: spelled(formsOf('gerund')),
    third: spelled(formsOf('third')),
    participle: spelled(participles(verb)),
    object,
    subject,
  };
  const text = form.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? '');
  return text.replaceAll(/(^|[.!?] )([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());
}

describe('A verb that destroys, pays, grants or revokes', () => {
  const { forms } = dataOf<{ readonly forms: readonly string[] }>('unit/intent/request-forms.json');
  let reader: ReturnType<typeof createVerdictReader>;
  before(async () => {
    reader = createVerdictReader(await loadFolderSet(path.join(findRoot(), 'policies')));
  });

  for (const [at, form] of forms.entries())
    it(`is not permitted in the form: ${JSON.stringify(form)}`, async () => {
      const permitted: string[] = [];
      for (const entry of verbs.filter((_, place) => (place + at) % SHARE === 0)) {
        const text = textOf(form, entry);
        const { byParse, parse } = await reader.verdictsOf(text);
        if (byParse === 'ALLOW' || byParse === 'DEGRADE') permitted.push(`${text} (${parse.normalized})`);
      }
      expect(permitted).to.deep.equal([]);
    });

  const OF_OBJECTS = [
    'Could you please {verb} the {object}?',
    'I want you to {verb} the {object}.',
    'The {object} should be {participle} today.',
    'Make sure that the {object} is {participle}.',
    'Somebody has to {verb} the {object}.',
    'Run a script to {verb} the {object}',
    'Please {verb} this {object} now',
    'I will {verb} the {object}',
  ];
  for (const form of OF_OBJECTS)
    it(`is not permitted when only its object makes it one, in the form: ${JSON.stringify(form)}`, async () => {
      let tried = 0;
      const permitted: string[] = [];
      for (const [verb, rules] of shippedLexicon().refinements) {
        const entry = shippedLexicon().verbs.get(verb);
        for (const rule of rules) {
          if (entry === undefined || rule.prepositions !== undefined || !isGrave({ ...entry, ...rule, weak: false }))
            continue;
          for (const object of [...(rule.objects ?? [])].filter((one) => /^[a-z]+$/.test(one)).slice(0, 1)) {
            tried += 1;
            const text = textOf(form.replace('{object}', object), entry);
            const { byParse, parse } = await reader.verdictsOf(text);
            if (byParse === 'ALLOW' || byParse === 'DEGRADE') permitted.push(`${text} (${parse.normalized})`);
          }
        }
      }
      expect(permitted).to.deep.equal([]);
      expect(tried).to.be.above(200);
    });
});
