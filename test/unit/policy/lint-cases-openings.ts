// Linter cases about rules that permit too much: for every agent, for less trusted agents, or on the caller's own word.
import { all, any, db, degradeIf, escalating, is, level, to, withBudget, type LintCase } from './lint-case.ts';
import { ALWAYS, policy } from './support.ts';

const EARLY = all(is('time.hour', 'lessThan', 23));
const LATE = all(is('time.hour', 'greaterThan', 1));
const TRUSTED = level('greaterThan', 3);
const ADMINS = all(is('context.admin', 'equal', true), level('lessThan', 3));

export const OPENING_CASES: readonly LintCase[] = [
  {
    name: 'a value of the context that a named key sends',
    policies: [
      policy(
        'p',
        'ALLOW',
        all(is('key.id', 'equal', 'gateway1'), is('context.purpose', 'equal', 'care')),
        db('delete'),
      ),
    ],
    says: [],
  },
  {
    name: 'a value of the context that any key may send, as an alternative to a named one',
    policies: [
      policy('p', 'ALLOW', any(is('key.id', 'equal', 'gateway1'), is('context.approved', 'equal', true)), db('read')),
    ],
    says: ['warning CALLERS_WORD p /rules/0/conditions/any/1'],
  },
  {
    name: 'a value of the context that changes nothing, because trust permits the same',
    policies: [
      policy('a', 'ALLOW', all(level('greaterThan', 2)), db('read')),
      policy('b', 'DENY', all(is('context.purpose', 'equal', 'ads')), db('read')),
    ],
    says: [],
  },
  {
    name: 'a DEGRADE by a value of the caller',
    policies: [degradeIf('p', all(level('greaterThan', 2), is('context.rows', 'lessThan', 100)), db('read'))],
    says: ['warning CALLERS_WORD p /rules/0/conditions/all/1'],
  },
  {
    name: 'an address in a network that the caller names',
    policies: [
      policy('p', 'ALLOW', all(is('client.address', 'inCidr', { fact: 'context', path: 'net' })), db('delete')),
    ],
    says: ['warning WIDENING p /rules/0', 'warning CALLERS_WORD p /rules/0/conditions/all/0'],
  },
  {
    name: 'a URL of a host, both from the caller',
    policies: [policy('p', 'ALLOW', all(is('context.url', 'hostIn', { fact: 'context', path: 'host' })), db('delete'))],
    says: ['warning WIDENING p /rules/0', 'warning CALLERS_WORD p /rules/0/conditions/all/0'],
  },
  ...(
    [
      ['startsWith', 'ops-'],
      ['endsWith', '-admin'],
      ['contains', 'ops'],
      ['contains', 'x'],
      ['doesNotContain', 'x'],
      ['doesNotContain', 'amp'],
      ['notEqual', 'x'],
      ['notIn', ['x', 'example']],
    ] as const
  ).flatMap(([operator, value]): LintCase[] => [
    {
      name: `an ALLOW to ids of agents that anyone can use: ${operator} ${JSON.stringify(value)}`,
      policies: [policy('p', 'ALLOW', all(is('agent.id', operator, value)), db('delete'))],
      says: ['warning WIDENING p /rules/0'],
    },
    {
      name: `a DEGRADE to ids of agents that anyone can use: ${operator} ${JSON.stringify(value)}`,
      policies: [degradeIf('p', all(is('agent.id', operator, value)), db('read'))],
      says: ['warning WIDENING p /rules/0'],
    },
  ]),
  {
    name: 'an ALLOW to agents by their whole ids',
    policies: [policy('p', 'ALLOW', all(is('agent.id', 'in', ['x', 'ops-1'])), db('delete'))],
    says: [],
  },
  {
    name: 'a DEGRADE that only restricts by a value of the caller',
    policies: [
      policy('a', 'ALLOW', all(level('greaterThan', 2)), db('read')),
      degradeIf('b', all(level('greaterThan', 2), is('context.rows', 'greaterThan', 100)), db('read')),
    ],
    says: [],
  },
  {
    name: 'a DEGRADE by a value of the caller that permits requests which the ALLOW does not',
    policies: [
      policy('a', 'ALLOW', all(level('greaterThan', 2)), db('read')),
      degradeIf('b', all(is('context.rows', 'greaterThan', 100)), db('read')),
    ],
    says: ['warning WIDENING b /rules/0', 'warning CALLERS_WORD b /rules/0/conditions/all/0'],
  },
  {
    name: 'a level that the caller claims',
    policies: [policy('p', 'ALLOW', all(is('trust.claimed.level', 'greaterThanInclusive', 5)), db('read'))],
    says: ['warning CALLERS_WORD p /rules/0/conditions/all/0'],
  },
  {
    name: 'an ALLOW by the effect read, for any action',
    policies: [policy('p', 'ALLOW', all(is('intent.effect', 'equal', 'read')), db('delete', 'execute'))],
    says: [],
  },
  {
    name: 'a DEGRADE of backups to the less trusted',
    policies: [degradeIf('p', all(level('lessThan', 5)), to(['delete'], ['db/backups/*']))],
    says: ['warning WIDENING p /rules/0'],
  },
  {
    name: 'a DEGRADE of the less trusted where the more trusted are allowed',
    policies: [
      policy('a', 'ALLOW', all(level('greaterThanInclusive', 5)), db('delete')),
      degradeIf('b', all(is('agent.registered', 'equal', true), level('lessThan', 5)), db('delete')),
    ],
    says: [],
  },
  {
    name: 'an ALLOW of the less trusted',
    policies: [policy('p', 'ALLOW', all(level('lessThan', 5)), db('update'))],
    says: ['warning WIDENING p /rules/0'],
  },
  {
    name: 'a DEGRADE of reads to everybody',
    policies: [degradeIf('p', all(is('intent.extent', 'equal', 'all')), db('read'))],
    says: ['warning WIDENING p /rules/0'],
  },
  ...[
    to(['unknown'], ['db/*']),
    to(['unknown'], ['*']),
    to(['read'], ['db/*'], { environments: ['test'] }),
    to(['delete'], ['db/*'], { environments: ['dev'] }),
    to(['*'], ['db/*'], { environments: ['test', 'dev'] }),
  ].map((target) => ({
    name: `a DEGRADE for everybody, ${JSON.stringify(target.target)}`,
    policies: [degradeIf('p', all(is('intent.extent', 'equal', 'one')), target)],
    says: ['warning WIDENING p /rules/0'],
  })),
  {
    name: 'a DEGRADE of unknown actions for the trusted',
    policies: [degradeIf('p', all(level('greaterThan', 2)), to(['unknown'], ['*']))],
    says: [],
  },
  {
    name: 'a narrow ALLOW for everybody in the test environment',
    policies: [
      policy(
        'p',
        'ALLOW',
        all(is('intent.extent', 'equal', 'one')),
        to(['delete'], ['db/*'], { environments: ['test'] }),
      ),
    ],
    says: [],
  },
  ...[is('context.purpose', 'notEqual', 'ads'), is('context.region', 'isPresent', false)].map((part) => ({
    name: `a DEGRADE that the caller avoids no more than an ALLOW, ${JSON.stringify(part)}`,
    policies: [degradeIf('p', all(level('greaterThan', 2), part), db('read'))],
    says: ['warning WIDENING p /rules/0/conditions/all/1'],
  })),
  {
    name: 'a DEGRADE unless the caller sends a value with which an ALLOW permits',
    policies: [
      policy('a', 'ALLOW', all(level('greaterThan', 2)), db('read')),
      degradeIf('b', all(level('greaterThan', 2), is('context.purpose', 'notEqual', 'care')), db('read')),
    ],
    says: [],
  },
  {
    name: 'a DEGRADE of requests that everybody may make',
    policies: [policy('a', 'ALLOW', ALWAYS, db('read')), degradeIf('b', ALWAYS, db('read'))],
    says: [],
  },
  {
    name: 'a DEGRADE of everything that needs trust',
    policies: [degradeIf('p', all(level('greaterThan', 2)), to(['*'], ['*']))],
    says: [],
  },
  ...['delete', 'send', 'transfer', 'grant', 'revoke', 'execute'].map((action) => ({
    name: `an ALLOW to ${action} to anybody, however narrow`,
    policies: [policy('p', 'ALLOW', all(is('intent.extent', 'equal', 'one')), to([action], ['shop/orders/old']))],
    says: ['warning WIDENING p /rules/0'],
  })),
  ...['read', 'create', 'update'].map((action) => ({
    name: `a narrow ALLOW to ${action} to anybody`,
    policies: [policy('p', 'ALLOW', ALWAYS, to([action], ['shop/orders/old']))],
    says: [],
  })),
  {
    name: 'an ALLOW of changes everywhere with a condition that does not identify the caller',
    policies: [policy('p', 'ALLOW', all(is('intent.effect', 'equal', 'write')), to(['update'], ['*']))],
    says: ['warning WIDENING p /rules/0'],
  },
  ...[
    is('agent.registered', 'equal', true),
    is('agent.id', 'in', ['cleaner', 'janitor']),
    is('agent.tags', 'contains', 'ops'),
    is('agent.capabilities', 'containsAny', ['ops', 'cleaning']),
    is('key.id', 'equal', 'gateway1'),
    is('key.bound', 'equal', true),
    is('key.tags', 'contains', 'ops'),
    is('trust.uncertainty', 'lessThan', 0.5),
    is('trust.recorded.score', 'greaterThan', 250),
    level('greaterThan', 1),
  ].map((guard) => ({
    name: `a narrow ALLOW to delete with a guard, ${JSON.stringify(guard)}`,
    policies: [policy('p', 'ALLOW', all(guard), db('delete'))],
    says: [],
  })),
  {
    name: 'a narrow ALLOW to delete with a level that unknown agents have',
    policies: [policy('p', 'ALLOW', all(level('greaterThanInclusive', 1)), db('delete'))],
    says: ['warning WIDENING p /rules/0'],
  },
  {
    name: 'a narrow ALLOW to delete to anybody where a DENY excludes unknown agents',
    policies: [
      policy('a', 'ALLOW', ALWAYS, db('delete')),
      policy('b', 'DENY', all(is('agent.registered', 'equal', false))),
    ],
    says: [],
  },
  {
    name: 'a budget that another ALLOW bypasses',
    policies: [
      policy('a', 'ALLOW', all(level('greaterThan', 3)), db('update')),
      withBudget(policy('b', 'ALLOW', all(level('greaterThan', 3)), to(['update'], ['db/a/*']))),
    ],
    says: ['warning BUDGET_BYPASSED b /rules/0/budget'],
  },
  {
    name: 'an ALLOW that a budget elsewhere does not replace',
    policies: [
      withBudget(policy('a', 'ALLOW', all(level('greaterThan', 3)), db('update'))),
      policy('b', 'ALLOW', all(level('greaterThan', 3)), to(['update'], ['db/a/*'])),
    ],
    says: [],
  },
  {
    name: 'a narrow ALLOW to delete to anybody in test',
    policies: [policy('p', 'ALLOW', ALWAYS, to(['delete'], ['db/*'], { environments: ['test'] }))],
    says: [],
  },
  ...(
    [
      ['two DEGRADEs', degradeIf('b', EARLY, db('delete'), [{ type: 'redact_fields', fields: ['email'] }]), ['a', 'b']],
      ['two DEGRADEs that open at different hours', degradeIf('b', LATE, db('delete')), ['a', 'b']],
      ['a DEGRADE and an ALLOW that it limits', policy('b', 'ALLOW', EARLY, db('delete')), ['b']],
      ['a DEGRADE and an ALLOW of other hours', policy('b', 'ALLOW', LATE, db('delete')), ['a', 'b']],
    ] as const
  ).map(([name, other, open]) => ({
    name: `${name}, which open the same to everybody`,
    policies: [degradeIf('a', EARLY, db('delete')), other],
    says: open.map((id) => `warning WIDENING ${id} /rules/0`),
  })),
  {
    name: 'two ALLOWs with different budgets, which open the same to everybody',
    policies: [
      withBudget(policy('a', 'ALLOW', EARLY, db('delete'))),
      withBudget(policy('b', 'ALLOW', EARLY, db('delete')), 'others'),
    ],
    says: ['warning WIDENING a /rules/0', 'warning WIDENING b /rules/0'],
  },
  {
    name: 'three ALLOWs of overlapping hours, which open all hours to everybody',
    policies: [
      policy('a', 'ALLOW', all(is('time.hour', 'lessThan', 12)), db('delete')),
      policy('b', 'ALLOW', all(is('time.hour', 'greaterThan', 3), is('time.hour', 'lessThan', 20)), db('delete')),
      policy('c', 'ALLOW', all(is('time.hour', 'greaterThan', 9)), db('delete')),
    ],
    says: [
      'warning WIDENING a /rules/0',
      'warning SHADOWED b /rules/0',
      'warning WIDENING b /rules/0',
      'warning WIDENING c /rules/0',
    ],
  },
  {
    name: "two DEGRADEs of the less trusted on the caller's word",
    policies: [
      degradeIf('p', ADMINS, db('delete')),
      degradeIf('q', ADMINS, db('delete'), [{ type: 'max_rows', limit: 5 }]),
    ],
    says: ['p', 'q'].flatMap((id) => [
      `warning WIDENING ${id} /rules/0`,
      `warning CALLERS_WORD ${id} /rules/0/conditions/all/0`,
    ]),
  },
  {
    name: 'two equally wide ALLOWs around a guarded one',
    policies: [
      policy('a', 'ALLOW', all(level('greaterThan', 4)), db('delete')),
      withBudget(policy('b', 'ALLOW', all(is('agent.registered', 'equal', true)), db('delete'))),
      policy('c', 'ALLOW', all(is('agent.registered', 'equal', true)), db('delete')),
    ],
    says: ['warning BUDGET_BYPASSED b /rules/0/budget', 'warning WIDENING c /rules/0'],
  },
  {
    name: 'an ALLOW whose budget is charged by what a human approves',
    policies: [
      withBudget(policy('a', 'ALLOW', all(is('context.amount', 'greaterThanInclusive', 100), TRUSTED), db('update'))),
      escalating('b', {}, all(is('context.amount', 'greaterThanInclusive', 100)), db('update')),
    ],
    says: [],
  },
  {
    name: 'a budget of a DEGRADE that another one bypasses',
    policies: [degradeIf('a', all(TRUSTED), db('update')), withBudget(degradeIf('b', all(TRUSTED), db('update')))],
    says: ['warning BUDGET_BYPASSED b /rules/0/budget'],
  },
  {
    name: 'a budget where an ALLOW permits the same, or a DENY refuses',
    policies: [
      policy('a', 'ALLOW', all(level('greaterThan', 5)), db('update')),
      policy('b', 'DENY', all(level('lessThanInclusive', 5)), db('update')),
      withBudget(policy('c', 'ALLOW', all(level('greaterThan', 3)), db('update'))),
    ],
    says: ['warning BUDGET_BYPASSED c /rules/0/budget'],
  },
];
