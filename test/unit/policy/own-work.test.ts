// The work of checking what an organisation pushes: counted, not timed.
import { expect } from 'chai';
import { RE2JS } from 're2js';
import { OWN_LIMITS } from '../../../shared/core/policy/own/admit.ts';
import { hoursProblem, compileHours, utcMarks } from '../../../shared/core/policy/hours.ts';
import { admitFiles } from './own-support.ts';
import { filesOf, policy, setOf } from './support.ts';

describe('the check of own policies', () => {
  it('makes one clock for each zone', () => {
    const { DateTimeFormat } = Intl;
    let made = 0;
    Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
      construct(target, parts) {
        made += 1;
        return Reflect.construct(target, parts) as object;
      },
    });
    try {
      for (let i = 0; i < 100; i += 1) {
        const hours = `08:${String(10 + (i % 50))}-18:00`;
        for (const zone of ['Pacific/Chatham', 'pacific/chatham', 'Africa/Juba']) {
          expect(hoursProblem({ hours, zone }, false)).to.equal(undefined);
          expect(compileHours({ hours, zone })('2026-03-04T10:30:00.000Z')).to.be.oneOf(['yes', 'no']);
          expect(utcMarks({ hours, zone }, Date.UTC(2026, 0, 1))).not.to.deep.equal([]);
        }
      }
    } finally {
      Intl.DateTimeFormat = DateTimeFormat;
    }
    expect(made).to.be.at.most(2);
  });

  it('refuses what is too large before it looks at the policies', () => {
    const pattern = { fact: 'context', path: 'note', operator: 'matchesPattern', value: 'a[ab]{400}' };
    const one = (id: string) => policy(id, 'DENY', { all: [pattern] });
    const large = { ...one('large'), description: 'x'.repeat(OWN_LIMITS.bytes) };
    const many = Array.from({ length: OWN_LIMITS.policies + 1 }, (_, i) => one(`p${i}`));
    const [rule] = one('r').rules;
    const rules = {
      ...one('r'),
      rules: Array.from({ length: OWN_LIMITS.rules + 1 }, (_, i) => ({ ...rule, name: `r${i}` })),
    };
    const installation = setOf([policy('allow', 'ALLOW')]);
    const { compile } = RE2JS;
    let compiled = 0;
    RE2JS.compile = (...parts: Parameters<typeof compile>) => {
      compiled += 1;
      return compile.apply(RE2JS, parts);
    };
    try {
      for (const [policies, what] of [
        [[large], 'bytes'],
        [many, 'policies'],
        [[rules], 'rules'],
      ] as const) {
        const { own, errors } = admitFiles(installation, filesOf(policies));
        expect([own, errors.map(({ code }) => code)], what).to.deep.equal([undefined, ['TOO_LARGE']]);
        expect(errors[0]?.message).to.contain(what);
      }
    } finally {
      RE2JS.compile = compile;
    }
    expect(compiled).to.equal(0);
  });
});
