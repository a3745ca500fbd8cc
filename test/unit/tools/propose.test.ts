// Proposals of `custos tools import`, on recorded lists of public servers and on tools whose name, annotations and sentences differ.
import { expect } from 'chai';
import { type ListedTool, type Proposal, proposeEntry } from '../../../shared/core/tools/propose.ts';
import { checkCatalogue } from '../../../shared/core/policy/check-tools.ts';
import { effectOfAction } from '../../../shared/core/intent/lexicon/effect.ts';
import { definitionDigest } from '../../../shared/core/tools/definition.ts';
import { shippedLexicon } from '../intent/lexicon.ts';
import { catalogueOf } from './support.ts';
import { dataOf } from '../../support/data.ts';

interface Recorded {
  readonly tools: readonly ListedTool[];
}
type Expected = Readonly<Record<string, string>>;
const cases = dataOf<{
  readonly recorded: Readonly<Record<string, Expected>>;
  readonly withoutAnnotations: Expected;
  readonly unclear: readonly (readonly [string, ListedTool, string])[];
}>('unit/tools/propose.cases.json');

/** Action, effect and confidence, and the other members of the entry. */
function summary({ entry, confidence }: Proposal): string {
  const { action, effect = effectOfAction(action), extent, resource, places = [], traits = [], ...rest } = entry;
  const reads = Object.entries(rest.reads ?? {}).flatMap(([name, kind]) => ['reads', name, kind]);
  const more = [extent, resource, ...(places.length === 0 ? [] : ['places', ...places]), ...traits, ...reads];
  return [action, effect, confidence, ...more, ...(rest.dataClasses ?? [])]
    .filter((one) => one !== undefined)
    .join(' ');
}

describe('the proposal for a tool', () => {
  for (const [server, expected] of Object.entries(cases.recorded)) {
    const { tools } = dataOf<Recorded>(`unit/tools/lists/${server}.json`);
    it(`of the ${server} server is as its name and annotations say, pinned, and makes a valid catalogue`, () => {
      const proposals = tools.map((tool) => [tool.name, proposeEntry(tool, shippedLexicon())] as const);
      expect(Object.fromEntries(proposals.map(([name, one]) => [name, summary(one)]))).to.deep.equal(expected);
      const entries = Object.fromEntries(proposals.map(([name, { entry }]) => [name, entry]));
      expect(checkCatalogue(catalogueOf(entries))).to.include({ ok: true });
      for (const tool of tools) expect(entries[tool.name]?.definition).to.equal(definitionDigest(tool));
    });
  }

  it('rests on the name when there are no annotations, and not on the sentences of the description', () => {
    const { tools } = dataOf<Recorded>('unit/tools/lists/filesystem.json');
    const found = tools
      .filter(({ name }) => Object.hasOwn(cases.withoutAnnotations, name))
      .map((tool) => [tool.name, summary(proposeEntry({ ...tool, annotations: undefined }, shippedLexicon()))]);
    expect(Object.fromEntries(found)).to.deep.equal(cases.withoutAnnotations);
  });

  for (const [what, tool, expected] of cases.unclear)
    it(`${what}: ${expected}`, () => {
      const proposal = proposeEntry(tool, shippedLexicon());
      expect(summary(proposal)).to.equal(expected);
      expect(proposal.reasons).to.not.deep.equal([]);
    });
});
