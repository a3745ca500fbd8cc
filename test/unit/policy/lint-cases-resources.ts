// Rules whose conditions say for which resources they hold, beside rules whose targets say so.
import { all, any, is, level, not, to, type LintCase } from './lint-case.ts';
import { ALWAYS, policy } from './support.ts';

const at = (...patterns: readonly string[]): object =>
  is('intent.resource', 'matchesResource', patterns.length === 1 ? patterns[0] : patterns);
const DB = to(['read'], ['db/*']);
const PART = to(['read'], ['db/part/*']);
const deniedThere = policy('q', 'DENY', ALWAYS, PART);
const shadowed = ['warning SHADOWED p /rules/0'];

export const RESOURCE_CASES: readonly LintCase[] = [
  {
    name: 'an ALLOW whose condition names resources that are denied',
    policies: [policy('p', 'ALLOW', all(at('db/part/*')), DB), deniedThere],
    says: shadowed,
  },
  {
    name: 'a DENY whose condition names resources that are denied',
    policies: [policy('p', 'DENY', all(at('db/part/*')), DB), deniedThere],
    says: shadowed,
  },
  {
    name: 'an ALLOW whose condition names a part of resources that are denied, by a condition',
    policies: [
      policy('p', 'ALLOW', all(at('db/part/x')), DB),
      policy('q', 'DENY', all(at('db/part/*')), to(['read'], ['*'])),
    ],
    says: shadowed,
  },
  {
    name: 'an ALLOW whose condition names two kinds of resources, each denied by another rule',
    policies: [
      policy('p', 'ALLOW', any(at('db/part/*'), all(at('db/more/*'), level('greaterThan', 3))), DB),
      policy('q', 'DENY', ALWAYS, PART),
      policy('r', 'DENY', ALWAYS, to(['read'], ['db/more/*'])),
    ],
    says: shadowed,
  },
  {
    name: 'an ALLOW whose condition names a list of resources, of which one is denied',
    policies: [policy('p', 'ALLOW', all(at('db/part/*', 'db/more/*')), DB), deniedThere],
    says: [],
  },
  {
    name: 'an ALLOW whose condition excludes the denied resources',
    policies: [policy('p', 'ALLOW', all(not(at('db/part/*'))), DB), deniedThere],
    says: [],
  },
  {
    name: 'an ALLOW of two resources, of which the condition selects the denied one',
    policies: [policy('p', 'ALLOW', all(at('db/part/x')), to(['read'], ['db/part/x', 'db/y'])), deniedThere],
    says: shadowed,
  },
  {
    name: 'a DENY for what is named by places, whose condition names resources that are denied',
    policies: [policy('p', 'DENY', all(at('files/*')), DB), policy('q', 'DENY', ALWAYS, to(['read'], ['files/*']))],
    says: shadowed,
  },
  {
    name: 'a guarded ALLOW by its condition beside a wider one by its target',
    policies: [
      policy('p', 'ALLOW', all(at('db/part/*'), level('greaterThan', 3)), DB),
      policy('q', 'ALLOW', ALWAYS, PART),
    ],
    says: ['warning WIDENING q /rules/0'],
  },
];
