// The property of all readers: harmless units before one that does harm never make the answer milder, however many there are.
import path from 'node:path';
import { expect } from 'chai';
import { loadFolderSet } from '../../../bench/intent-reader.ts';
import { createVerdictReader, type VerdictReader } from '../../../bench/intent-verdicts.ts';
import { readCode } from '../../../shared/core/intent/code/script.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { shippedLexicon } from '../intent/lexicon.ts';
import { readWith } from '../tools/support.ts';
import { LONG_TEXTS } from './long-texts.ts';

const MILDEST_FIRST = ['ALLOW', 'DEGRADE', 'ESCALATE', 'DENY', 'REFUSED'];
/** One more than each limit of a reader, and many more. */
const COUNTS = [6, 8, 13, 21, 26, 41, 51, 61, 101, 201, 241, 401];
const LONGEST = 9_990;
/** What is told of a text beside its action. An action that is not known is for a human without them. */
const MARKS: ReadonlySet<string> = new Set(['obfuscated', 'prompt_injection', 'secret_in_text', 'external']);

describe('harmless units before a harmful one', () => {
  let reader: VerdictReader;
  before(async () => {
    reader = createVerdictReader(await loadFolderSet(path.join(findRoot(), 'policies')));
  });

  for (const [name, textOf] of LONG_TEXTS)
    it(`never make the answer milder. ${name}`, async () => {
      const alone = await reader.verdictsOf(textOf(0));
      expect(alone.byParse).not.to.equal('ALLOW');
      const marks = [...alone.parse.flags, ...alone.parse.traits].filter((mark) => MARKS.has(mark));
      for (const count of COUNTS.filter((one) => textOf(one).length <= LONGEST)) {
        const { byParse, parse } = await reader.verdictsOf(textOf(count));
        const rank = MILDEST_FIRST.indexOf(byParse);
        expect(rank, `${count}: ${byParse}`).to.be.at.least(MILDEST_FIRST.indexOf(alone.byParse));
        if (parse.action !== 'unknown') expect([...parse.flags, ...parse.traits], `${count}`).to.include.members(marks);
      }
    });

  for (const [name, textOf] of LONG_TEXTS)
    it(`are not all that a tool call with the text does. ${name}`, () => {
      const isRead = (count: number): boolean =>
        readWith({ action: 'read', reads: { text: 'text' } }, { text: textOf(count) }).intent.effect === 'read';
      if (isRead(0)) return;
      for (const count of [51, 201]) expect(isRead(count), `${count}`).to.equal(false);
    });

  for (const [reads, kind] of [
    ['shell: ', 'shell'],
    ['SQL: ', 'sql'],
    ['HTTP: ', 'http'],
  ] as const)
    for (const [name, textOf] of LONG_TEXTS.filter(([one]) => one.startsWith(reads)))
      it(`are never all that is understood of code. ${name}`, () => {
        const isMild = (count: number): boolean => {
          const { fragments, isUnderstood } = readCode(kind, textOf(count), shippedLexicon());
          return isUnderstood && fragments.every(({ effect }) => effect === 'read');
        };
        if (isMild(0)) return;
        for (const count of COUNTS) expect(isMild(count), `${count}`).to.equal(false);
      });
});
