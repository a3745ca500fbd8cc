// attributes.json: what it may declare, what rules may then name, and how they read values that contradict it.
import { expect } from 'chai';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { lintPolicySet } from '../../../shared/core/policy/lint.ts';
import { loadPolicySet, type LoadResult } from '../../../shared/core/policy/load.ts';
import { loadCanonicalSet } from '../../../shared/core/policy/stored-set.ts';
import { compileLexicon, factsWith, filesOf, LEXICON, policy, setOf } from './support.ts';

const DECLARED = {
  agent: {
    team: { type: 'text', values: ['finance', 'sales'] },
    limit: { type: 'number' },
    trained: { type: 'boolean' },
    since: { type: 'time' },
    regions: { type: 'list', values: ['eu', 'us'] },
    constructor: { type: 'text' },
  },
  resource: { region: { type: 'text' } },
  context: { ticket: { type: 'text', onlyFrom: ['gateway'] }, 'env.change': { type: 'text' } },
};

function loadWith(attributes: unknown, ...policies: unknown[]): LoadResult {
  const files = [...filesOf(policies), { path: 'attributes.json', text: JSON.stringify(attributes) }];
  return loadPolicySet(files, LEXICON, { compileLexicon });
}

const on = (fact: string, path: string, operator: string, value: unknown) => ({
  all: [{ fact, path, operator, value }],
});
const ofAgent = (name: string, operator: string, value: unknown) => on('agent', `attributes.${name}`, operator, value);

function findingsOf(result: LoadResult): string[] {
  return result.ok
    ? []
    : result.findings.map(({ file, pointer, code, message }) => `${file}${pointer} ${code}: ${message}`);
}

/** The verdict of one ALLOW rule. */
async function allows(conditions: unknown, facts: Record<string, unknown>): Promise<boolean> {
  const loaded = loadWith(DECLARED, policy('p', 'ALLOW', conditions));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
  const evaluation = await createEvaluator({ set: loaded.set }).evaluate(factsWith(facts));
  return evaluation.verdict === 'ALLOW';
}

describe('attributes.json', () => {
  const invalid: Readonly<Record<string, readonly [file: unknown, says: string]>> = {
    'an unknown type': [
      { agent: { team: { type: 'string' } } },
      '/agent/team/type SCHEMA: "string" is not one of text',
    ],
    'no type': [{ agent: { team: {} } }, '/agent/team SCHEMA: the member "type" is missing'],
    'a misspelt kind': [{ agents: {} }, '/agents SCHEMA: unknown member "agents"; did you mean "agent"?'],
    'a name that is no name': [{ agent: { 'te.am': { type: 'text' } } }, '/agent'],
    'a name of the language': [JSON.parse('{"agent":{"__proto__":{"type":"text"}}}'), '/agent'],
    'values of a number': [{ agent: { limit: { type: 'number', values: ['1'] } } }, '/agent/limit/values SCHEMA: only'],
    'a nested object': [{ agent: { team: { type: 'text', of: {} } } }, '/agent/team/of SCHEMA: unknown member'],
    'tags of keys outside the context': [
      { agent: { team: { type: 'text', onlyFrom: ['x'] } } },
      '/agent/team/onlyFrom SCHEMA: unknown member',
    ],
    'a member of a plain value': [
      { context: { env: { type: 'text' }, 'env.change': { type: 'text' } } },
      '/context/env.change SCHEMA: "env" is declared as a plain value',
    ],
    'an owner that is no text': [{ resource: { owner: { type: 'list' } } }, '/resource/owner/type SCHEMA: "owner"'],
    'a thousand attributes': [
      { agent: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`a${i}`, { type: 'text' }])) },
      '/agent SCHEMA: must have at most 100 members',
    ],
    'a list': [[], ' SCHEMA: must be an object'],
  };
  for (const [what, [file, says]] of Object.entries(invalid))
    it(`refuses ${what}`, () => {
      const found = findingsOf(loadWith(file, policy('p', 'DENY')));
      expect(found, found.join('\n')).to.satisfy((all: string[]) =>
        all.some((one) => one.startsWith(`attributes.json${says}`)),
      );
    });

  it('is part of the digest, and a set without it keeps its digest', () => {
    const bare = setOf([policy('p', 'DENY')]);
    const declared = loadWith({ ...DECLARED, $schema: 'x' }, policy('p', 'DENY'));
    if (!declared.ok) throw new Error('refused');
    expect(bare.canonical.startsWith('{"engine":1,"lexicon":{},"policies":[')).to.equal(true);
    expect(declared.set.canonical.startsWith('{"attributes":{"agent":{"constructor"')).to.equal(true);
    const again = loadCanonicalSet(declared.set.canonical, { compileLexicon });
    expect(again.ok && again.set.digest).to.equal(declared.set.digest);
    expect(declared.set.digest).not.to.equal(bare.digest);
  });

  const refused: Readonly<Record<string, readonly [conditions: unknown, says: string]>> = {
    'an attribute that is not declared': [ofAgent('tema', 'equal', 'x'), 'did you mean "agent.attributes.team"?'],
    'one without any near name': [
      ofAgent('zzzzzz', 'equal', 'x'),
      'attributes.json declares no agent.attributes.zzzzzz; declared are team, limit',
    ],
    'an attribute of another kind': [on('resource', 'attributes.team', 'equal', 'x'), 'no resource.attributes.team'],
    'an operator of another type': [ofAgent('limit', 'contains', 'x'), "can't be used on agent.attributes.limit"],
    'a value of another type': [ofAgent('limit', 'equal', 'x'), 'must be a number, as the fact is'],
    'a value that is not declared': [ofAgent('team', 'equal', 'legal'), '"legal" is not one of finance, sales'],
    'a member of a declared member': [
      on('context', 'ticket.id', 'equal', 'x'),
      'context.ticket is declared in attributes.json',
    ],
    'an inherited name': [ofAgent('toString', 'isPresent', true), 'declares no agent.attributes.toString'],
  };
  for (const [what, [conditions, says]] of Object.entries(refused))
    it(`a rule may not name ${what}`, () => {
      const [found = ''] = findingsOf(loadWith(DECLARED, policy('p', 'DENY', conditions)));
      expect(found).to.include(says);
    });

  it('a broken attributes.json is one finding, not one per rule that uses it', () => {
    const result = loadWith({ agent: { team: { type: 'txt' } } }, policy('p', 'DENY', ofAgent('team', 'equal', 'x')));
    expect(findingsOf(result)).to.have.length(1);
  });

  const readings: readonly (readonly [
    name: string,
    operator: string,
    value: unknown,
    actual: unknown,
    allows: boolean,
  ])[] = [
    ['team', 'equal', 'finance', 'finance', true],
    ['team', 'notEqual', 'finance', 'sales', true],
    ['team', 'notEqual', 'finance', 'legal', false],
    ['team', 'isPresent', true, 'legal', false],
    ['team', 'isPresent', false, 'legal', true],
    ['team', 'notEqual', 'finance', 7, false],
    ['limit', 'greaterThan', 5, 6, true],
    ['limit', 'greaterThan', 5, '6', false],
    ['trained', 'equal', true, true, true],
    ['trained', 'equal', true, 'true', false],
    ['since', 'before', '2026-01-01T00:00:00Z', '2025-01-01T00:00:00Z', true],
    ['since', 'isPresent', true, 'last year', false],
    ['regions', 'containsAny', ['eu'], ['eu', 'us'], true],
    ['regions', 'doesNotContain', 'us', ['eu', 'mars'], false],
    ['regions', 'containsAny', ['eu'], 'eu', false],
    ['constructor', 'isPresent', true, undefined, false],
    ['constructor', 'equal', 'x', 'x', true],
  ];
  for (const [name, operator, value, actual, expected] of readings)
    it(`${name} ${JSON.stringify(actual)} ${expected ? 'satisfies' : 'does not satisfy'} ${operator} ${JSON.stringify(value)}`, async () => {
      const attributes = actual === undefined ? {} : { [name]: actual };
      expect(await allows(ofAgent(name, operator, value), { 'agent.attributes': attributes })).to.equal(expected);
    });

  const fromKeys: readonly (readonly [tags: unknown, context: object, allows: boolean])[] = [
    [['gateway', 'ci'], { ticket: 'T-1' }, true],
    [['ci'], { ticket: 'T-1' }, false],
    [undefined, { ticket: 'T-1' }, false],
    ['gateway', { ticket: 'T-1' }, false],
    [['gateway'], { ticket: 1 }, false],
    [['gateway'], {}, false],
  ];
  for (const [tags, context, expected] of fromKeys)
    it(`a key with tags ${JSON.stringify(tags)} ${expected ? 'may' : 'may not'} set ${JSON.stringify(context)}`, async () => {
      const facts = { context, 'key.tags': tags };
      expect(await allows(on('context', 'ticket', 'isPresent', true), facts)).to.equal(expected);
    });

  it('an attribute that differs among the resources of a request is neither one value nor missing', async () => {
    const conditions = on('resource', 'attributes.region', 'equal', 'eu');
    const differing = { resource: { attributes: { region: 'eu' }, varies: ['region'] } };
    expect(await allows(conditions, { resource: { attributes: { region: 'eu' } } })).to.equal(true);
    expect(await allows(conditions, differing)).to.equal(false);
    expect(await allows(on('resource', 'attributes.region', 'isPresent', false), differing)).to.equal(false);
    for (const [operator, value] of [
      ['equal', 'us'],
      ['isPresent', true],
    ] as const) {
      const rules = on('resource', 'attributes.region', operator, value);
      const loaded = loadWith(DECLARED, policy('p', 'DENY', rules), policy('q', 'ALLOW'));
      if (!loaded.ok) throw new Error('refused');
      const evaluator = createEvaluator({ set: loaded.set });
      // The same evaluator, because a memoized verdict of the missing attribute must not be used.
      expect((await evaluator.evaluate(factsWith({ resource: { attributes: { region: 'eu' } } }))).verdict).to.equal(
        operator === 'equal' ? 'ALLOW' : 'DENY',
      );
      expect((await evaluator.evaluate(factsWith())).verdict).to.equal(operator === 'equal' ? 'DENY' : 'ALLOW');
      const { verdict, reasons } = await evaluator.evaluate(factsWith(differing));
      expect([verdict, reasons[0]?.code]).to.deep.equal(['DENY', 'DENY_CODE']);
    }
  });

  it('the linter warns of an ALLOW by what the caller writes, and not by attributes or trusted members', () => {
    const codesOf = (conditions: unknown): string[] => {
      const loaded = loadWith(DECLARED, policy('p', 'ALLOW', conditions));
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
      return lintPolicySet(loaded.set).map(({ code, severity }) => `${severity} ${code}`);
    };
    const byCaller = 'warning CALLERS_WORD';
    expect(codesOf(on('context', 'env.change', 'equal', 'x'))).to.include(byCaller);
    expect(codesOf(on('context', 'ticket', 'equal', 'x'))).not.to.include(byCaller);
    expect(codesOf(ofAgent('team', 'equal', 'finance'))).not.to.include(byCaller);
    // A rule on a trusted member can hold: the linter knows the tags.
    for (const name of ['team', 'limit', 'trained', 'since', 'regions'])
      expect(codesOf(ofAgent(name, 'isPresent', true)), name).not.to.include('error NEVER_TRUE');
    expect(codesOf(on('context', 'ticket', 'equal', 'x'))).not.to.include('error NEVER_TRUE');
    const fromBoth = [on('key', 'tags', 'contains', 'ci'), on('context', 'ticket', 'equal', 'x')];
    expect(codesOf({ all: fromBoth })).not.to.include('error NEVER_TRUE');
    expect(codesOf({ all: [ofAgent('team', 'equal', 'sales'), ofAgent('team', 'equal', 'finance')] })).to.include(
      'error NEVER_TRUE',
    );
  });
});
