// Small policy sets with their expected linter findings: the cases of lint.test.ts.
import { all, any, db, degrade, escalating, euros, is, level, not, risk, to, type LintCase } from './lint-case.ts';
import { ALWAYS, policy } from './support.ts';

const dead = (pointer: string) => [`error NEVER_TRUE p /rules/0/conditions${pointer}`];

export const CASES: readonly LintCase[] = [
  {
    name: 'bounds that leave nothing',
    policies: [policy('p', 'DENY', all(level('lessThan', 3), level('greaterThan', 5)))],
    says: dead(''),
  },
  {
    name: 'a level above the highest',
    policies: [policy('p', 'DENY', all(level('greaterThan', 7)))],
    says: dead('/all/0'),
  },
  { name: 'half a level', policies: [policy('p', 'DENY', all(level('equal', 2.5)))], says: dead('/all/0') },
  {
    name: 'two effects at once',
    policies: [
      policy(
        'p',
        'ALLOW',
        all(is('intent.effect', 'equal', 'read'), is('intent.effect', 'equal', 'write')),
        db('read'),
      ),
    ],
    says: dead(''),
  },
  {
    name: 'a level that excludes the score',
    policies: [policy('p', 'DENY', all(level('greaterThanInclusive', 5), is('trust.score', 'lessThan', 700)))],
    says: dead(''),
  },
  {
    name: 'more in a minute than in a day',
    policies: [
      policy(
        'p',
        'DENY',
        all(is('history.last_60s.DENY', 'greaterThan', 10), is('history.last_24h.DENY', 'lessThanInclusive', 10)),
      ),
    ],
    says: dead(''),
  },
  {
    name: 'more of one verdict in a minute than of another in a day',
    policies: [
      policy(
        'p',
        'DENY',
        all(is('history.last_60s.DENY', 'greaterThan', 10), is('history.last_24h.ALLOW', 'lessThanInclusive', 10)),
      ),
    ],
    says: [],
  },
  {
    name: 'a level above the claimed one',
    policies: [
      policy(
        'p',
        'DENY',
        all(is('trust.claimed.level', 'equal', 3), level('equal', 4), is('trust.claimed.level', 'isPresent', true)),
      ),
    ],
    says: dead(''),
  },
  {
    name: 'a trusted agent that nobody registered',
    policies: [policy('p', 'ALLOW', all(is('agent.registered', 'equal', false), level('greaterThan', 2)), db('read'))],
    says: dead(''),
  },
  {
    name: 'hours of the day that exclude each other',
    policies: [
      policy('p', 'DENY', all(is('time.now', 'withinHours', '08:00-10:00'), is('time.hour', 'greaterThan', 12))),
    ],
    says: dead(''),
  },
  {
    name: 'a Friday that is a Saturday',
    policies: [policy('p', 'DENY', all(is('time.weekday', 'equal', 6), is('time.date', 'equal', '2026-12-25')))],
    says: dead(''),
  },
  {
    name: 'two prefixes of one word',
    policies: [policy('p', 'DENY', all(is('intent.verb', 'startsWith', 'ab'), is('intent.verb', 'startsWith', 'cd')))],
    says: dead(''),
  },
  {
    name: 'a domain that is not canonical',
    policies: [policy('p', 'ALLOW', all(is('intent.domain', 'equal', 'DB')), to(['read'], ['*']))],
    says: dead('/all/0'),
  },
  {
    name: 'two networks',
    policies: [
      policy(
        'p',
        'ALLOW',
        all(is('context.ip', 'inCidr', '10.0.0.0/8'), is('context.ip', 'inCidr', '192.168.0.0/16')),
        db('read'),
      ),
    ],
    says: dead(''),
  },
  {
    name: 'an amount above 100 that is not above 50',
    policies: [policy('p', 'DENY', all(euros(100), not(euros(50))))],
    says: ['warning ONLY_WHEN_MISSING p /rules/0/conditions'],
  },
  {
    name: 'an action outside the target',
    policies: [policy('p', 'DENY', all(is('intent.action', 'equal', 'delete')), db('read'))],
    says: ['error UNREACHABLE p /rules/0'],
  },
  {
    name: 'an ALLOW of unknown actions',
    policies: [policy('p', 'ALLOW', all(is('intent.action', 'equal', 'unknown')))],
    says: ['error UNREACHABLE p /rules/0'],
  },
  {
    name: 'a domain outside the target',
    policies: [policy('p', 'ALLOW', all(is('intent.domain', 'equal', 'files')), db('read'))],
    says: ['error UNREACHABLE p /rules/0'],
  },
  {
    name: 'a resource outside a DENY, which places can reach',
    policies: [policy('p', 'DENY', all(is('intent.resource', 'matchesResource', 'files/*')), db('read'))],
    says: [],
  },
  {
    name: 'an organisation with an impossible name',
    policies: [policy('p', 'DENY', ALWAYS, to(['read'], ['db/*'], { organisations: ['Acme Inc'] }))],
    says: ['error UNREACHABLE p /rules/0'],
  },
  {
    name: 'agents that never reach a policy',
    policies: [policy('p', 'DENY', all(is('agent.status', 'in', ['PAUSED', 'SUSPENDED'])))],
    says: ['warning UNREACHABLE p /rules/0'],
  },
  {
    name: 'two values of a context member in an ALLOW',
    policies: [policy('p', 'ALLOW', all(is('context.a', 'equal', 1), is('context.a', 'equal', 2)), db('read'))],
    says: dead(''),
  },
  {
    name: 'a DENY that covers an ALLOW',
    policies: [
      policy('a', 'ALLOW', all(level('greaterThan', 3)), db('delete')),
      policy('b', 'DENY', all(level('greaterThan', 2))),
    ],
    says: ['warning SHADOWED a /rules/0'],
  },
  {
    name: 'two DENY that cover an ESCALATE together',
    policies: [
      policy('a', 'ESCALATE', all(level('greaterThan', 3)), db('delete')),
      policy('b', 'DENY', all(level('lessThan', 6))),
      policy('c', 'DENY', all(level('greaterThan', 4))),
    ],
    says: ['warning SHADOWED a /rules/0'],
  },
  {
    name: 'two DENY that cover an ALLOW together, by a fact that the ALLOW does not read',
    policies: [
      policy('a', 'ALLOW', all(is('intent.effect', 'equal', 'destructive')), db('delete')),
      policy('b', 'DENY', all(level('lessThan', 4)), db('delete')),
      policy('c', 'DENY', all(level('greaterThanInclusive', 4)), db('*')),
    ],
    says: ['warning SHADOWED a /rules/0'],
  },
  {
    name: 'a DENY and an ESCALATE that cover an ALLOW without conditions',
    policies: [
      policy('a', 'ALLOW', ALWAYS, db('delete')),
      policy('b', 'DENY', all(is('time.now', 'withinHours', '08:00-18:00')), db('delete')),
      policy('c', 'ESCALATE', all(not(is('time.now', 'withinHours', '08:00-18:00'))), db('delete')),
    ],
    says: ['warning SHADOWED a /rules/0'],
  },
  {
    name: 'a DENY for each level, which only eight together cover an ALLOW',
    policies: [
      policy('a', 'ALLOW', all(is('intent.effect', 'equal', 'destructive')), db('delete')),
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((n) => policy(`level-${n}`, 'DENY', all(level('equal', n)), db('delete'))),
    ],
    says: ['warning SHADOWED a /rules/0'],
  },
  {
    name: 'a DENY with and one without a ticket, which cover an ALLOW together',
    policies: [
      policy('a', 'ALLOW', all(level('greaterThan', 3)), db('delete')),
      policy('b', 'DENY', all(is('context.ticket', 'isPresent', true)), db('delete')),
      policy('c', 'DENY', all(is('context.ticket', 'isPresent', false)), db('delete')),
    ],
    says: ['warning SHADOWED a /rules/0'],
  },
  {
    name: 'two DENY that cover all but one level of an ALLOW',
    policies: [
      policy('a', 'ALLOW', all(is('intent.effect', 'equal', 'destructive')), db('delete')),
      policy('b', 'DENY', all(level('lessThan', 4)), db('delete')),
      policy('c', 'DENY', all(level('greaterThan', 4)), db('delete')),
    ],
    says: [],
  },
  {
    name: 'two DENY that cover all levels, but not all environments of an ALLOW',
    policies: [
      policy('a', 'ALLOW', all(is('intent.effect', 'equal', 'destructive')), db('delete')),
      policy('b', 'DENY', all(level('lessThan', 4)), db('delete')),
      policy('c', 'DENY', all(level('greaterThanInclusive', 4)), to(['delete'], ['db/*'], { environments: ['live'] })),
    ],
    says: [],
  },
  {
    name: 'an ALLOW that a human decides anyway',
    policies: [
      policy('a', 'ALLOW', all(level('greaterThan', 3)), db('delete')),
      policy('b', 'ESCALATE', ALWAYS, db('delete')),
    ],
    says: ['warning SHADOWED a /rules/0'],
  },
  {
    name: 'an ALLOW and an ESCALATE of only a part of a pattern',
    policies: [
      policy('a', 'ALLOW', all(level('greaterThan', 3)), db('delete')),
      policy('b', 'ESCALATE', all(is('intent.object', 'equal', 'x')), db('delete')),
    ],
    says: [],
  },
  {
    name: 'a DENY with another code than a wider one',
    policies: [
      policy('a', 'DENY', all(level('lessThan', 3)), db('delete')),
      policy('b', 'DENY', all(level('lessThan', 3)), {
        ...db('delete'),
        rules: [
          {
            name: 'only',
            conditions: all(level('lessThan', 4)),
            event: { type: 'DENY', params: { code: 'OTHER', message: 'other' } },
          },
        ],
      }),
    ],
    says: [],
  },
  {
    name: 'the same DEGRADE twice',
    policies: [degrade('a', { type: 'max_rows', limit: 5 }), degrade('b', { type: 'max_rows', limit: 5 })],
    says: ['warning WIDENING a /rules/0', 'warning SHADOWED b /rules/0', 'warning WIDENING b /rules/0'],
  },
  {
    name: 'a lower risk of the same factor',
    policies: [
      risk('a', 50, all(is('intent.extent', 'equal', 'all'))),
      risk('b', 90, all(is('intent.extent', 'in', ['many', 'all']))),
    ],
    says: ['warning SHADOWED a /rules/0'],
  },
  {
    name: 'ALLOW and DENY of the same',
    policies: [
      policy('a', 'ALLOW', all(is('context.x', 'equal', 3)), db('delete')),
      policy('b', 'DENY', all(is('context.x', 'equal', 3)), db('delete')),
    ],
    says: ['warning CONTRADICTORY a /rules/0'],
  },
  {
    name: 'the same ESCALATE twice',
    policies: [escalating('a', {}), escalating('b', {})],
    says: ['warning SHADOWED b /rules/0'],
  },
  {
    name: 'the same ESCALATE with other approvers',
    policies: [
      escalating('a', { approvers: { tags: ['finance'] } }),
      escalating('b', { approvers: { tags: ['legal'] } }),
    ],
    says: [],
  },
  {
    name: 'the same ESCALATE with another lifetime',
    policies: [escalating('a', { ttl: '1h' }), escalating('b', { ttl: '2h' })],
    says: [],
  },
  {
    name: 'rates without a stricter one',
    policies: [
      degrade('a', { type: 'rate', limit: 5, perSeconds: 60 }),
      degrade('b', { type: 'rate', limit: 1, perSeconds: 1 }),
    ],
    says: ['warning CONTRADICTORY b /rules/0/event/params/obligations'],
  },
  { name: 'an ALLOW of everything', policies: [policy('p', 'ALLOW')], says: ['warning WIDENING p /rules/0'] },
  { name: 'an ALLOW to read everything', policies: [policy('p', 'ALLOW', ALWAYS, to(['read'], ['*']))], says: [] },
  {
    name: 'an ALLOW of everything where a DENY excludes unknown agents',
    policies: [policy('a', 'ALLOW'), policy('b', 'DENY', all(is('agent.registered', 'equal', false)))],
    says: [],
  },
  {
    name: 'a guard as an alternative to a condition that always holds',
    policies: [policy('p', 'ALLOW', any(level('greaterThan', 3), ...ALWAYS.all), db('delete'))],
    says: ['warning WIDENING p /rules/0/conditions/any/0'],
  },
  {
    name: 'a guard of one ALLOW that another one bypasses',
    policies: [
      policy('a', 'ALLOW', all(level('greaterThan', 4)), db('delete')),
      policy('b', 'ALLOW', all(level('greaterThan', 2)), db('delete', 'update')),
    ],
    says: ['warning WIDENING b /rules/0'],
  },
  {
    name: 'a guard that a DENY enforces',
    policies: [
      policy('a', 'ALLOW', all(level('greaterThan', 4)), db('delete')),
      policy('b', 'ALLOW', all(level('greaterThan', 2)), db('delete')),
      policy('c', 'DENY', all(level('lessThanInclusive', 4)), db('delete')),
    ],
    says: ['warning SHADOWED a /rules/0'],
  },
  {
    name: 'a guard that excludes a value of the caller',
    policies: [
      policy('p', 'ALLOW', all(level('greaterThan', 2), not(is('context.purpose', 'in', ['ads']))), db('read')),
    ],
    says: ['warning WIDENING p /rules/0/conditions/all/1'],
  },
  {
    name: 'a guard that asks for a value of the context',
    policies: [policy('p', 'ALLOW', all(level('greaterThan', 2), is('context.purpose', 'equal', 'care')), db('read'))],
    says: ['warning CALLERS_WORD p /rules/0/conditions/all/1'],
  },
  {
    name: 'a rule that always denies',
    policies: [policy('p', 'DENY', all(level('lessThan', 8)), db('delete'))],
    says: ['warning ALWAYS_TRUE p /rules/0/conditions/all/0'],
  },
  { name: 'a rule that states that it always denies', policies: [policy('p', 'DENY', ALWAYS, db('delete'))], says: [] },
  {
    name: 'a rule that repeats its target',
    policies: [policy('p', 'DENY', all(is('intent.action', 'equal', 'delete')), db('delete'))],
    says: [],
  },
  {
    name: 'a part that never holds',
    policies: [policy('p', 'DENY', any(level('greaterThan', 9), is('intent.effect', 'equal', 'read')))],
    says: ['warning CONSTANT_PART p /rules/0/conditions/any/0'],
  },
  {
    name: 'a condition twice, further down',
    policies: [
      policy('p', 'DENY', all(is('intent.effect', 'equal', 'read'), any(level('lessThan', 3), level('lessThan', 3)))),
    ],
    says: ['warning DUPLICATE_CONDITION p /rules/0/conditions/all/1/any/1'],
  },
  {
    name: 'two types of a context member in rules that never meet',
    policies: [
      policy('a', 'DENY', all(is('context.n', 'greaterThan', 5)), db('read')),
      policy('b', 'DENY', all(is('context.n', 'equal', 'high')), to(['read'], ['files/*'])),
    ],
    says: [],
  },
  {
    name: 'a context member that is read as a time and as a text, which is not reported',
    policies: [
      policy(
        'a',
        'ALLOW',
        all(is('context.t', 'before', '2026-01-01T00:00:00Z'), is('context.t', 'startsWith', 'x')),
        db('read'),
      ),
    ],
    says: [],
  },
];
