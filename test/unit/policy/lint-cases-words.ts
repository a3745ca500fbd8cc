// Linter cases about words and values that are probably mistakes.
import type { KnownTools, Surroundings } from '../../../shared/core/policy/lint.ts';
import { compileCatalogues } from '../../../shared/core/tools/catalogue.ts';
import { all, db, degradeIf, is, level, not, to, type LintCase } from './lint-case.ts';
import { policy } from './support.ts';

const VERBS = ['delete', 'drop', 'truncate', 'read'];
/** The linter's knowledge of the installation in these cases. */
export const SURROUNDINGS: Surroundings & KnownTools = {
  verbs: { has: (verb) => VERBS.includes(verb), all: VERBS },
  organisations: new Set(['acme', 'globex']),
  tools: compileCatalogues([
    {
      server: 'filesystem',
      description: 'Files.',
      tools: { read_file: { action: 'read' }, move_file: { action: 'update' } },
    },
    { server: 'memory', description: 'A graph.', tools: { read_graph: { action: 'read' } } },
    { server: 'open', description: 'Anything.', trustAnnotations: true, tools: {} },
  ]),
};

export const WORD_CASES: readonly LintCase[] = [
  {
    name: 'a verb instead of an action',
    policies: [
      policy('p', 'DENY', all(is('intent.normalized', 'startsWith', ['db.drop.', 'db.delete.', 'db.d', 'db']))),
    ],
    says: ['warning UNKNOWN_WORD p /rules/0/conditions/all/0'],
  },
  {
    name: 'verbs that no parse has',
    policies: [
      policy('p', 'DENY', all(is('intent.verb', 'in', ['drop', 'Drop', 'trunkate'])), db('delete')),
      policy('q', 'DENY', all(is('intent.verb', 'startsWith', ['dele', 'qqx'])), db('read')),
    ],
    says: [
      'warning UNKNOWN_WORD p /rules/0/conditions/all/0',
      'warning UNKNOWN_WORD p /rules/0/conditions/all/0',
      'warning UNKNOWN_WORD q /rules/0/conditions/all/0',
    ],
  },
  ...[
    is('intent.object', 'equal', 'User'),
    is('intent.normalized', 'startsWith', ['db.delete.', 'db.delete.Orders']),
    is('intent.domain', 'notIn', ['db', 'Files']),
    is('intent.object', 'matchesGlob', 'User*'),
    is('intent.entities.hosts', 'contains', 'Evil.example'),
    is('intent.entities.emails', 'some', { any: [{ operator: 'endsWith', value: '@Corp.example' }] }),
  ].map((part) => ({
    name: `capital letters where none ever are: ${JSON.stringify(part)}`,
    policies: [policy('p', 'DENY', all(part))],
    says: ['warning UNKNOWN_WORD p /rules/0/conditions/all/0'],
  })),
  {
    name: 'capital letters where they may be, and none',
    policies: [
      policy('p', 'DENY', all(is('intent.entities.identifiers', 'contains', 'OPS-1'), is('agent.id', 'equal', 'Bob'))),
      policy('q', 'DENY', all(is('intent.object', 'matchesPattern', '^\\D+$'))),
      policy('r', 'DENY', all(is('intent.object', 'in', ['user', 'überblick']))),
    ],
    says: [],
  },
  ...['equal', 'startsWith', 'contains', 'matchesPattern'].map((operator) => ({
    name: `a normalized intent in another spelling than the canonical one, ${operator}`,
    policies: [
      policy(
        'p',
        'ALLOW',
        all(not(is('intent.normalized', operator, 'FILES.read.a%62')), level('greaterThan', 3)),
        to(['read'], ['*']),
      ),
    ],
    says: operator === 'matchesPattern' ? [] : ['warning UNKNOWN_WORD p /rules/0/conditions/all/0'],
  })),
  {
    name: 'a key, or the name of one, for its id',
    policies: [
      policy('p', 'DENY', all(is('key.id', 'in', ['4fZ0q9Lm', 'cst_live_4fZ0q9Lm_secret'])), db('read')),
      policy('q', 'ALLOW', all(not(is('key.id', 'equal', 'gateway')), level('greaterThan', 3)), db('update')),
      policy('r', 'DENY', all(is('key.id', 'startsWith', '4fZ')), db('delete')),
    ],
    says: ['warning UNKNOWN_WORD p /rules/0/conditions/all/0', 'warning UNKNOWN_WORD q /rules/0/conditions/all/0'],
  },
  {
    name: 'patterns and parts of words, which are no words',
    policies: [
      policy('p', 'DENY', all(is('intent.verb', 'matchesPattern', '^(drop|truncate)$')), db('delete')),
      policy('q', 'DENY', all(is('intent.verb', 'contains', 'runc')), db('delete')),
      policy('r', 'DENY', all(is('intent.verb', 'matchesGlob', 'tr*')), db('delete')),
      policy('s', 'DENY', all(is('intent.normalized', 'matchesPattern', '^db[.]delete[.]')), db('delete')),
      policy('t', 'DENY', all(is('intent.normalized', 'contains', 'users.archive')), db('delete')),
      policy('u', 'DENY', all(is('intent.normalized', 'matchesGlob', 'db.*.users')), db('delete')),
    ],
    says: [],
  },
  ...[
    is('trust.score', 'lessThan', 0.8),
    is('trust.recorded.score', 'greaterThanInclusive', 4),
    is('intent.risk.score', 'greaterThan', 0.7),
    is('trust.level', 'lessThan', 0.5),
  ].map((part) => ({
    name: `another scale: ${JSON.stringify(part)}`,
    policies: [policy('p', 'DENY', all(part))],
    says: ['warning WRONG_SCALE p /rules/0/conditions/all/0'],
  })),
  ...[
    is('trust.score', 'equal', 0),
    is('trust.score', 'lessThan', 8),
    is('intent.risk.score', 'greaterThanInclusive', 1),
    is('intent.confidence', 'lessThan', 0.5),
    is('trust.uncertainty', 'equal', 1),
  ].map((part) => ({
    name: `its own scale: ${JSON.stringify(part)}`,
    policies: [policy('p', 'DENY', all(part))],
    says: [],
  })),
  {
    name: 'a confidence of a thousand',
    policies: [policy('p', 'ESCALATE', all(is('intent.confidence', 'lessThan', 700)))],
    says: ['warning ALWAYS_TRUE p /rules/0/conditions/all/0', 'warning WRONG_SCALE p /rules/0/conditions/all/0'],
  },
  {
    name: 'host bits in networks, v4 and v6',
    policies: [
      policy('p', 'DENY', all(is('context.ip', 'inCidr', ['10.1.2.3/8', '10.0.0.0/8', 'fd00::1/8', '192.168.0.1/32']))),
    ],
    says: ['warning HOST_BITS p /rules/0/conditions/all/0', 'warning HOST_BITS p /rules/0/conditions/all/0'],
  },
  {
    name: 'host bits in a condition on items',
    policies: [
      policy(
        'p',
        'DENY',
        all(is('context.hops', 'some', all({ path: 'ip', operator: 'inCidr', value: '10.1.2.3/8' }))),
        db('read'),
      ),
    ],
    says: ['warning HOST_BITS p /rules/0/conditions/all/0'],
  },
  {
    name: 'a misspelt obligation, an unknown one, and a custom one',
    policies: [
      degradeIf('p', all(level('greaterThan', 2)), db('read'), [
        { type: 'readonly' },
        { type: 'max_rowz', params: { limit: 5 } },
        { type: 'watermark' },
        { type: 'stamp', params: {} },
      ]),
    ],
    says: [0, 1, 2].map((n) => `warning UNKNOWN_OBLIGATION p /rules/0/event/params/obligations/${n}/type`),
  },
  {
    name: 'unknown organisations',
    policies: [
      policy('p', 'DENY', all(is('organisation.slug', 'notIn', ['acme', 'acmee'])), db('delete')),
      policy('q', 'DENY', all(level('lessThan', 2)), to(['read'], ['db/*'], { organisations: ['globexx', 'globex'] })),
    ],
    says: [
      'warning UNKNOWN_ORGANISATION p /rules/0/conditions/all/0',
      'warning UNKNOWN_ORGANISATION q /target/organisations/0',
    ],
  },
];
