// The linter is complete for small sets: what permits an unknown agent to delete, by itself, is reported. Tried on every request.
import { expect } from 'chai';
import fc from 'fast-check';
import { permits } from '../../../shared/kernel/vocabulary.ts';
import { lintPolicySet } from '../../../shared/core/policy/lint.ts';
import { timeFactsOf } from '../../../shared/core/policy/time.ts';
import type { Facts } from '../../../shared/core/policy/types.ts';
import { degradeIf, db, is } from '../policy/lint-case.ts';
import { factsWith, policy, setOf } from '../policy/support.ts';
import type { PolicyLike } from '../policy/support.ts';
import { verdictOf } from './policy-interpreter.ts';
import { runs } from './runs.ts';

const order = fc.constantFrom('lessThan', 'greaterThanInclusive', 'equal');
const leaf = fc.oneof(
  fc.tuple(order, fc.constantFrom(6, 12)).map(([operator, hour]) => is('time.hour', operator, hour)),
  fc.tuple(order, fc.constantFrom(1, 3)).map(([operator, level]) => is('trust.level', operator, level)),
  fc.boolean().map((value) => is('context.admin', 'equal', value)),
  fc.boolean().map((value) => is('agent.registered', 'equal', value)),
  fc.constantFrom('one', 'all').map((extent) => is('intent.extent', 'equal', extent)),
);
const part = fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 1, arbitrary: leaf.map((not) => ({ not })) });
const parts = fc.array(part, { minLength: 1, maxLength: 3 });
const conditions = fc.oneof(fc.record({ all: parts }), fc.record({ any: parts }));
const EFFECTS = ['ALLOW', 'ALLOW', 'DEGRADE', 'DEGRADE', 'DENY', 'ESCALATE'] as const;
const documents = fc
  .array(fc.tuple(fc.constantFrom(...EFFECTS), conditions), { minLength: 1, maxLength: 4 })
  .map((made) =>
    made.map(([effect, condition], i) =>
      effect === 'DEGRADE'
        ? degradeIf(`p${i}`, condition, db('delete'))
        : policy(`p${i}`, effect, condition, db('delete')),
    ),
  );

const REQUESTS: readonly Facts[] = [0, 6, 9, 12, 23].flatMap((hour) =>
  [{}, { admin: true }, { admin: false }].flatMap((context) =>
    (['one', 'all'] as const).map((extent) => {
      const facts = factsWith({ context, time: timeFactsOf(Date.UTC(2026, 2, 4, hour, 30)) });
      const { intent } = facts;
      return {
        ...facts,
        intent: {
          ...intent,
          action: 'delete',
          verb: 'delete',
          effect: 'destructive',
          resource: 'db/q',
          places: [],
          extent,
        },
      };
    }),
  ),
);

const typeOf = ({ rules }: PolicyLike): string => String(Reflect.get(Object(rules[0]?.event), 'type'));
const without = (policies: readonly PolicyLike[], left: readonly PolicyLike[]): PolicyLike[] =>
  policies.filter((one) => !left.includes(one));

/** Whether a policy permits a request by itself: an ALLOW without the other policies that permit, a DEGRADE without other DEGRADEs. */
function opens(policies: readonly PolicyLike[], one: PolicyLike): boolean {
  const left = policies.filter(
    (other) => other !== one && permitting(other) && (typeOf(one) === 'ALLOW' || typeOf(other) === 'DEGRADE'),
  );
  const [all, alone, none] = [policies, without(policies, left), without(policies, [...left, one])].map(
    (some) => setOf(some).policies,
  );
  return REQUESTS.some(
    (facts) =>
      permits(verdictOf(all ?? [], facts)) &&
      permits(verdictOf(alone ?? [], facts)) &&
      !permits(verdictOf(none ?? [], facts)),
  );
}
const permitting = (one: PolicyLike): boolean => ['ALLOW', 'DEGRADE'].includes(typeOf(one));

describe('lint of openings', () => {
  it('reports every rule that by itself permits an unknown agent to delete (random small sets, every request)', () => {
    let opened = 0;
    fc.assert(
      fc.property(documents, (policies) => {
        const findings = lintPolicySet(setOf(policies));
        for (const one of policies.filter(permitting)) {
          if (!opens(policies, one)) continue;
          opened += 1;
          const codes = findings.filter((finding) => finding.policy === one.id).map(({ code }) => code);
          expect(codes, `${one.id} of ${JSON.stringify(policies)}`).to.include('WIDENING');
        }
      }),
      runs(100, 0.05),
    );
    expect(opened).to.be.greaterThan(20);
  });
});
