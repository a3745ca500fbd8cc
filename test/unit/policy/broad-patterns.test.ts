// Patterns of the shipped set: what one may reach, and that asking a human for it makes nothing milder.
import { expect } from 'chai';
import { ACTION_CLASSES, permits, type Verdict } from '../../../shared/kernel/vocabulary.ts';
import type { LexiconFile } from '../../../shared/core/intent/lexicon/schema.ts';
import { lexiconFile } from '../../support/lexicon.ts';
import { shippedFiles } from './support.ts';
import { runDocument, setWithLexicon } from './testing-support.ts';

/** Each side of what the shipped rules compare levels with. */
const LEVELS = [1, 2, 3, 4, 5];
const AGENTS = {
  stranger: { registered: false },
  ...Object.fromEntries(LEVELS.map((level) => [`level ${level}`, { level }])),
};
const POLICY = 'broad-patterns.json';

describe('patterns of the shipped set', () => {
  const words = JSON.parse(lexiconFile().text) as LexiconFile;
  const domains = Object.keys(words.domains);
  // The lists have hundreds of words of one meaning: some of each list, spread over it.
  const some = (list: readonly string[]): readonly string[] => list.filter((_, at) => at % 40 === 0);
  const named = (phrase: string): string => phrase.replaceAll(/[^a-z]+/g, '_');
  const members = [...some(words.dataClasses.credentials ?? []), ...some(words.privileged)].map(named);
  const shipped = setWithLexicon(shippedFiles());
  /** By agent and environment, the verdicts about each of the intents. */
  const verdictsOf = async (intents: readonly string[], set = shipped): Promise<Map<string, Verdict[]>> => {
    // The names of a test file have no signs.
    const names = intents.map((_, at) => `intent ${at}`);
    const { results } = await runDocument(
      {
        fixtures: {
          agents: AGENTS,
          intents: Object.fromEntries(intents.map((intent, at) => [`intent ${at}`, intent])),
        },
        matrix: [
          { name: 'm', agents: Object.keys(AGENTS), intents: names, environments: ['live', 'test'], expect: {} },
        ],
      },
      set,
    );
    const verdicts = new Map<string, Verdict[]>();
    for (const { test, evaluation } of results) {
      const [who, , environment] = test.name.split(', ');
      const name = `${who}, ${environment}`;
      verdicts.set(name, [...(verdicts.get(name) ?? []), evaluation.verdict]);
    }
    return verdicts;
  };

  for (const action of ACTION_CLASSES)
    it(`${action}: of everything or a whole domain is never permitted where a credential or privilege in it is not`, async () => {
      expect(members).to.have.length.above(2);
      const milder: string[] = [];
      for (const domain of domains) {
        const asked = [`${action}:*`, ...['*', ...members].map((member) => `${action}:${domain}/${member}`)];
        // oxlint-disable-next-line no-await-in-loop -- one domain at a time is small enough for a test file
        for (const [who, [all, whole, ...covered]] of await verdictsOf(asked))
          for (const [at, verdict] of covered.entries())
            if (!permits(verdict) && [all, whole].some((one) => one === undefined || permits(one)))
              milder.push(`${who}: ${asked[at + 2]} is ${verdict}`);
      }
      expect(milder).to.deep.equal([]);
    });

  it('are never milder with the policy that asks a human for them than without it', async () => {
    const without = setWithLexicon(shippedFiles().filter(({ path }) => path !== POLICY));
    const strictness: readonly Verdict[] = ['ALLOW', 'DEGRADE', 'ESCALATE', 'DENY'];
    const intents = [...ACTION_CLASSES, 'frobnicate'].flatMap((action) =>
      ['*', 'db/*', 'identity/*', 'files/home/*'].map((resource) => `${action}:${resource}`),
    );
    const [before, after] = [await verdictsOf(intents, without), await verdictsOf(intents)];
    const milder = [...before].flatMap(([who, verdicts]) =>
      verdicts.flatMap((verdict, at) => {
        const now = after.get(who)?.[at] ?? 'ALLOW';
        return strictness.indexOf(now) < strictness.indexOf(verdict) ? [`${who}: ${intents[at]}: ${now}`] : [];
      }),
    );
    expect(before.size).to.equal(Object.keys(AGENTS).length * 2);
    expect(milder).to.deep.equal([]);
  });
});
