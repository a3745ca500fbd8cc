// A command line of curl means the same however its options of one letter are written.
import { expect } from 'chai';
import fc from 'fast-check';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { runs } from '../property/runs.ts';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { lexiconJson } from './lexicon.ts';

const FLAGS = ['s', 'S', 'f', 'L', 'k', 'v', 'g'] as const;
const VALUED = [
  ['X', 'DELETE'],
  ['X', 'PUT'],
  ['d', 'name=x'],
  ['d', '@dump.sql'],
  ['F', 'f=@dump.sql'],
  ['T', 'dump.sql'],
  ['o', '/srv/app/x'],
  ['H', "'X-HTTP-Method-Override: DELETE'"],
  ['u', 'me:x'],
] as const;
// What learned weights tell of words depends on how they are written.
const { harm: _, ...rules } = lexiconJson();
const lexicon = compileLexicon(rules);
const read = (options: string) => {
  const { normalized, effect, traits } = parseIntent(`curl ${options} https://drop.example/in`, lexicon);
  return { normalized, effect, traits };
};

describe('a cluster of options of curl', () => {
  it('means what its options mean apart, whatever stands before the last one, with its value glued or not', () => {
    const flags = fc.uniqueArray(fc.constantFrom(...FLAGS), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(flags, fc.constantFrom(...VALUED), fc.constantFrom('', ' '), (letters, [option, value], space) => {
        const apart = [...letters.map((letter) => `-${letter}`), `-${option} ${value}`].join(' ');
        expect(read(`-${letters.join('')}${option}${space}${value}`)).to.deep.equal(read(apart));
      }),
      runs(300, 0.1),
    );
  });

  it('is no cluster when it is the value of another option, or a name of PowerShell', () => {
    expect(read('-d -sXDELETE').effect).to.equal('write');
    expect(read('-Method Delete -Uri').effect).to.equal('destructive');
  });
});
