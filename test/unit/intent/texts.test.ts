// Every text case of test/texts, by what reads its text. Texts of one organisation's words: lexicon-organisation.test.ts.
import path from 'node:path';
import { expect } from 'chai';
import { createIntentReader, loadFolderSet } from '../../../bench/intent-reader.ts';
import { withoutMentions } from '../../../shared/core/intent/attack/mentions.ts';
import { type CodeKind, readCode } from '../../../shared/core/intent/code/script.ts';
import { parseNormalized, readNormalized } from '../../../shared/core/intent/normalized.ts';
import { parsed, toolCallsIn } from '../../../shared/core/intent/code/tool-calls.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { canonicalResource, parseEnforceIntent } from '../../../shared/core/intent/resource.ts';
import { actionOf } from '../../../shared/core/intent/strings/action-word.ts';
import type { ParsedIntent } from '../../../shared/core/intent/types.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { milderIn } from '../../support/milder.ts';
import { expectReading, type TextKind, textCases, textSet } from '../../support/text-cases.ts';
import { readingOf, shippedLexicon } from './lexicon.ts';

const lexicon = shippedLexicon();
const policies = loadFolderSet(path.join(findRoot(), 'policies')).then(createIntentReader);

const REFUSED = { refused: true };
const readString = (text: string) => parseEnforceIntent(text, (word) => actionOf(word, lexicon)?.action);

function parseOf(text: string): ParsedIntent {
  const string = readString(text);
  if (!string.ok) throw new Error(`${text} ${string.message}`);
  return readNormalized(string, lexicon);
}

/** The differences that make a string milder than `other`, whose rules must match it: as its resource or as a place that contains it. */
function milderThan(text: string, other: string): unknown[] {
  const string = readString(text);
  const [meant, real] = [parseOf(text), parseOf(other)];
  const places = [...meant.places, string.ok ? string.resource : ''];
  const resource = other.replace(/^(\w+)\.\w+\./, '$1.').replaceAll('.', '/');
  const isOutside = real.places.length > 0 && !places.includes(resource);
  return [
    ...milderIn({ ...meant, places }, { ...real, confidence: 1 }),
    ...(isOutside ? [`lies outside ${resource}`] : []),
  ];
}

const code = (kind: CodeKind) => (text: string) => {
  const { fragments, isUnderstood } = readCode(kind, text, lexicon);
  return { understood: isUnderstood, actions: [...new Set(fragments.map(({ action }) => action))] };
};

const READERS: Record<Exclude<TextKind, 'organisation'>, (text: string) => object | Promise<object>> = {
  enforce(text) {
    const string = readString(text);
    return string.ok ? { ...string, ...readingOf(readNormalized(string, lexicon)) } : REFUSED;
  },
  http: code('http'),
  javascript: code('javascript'),
  mention: (text) => ({ mentioned: withoutMentions(text) !== text }),
  normalized: (text) => parseNormalized(text, lexicon) ?? REFUSED,
  parse: (text) => readingOf(parseIntent(text, lexicon)),
  resource(text) {
    const result = canonicalResource(text);
    return result.ok ? result : REFUSED;
  },
  python: code('python'),
  async risk(text) {
    const { risk } = await (await policies).read(text);
    const factors = risk.factors.map(({ factor }) => factor);
    expect(factors, 'each factor once').to.have.length(new Set(factors).size);
    expect(risk.factors.every(({ message }) => message.length > 5)).to.equal(true);
    return { risk: risk.level, riskScore: risk.score, factors };
  },
  shell: code('shell'),
  sql: code('sql'),
};

// The keys of a record that is written out above.
for (const kind of Object.keys(READERS) as (keyof typeof READERS)[])
  for (const [set, cases] of textCases(kind))
    describe(`texts, ${kind}: ${set}`, () => {
      for (const one of cases)
        it(one.title, async () => {
          const { lessConfidentThan, notMilderThan, ...members } = one.expect;
          expectReading(one, await READERS[kind](one.text), members);
          if (lessConfidentThan !== undefined)
            expect(parseIntent(one.text, lexicon).confidence, one.place).to.be.lessThan(
              parseIntent(lessConfidentThan, lexicon).confidence,
            );
          if (notMilderThan !== undefined) expect(milderThan(one.text, notMilderThan), one.place).to.deep.equal([]);
        });
    });

describe('A call of a tool', () => {
  const isCall = (text: string) => parsed(text) !== undefined && toolCallsIn(text).some(({ isSurely }) => isSurely);
  for (const { text } of textSet('parse', 'tool-calls').filter((one) => isCall(one.text)))
    it(`is read alike on one line and on several: ${text.slice(0, 80)}`, () => {
      const read = (spaces: number) => {
        const { action, object, effect, traits } = parseIntent(JSON.stringify(parsed(text), null, spaces), lexicon);
        return { action, object, effect, traits };
      };
      expect(read(2)).to.deep.equal(read(0));
    });
});
