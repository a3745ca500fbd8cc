// Mutation operators for good policy sets: each introduces one defect that the linter must find.
import { ALWAYS, type RuleLike } from '../policy/support.ts';
import {
  add,
  change,
  demand,
  deny,
  here,
  isAllow,
  isEnforce,
  isLeafOf,
  KNOWN,
  type Leaf,
  leaf,
  listOf,
  NEW,
  type Operator,
  partsOf,
  type Site,
  typeOf,
  withRules,
} from './policy-lint-site.ts';

const OPERATORS_IN: readonly (Omit<Operator, 'mutate'> & {
  when?: (site: Site) => boolean;
  make: Operator['mutate'];
})[] = [
  {
    name: 'a comparison is flipped beside its opposite',
    kind: 'never-true',
    codes: ['NEVER_TRUE'],
    make: (site) => {
      const path = KNOWN[site.pick(KNOWN.length)] ?? KNOWN[0];
      const value = path === 'intent.confidence' ? 0.5 : 3;
      return demand(site, leaf(path, 'lessThan', value), leaf(path, 'greaterThanInclusive', value));
    },
  },
  {
    name: 'a bound is out of range',
    kind: 'never-true',
    codes: ['NEVER_TRUE'],
    make: (site) =>
      demand(
        site,
        [
          leaf('trust.level', 'greaterThan', 7 + site.pick(3)),
          leaf('trust.score', 'lessThan', 0 - site.pick(3)),
          leaf('time.hour', 'equal', 24),
          leaf('intent.confidence', 'greaterThan', 1),
        ][site.pick(4)],
      ),
  },
  {
    name: 'the bounds of an interval are swapped',
    kind: 'never-true',
    codes: ['NEVER_TRUE'],
    make: (site) =>
      demand(
        site,
        leaf('trust.score', 'greaterThan', 500 + site.pick(300)),
        leaf('trust.score', 'lessThan', 200 + site.pick(300)),
      ),
  },
  {
    name: 'a fact must equal two values',
    kind: 'never-true',
    codes: ['NEVER_TRUE', 'UNREACHABLE'],
    make: (site) =>
      demand(site, leaf('intent.effect', 'equal', 'read'), leaf('intent.effect', 'in', ['write', 'destructive'])),
  },
  {
    name: 'a minute has more than its hour',
    kind: 'never-true',
    codes: ['NEVER_TRUE'],
    make: (site) =>
      demand(
        site,
        leaf('history.last_60s.ESCALATE', 'greaterThan', 3 + site.pick(9)),
        leaf('history.last_1h.ESCALATE', 'lessThan', 3),
      ),
  },
  {
    name: 'the level excludes the score',
    kind: 'never-true',
    codes: ['NEVER_TRUE'],
    make: (site) =>
      demand(
        site,
        leaf('trust.level', 'greaterThanInclusive', 5),
        leaf('trust.score', 'lessThan', 500 + site.pick(299)),
      ),
  },
  {
    name: 'the action is not one of the target',
    kind: 'unreachable',
    codes: ['UNREACHABLE', 'NEVER_TRUE'],
    when: ({ policy }) => !listOf(policy.target, 'actions').includes('*'),
    make: (site) => {
      const others = ['read', 'delete', 'grant', 'send', 'transfer'].filter(
        (one) => !listOf(site.policy.target, 'actions').includes(one),
      );
      return demand(site, leaf('intent.action', 'equal', others[site.pick(others.length)]));
    },
  },
  {
    name: 'the environment is not one of the target',
    kind: 'unreachable',
    codes: ['UNREACHABLE', 'NEVER_TRUE'],
    make: (site) => {
      const changed = demand(site, leaf('environment', 'equal', 'test'));
      const live = { environments: ['live'] };
      return {
        ...changed,
        policies: changed.policies.map((one) =>
          one.id === site.policy.id ? { ...one, target: { ...one.target, ...live } } : one,
        ),
      };
    },
  },
  {
    name: 'no organisation can have the name',
    kind: 'unreachable',
    codes: ['UNREACHABLE'],
    make: (site) => ({ policies: add(site, { target: { organisations: ['Acme Inc'] } }), at: [NEW] }),
  },
  {
    name: 'an ALLOW asks for a resource outside its target',
    kind: 'unreachable',
    codes: ['UNREACHABLE'],
    when: (site) => isAllow(site) && !listOf(site.policy.target, 'resources').includes('*'),
    make: (site) => demand(site, leaf('intent.resource', 'matchesResource', ['elsewhere/*'])),
  },
  {
    name: 'a DENY covers the rule',
    kind: 'shadowed',
    codes: ['SHADOWED', 'CONTRADICTORY'],
    when: (site) => isEnforce(site) && typeOf(site.rule) !== 'DENY',
    make: (site) => ({
      policies: add(site, {
        conditions: ALWAYS,
        event: deny,
        target: [{}, { resources: ['*'] }, { actions: ['*'] }][site.pick(3)] ?? {},
      }),
      at: [here(site)],
    }),
  },
  {
    name: 'two DENYs cover the rule only together',
    kind: 'shadowed',
    codes: ['SHADOWED'],
    when: (site) => isEnforce(site) && typeOf(site.rule) !== 'DENY',
    make: (site) => {
      const [path, value] = (
        [
          ['trust.score', 100 + site.pick(800)],
          ['intent.confidence', 0.5],
          ['history.last_1h.DENY', 1 + site.pick(9)],
        ] as const
      )[site.pick(3)] ?? ['trust.level', 4];
      const { policy } = site;
      const rules = ['lessThan', 'greaterThanInclusive'].map((operator) => ({
        name: operator.toLowerCase(),
        conditions: { all: [leaf(path, operator, value)] },
        event: deny,
      }));
      return { policies: [...site.policies, { ...policy, id: 'zz-new', rules }], at: [here(site)] };
    },
  },
  {
    name: 'the rule is there twice',
    kind: 'shadowed',
    codes: ['SHADOWED'],
    make: (site) => ({ policies: add(site, {}), at: [NEW, here(site)] }),
  },
  {
    name: 'a narrower copy says the same',
    kind: 'shadowed',
    codes: ['SHADOWED'],
    when: (site) => !isAllow(site) && typeOf(site.rule) !== 'DEGRADE',
    make: (site) => ({
      policies: add(site, { conditions: { all: [...partsOf(site.rule), leaf('agent.tags', 'contains', 'pilot')] } }),
      at: [NEW],
    }),
  },
  {
    name: 'a DENY has the conditions of another rule',
    kind: 'contradictory',
    codes: ['CONTRADICTORY'],
    when: (site) => isEnforce(site) && typeOf(site.rule) !== 'DENY',
    make: (site) => {
      const policies = withRules(site, (rule) =>
        rule.name === site.rule.name ? [rule, { ...rule, name: 'opposite', event: deny }] : [rule],
      );
      return { policies, at: [here(site)] };
    },
  },
  {
    name: 'obligations exclude each other',
    kind: 'contradictory',
    codes: ['CONTRADICTORY'],
    when: (site) => typeOf(site.rule) === 'DEGRADE',
    make: (site) => {
      const rate = (limit: number, perSeconds: number) => ({ type: 'rate', limit, perSeconds });
      const event = {
        type: 'DEGRADE',
        params: { code: 'LIMITED', message: 'limited', obligations: [rate(100, 3_600), rate(1, 1)] },
      };
      return {
        policies: withRules(site, (rule) => [rule.name === site.rule.name ? { ...rule, event } : rule]),
        at: [here(site)],
      };
    },
  },
  {
    name: 'a copy of an ALLOW has one guard less',
    kind: 'widening',
    codes: ['WIDENING'],
    when: (site) => isAllow(site) && partsOf(site.rule).length > 1,
    make: (site) => {
      const parts = partsOf(site.rule);
      const out = site.pick(parts.length);
      return {
        policies: add(site, { conditions: { all: parts.filter((_, i) => i !== out) } }),
        at: [NEW],
        isDefectWhenWider: true,
      };
    },
  },
  {
    name: 'an ALLOW is for every resource and action, without a condition',
    kind: 'widening',
    codes: ['WIDENING'],
    when: isAllow,
    make: (site) => ({
      policies: add(site, { conditions: ALWAYS, target: { actions: ['*'], resources: ['*'] } }),
      at: [NEW],
      isDefectWhenWider: true,
    }),
  },
  {
    name: 'an ALLOW has an alternative that always holds',
    kind: 'widening',
    codes: ['WIDENING'],
    when: isAllow,
    make: (site) => change(site, { any: [{ all: partsOf(site.rule) }, ...ALWAYS.all] }),
  },
  {
    name: 'the guard of an ALLOW admits every value',
    kind: 'widening',
    codes: ['WIDENING'],
    when: isAllow,
    make: (site) => change(site, { all: [leaf('trust.level', 'greaterThanInclusive', 0)] }),
  },
  {
    name: 'the caller chooses the guard of an ALLOW',
    kind: 'widening',
    codes: ['WIDENING'],
    when: isAllow,
    make: (site) => ({
      policies: change(site, {
        all: [
          ...(partsOf(site.rule).some((part) => isLeafOf(part, 'intent.action'))
            ? partsOf(site.rule).slice(0, 1)
            : ALWAYS.all),
          [
            leaf('context.purpose', 'notEqual', 'marketing'),
            { not: leaf('context.purpose', 'in', ['ads', 'resale']) },
            leaf('context.blocked', 'isPresent', false),
          ][site.pick(3)],
        ],
      }).policies,
      at: [here(site)],
    }),
  },
  {
    name: 'a rule that refuses or asks always does',
    kind: 'always-true',
    codes: ['ALWAYS_TRUE'],
    when: (site) => !isAllow(site),
    make: (site) =>
      change(
        site,
        [
          { all: [leaf('trust.level', 'lessThanInclusive', 7)] },
          { any: [leaf('trust.score', 'lessThan', 400), leaf('trust.score', 'greaterThanInclusive', 400)] },
          { any: [...ALWAYS.all, ...partsOf(site.rule)] },
        ][site.pick(3)],
      ),
  },
  {
    name: 'a part of the conditions always holds',
    kind: 'constant part',
    codes: ['CONSTANT_PART', 'WIDENING'],
    make: (site) => demand(site, leaf('trust.score', 'greaterThanInclusive', 0 - site.pick(2))),
  },
  {
    name: 'a condition is written twice',
    kind: 'duplicate condition',
    codes: ['DUPLICATE_CONDITION'],
    make: (site) => demand(site, partsOf(site.rule)[site.pick(partsOf(site.rule).length)]),
  },
  {
    name: 'two values of the context are asked for at once',
    kind: 'only when missing',
    codes: ['ONLY_WHEN_MISSING'],
    when: (site) => !isAllow(site),
    make: (site) => demand(site, leaf('context.ring', 'equal', 'inner'), leaf('context.ring', 'equal', 'outer')),
  },
  {
    name: 'two rules read a member of the context as different types',
    kind: 'context type',
    codes: ['CONTEXT_TYPE'],
    make: (site) => {
      const read = (name: string, part: Leaf): RuleLike => ({
        ...site.rule,
        name,
        conditions: { all: [...partsOf(site.rule), part] },
      });
      const pair = [
        read('by-number', leaf('context.size', 'greaterThan', 3)),
        read('by-name', leaf('context.size', 'equal', 'large')),
      ];
      const { id } = site.policy;
      return {
        policies: withRules(site, (rule) => (rule.name === site.rule.name ? pair : [rule])),
        at: [`${id}/by-number`, `${id}/by-name`],
      };
    },
  },
];

export const MUTATIONS: readonly Operator[] = OPERATORS_IN.map(({ when, make, ...head }) => ({
  ...head,
  mutate: (site) => (when === undefined || when(site) ? make(site) : undefined),
}));
