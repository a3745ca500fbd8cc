// What the readers of code find out about a text once for all of them.
import { expect } from 'chai';
import fc from 'fast-check';
import { type AboutText, occursFrom, sought } from '../../../shared/core/intent/code/effort.ts';

describe('a pattern that is sought in the rest of a text', () => {
  const patterns = [/[\\'"]|<#/, /(?:^|[\s"(])[A-Z]:\\|\s\/[a-z](?:\s|$)/, /\b[A-Z][a-z]+-[A-Z]\b/i].map(
    (pattern) => [pattern, sought(pattern)] as const,
  );
  const text = fc.array(fc.constantFrom(...'C:\\ /a\n(-B"x<#é'), { maxLength: 40 }).map((chars) => chars.join(''));

  it('occurs there if it occurs in that rest alone, wherever it was sought before and in whichever text', () => {
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(40), { maxLength: 30 }),
        (texts, places) => {
          const about: AboutText = {};
          for (const [at, from] of places.entries())
            for (const [pattern, { after, here }] of patterns) {
              const whole = texts[at % texts.length] ?? '';
              const rest = whole.slice(from);
              expect(occursFrom({ after, here }, whole, from, about), JSON.stringify(rest)).to.equal(
                pattern.test(rest),
              );
            }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
