// Policy test files: their format, the cases they expand to, failures, and coverage.
import { expect } from 'chai';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { MAX_FILE_BYTES } from '../../../shared/core/policy/files.ts';
import { explainFailure } from '../../../shared/core/policy/testing/run.ts';
import { policySources } from '../../../shared/core/policy/testing/sources.ts';
import { filesOf, policy } from './support.ts';
import { casesOf, runDocument, setOfDocuments } from './testing-support.ts';
import { dataOf } from '../../support/data.ts';

interface Invalid {
  name: string;
  file?: string;
  fixtures?: string;
  case?: string;
  matrix?: string;
  at?: string;
  code: string;
  says: string;
}

const FIXTURES = '{ "agents": { "a": {}, "newcomer": {} }, "intents": { "i": "data.read.report" } }';

/** The text of an invalid file; `case` begins at column 11 of its first line. */
function textOf({ file, fixtures = FIXTURES, case: written, matrix }: Invalid): string {
  if (file !== undefined) return file;
  const body = matrix === undefined ? `"cases": [${written ?? ''}]` : `"matrix": [${matrix}]`;
  return `{${body},\n"name": "invalid",\n"fixtures": ${fixtures}\n}`;
}

const readers = [
  policy('reads', 'ALLOW', { all: [{ fact: 'intent', path: 'action', operator: 'equal', value: 'read' }] }),
];

describe('a policy test file', () => {
  const set = setOfDocuments(readers);
  for (const invalid of dataOf<Invalid[]>('unit/policy/testing-invalid.cases.json')) {
    it(`is refused with ${invalid.name}`, () => {
      const { findings, cases } = casesOf([{ path: 'bad.json', text: textOf(invalid) }], set);
      expect(cases).to.deep.equal([]);
      const [first] = findings;
      expect(findings, JSON.stringify(findings)).to.have.lengthOf(1);
      expect(first).to.include({ file: 'bad.json', code: invalid.code });
      expect(first?.message).to.contain(invalid.says);
      if (invalid.at !== undefined) expect(`${first?.line}:${first?.column}`).to.equal(invalid.at);
      else expect(first?.pointer, 'the place').not.to.equal('');
    });
  }

  it('is refused when it is larger than a policy may be', () => {
    const text = JSON.stringify({ name: 'x', description: 'x'.repeat(MAX_FILE_BYTES), cases: [] });
    expect(casesOf([{ path: 'big.json', text }], set).findings[0]).to.include({
      code: 'TOO_LARGE',
      line: 1,
      column: 1,
    });
  });

  it('that consists only of mistakes gets a thousand findings', () => {
    const cases = Array.from({ length: 9_000 }, (_, i) => ({
      name: `c${i}`,
      agent: 'x',
      intent: 'data.read.x',
      [`m${i}`]: 1,
    }));
    const text = JSON.stringify({ name: 'x', cases });
    expect(casesOf([{ path: 'x.json', text }], set).findings).to.have.lengthOf(1_000);
  });

  it('expands to at most 100,000 cases; a file with more is refused at the matrix that exceeds the limit, before expansion', () => {
    const names = (of: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${of} ${i}`);
    const agents = Object.fromEntries(names('a', 250).map((name) => [name, {}]));
    const intents = Object.fromEntries(names('i', 200).map((name) => [name, 'data.read.x']));
    const table = (name: string, columns: number) => ({
      name,
      agents: Object.keys(agents),
      intents: Object.keys(intents).slice(0, columns),
      environments: ['live', 'test'],
      expect: {},
    });
    const one = { name: 'c', agent: {}, intent: 'data.read.x' };
    const text = (more: object): string =>
      JSON.stringify({ name: 'x', fixtures: { agents, intents }, ...more }, null, 1);
    const fits = casesOf([{ path: 'x.json', text: text({ matrix: [table('m', 100), table('n', 100)] }) }], set);
    expect(fits.findings).to.deep.equal([]);
    expect(fits.cases).to.have.lengthOf(100_000);
    const most = text({ cases: [one], matrix: [table('m', 100), table('n', 100), table('o', 1)] });
    const { cases, findings } = casesOf([{ path: 'x.json', text: most }], set);
    expect(cases).to.deep.equal([]);
    expect(findings.map(({ code, pointer }) => `${code} ${pointer}`)).to.deep.equal(['TOO_MANY_CASES /matrix/1']);
    expect(findings[0]?.message).to.contain(
      '100,001 cases up to here (agents x intents x environments: 250 x 100 x 2)',
    );
    expect(most.split('\n').slice(0, findings[0]?.line).at(-2)).to.equal('  },');
  });

  it('needs a unique name', () => {
    const text = JSON.stringify({ name: 'same', cases: [] });
    const { findings } = casesOf(
      ['a.json', 'b.json'].map((path) => ({ path, text })),
      set,
    );
    expect(findings).to.have.lengthOf(1);
    expect(findings[0]).to.include({ file: 'b.json', code: 'DUPLICATE_NAME', pointer: '/name' });
    expect(findings[0]?.message).to.contain('a.json');
  });

  it('reports all its problems at once', () => {
    const document = {
      name: 'x',
      cases: [
        { name: 'a', agent: 'nobody', intent: 'data.read.x' },
        { name: 'b', agent: {}, intent: 'data.frobnicate.x' },
        { name: 'c', agent: {}, intent: 'data.read.x', now: 'noon' },
      ],
    };
    const { findings } = casesOf([{ path: 'x.json', text: JSON.stringify(document) }], set);
    expect(findings.map(({ code }) => code)).to.deep.equal(['UNKNOWN_FIXTURE', 'BAD_INTENT', 'BAD_TIME']);
  });

  it('reports every problem of valid cases even when other cases violate the schema', () => {
    const document = {
      name: 'x',
      cases: [
        { name: 'a', agent: { level: 9 }, intent: 'nothing' },
        { name: 'b', agent: 'nobody', intent: 'nothing', now: 'noon' },
        { name: 'b', agent: {}, intent: 'data.read.x', expect: 'PERMIT' },
        { name: 'd', agent: {}, intent: 'data.read.x' },
      ],
      matrix: [
        { name: 'm', agents: [], intents: ['data.read.x'], expect: {} },
        { name: 'n', agents: ['nobody'], intents: ['data.read.x'], expect: {} },
      ],
    };
    const { findings, cases } = casesOf([{ path: 'x.json', text: JSON.stringify(document) }], set);
    expect(findings.map(({ code, pointer }) => `${code} ${pointer}`)).to.have.members([
      'SCHEMA /cases/0/agent/level',
      'UNKNOWN_FIXTURE /cases/1/agent',
      'UNKNOWN_FIXTURE /cases/1/intent',
      'BAD_TIME /cases/1/now',
      'SCHEMA /cases/2/expect',
      'SCHEMA /matrix/0/agents',
      'UNKNOWN_FIXTURE /matrix/1/agents/0',
    ]);
    expect(cases).to.deep.equal([]);
  });
});

describe('the facts of a case', () => {
  const set = setOfDocuments(readers);
  const factsOf = async (given: object, file: object = {}) => {
    const { results } = await runDocument(
      { ...file, cases: [{ name: 'c', agent: {}, intent: 'data.read.x', ...given }] },
      set,
    );
    const [result] = results;
    if (result === undefined) throw new Error('no result');
    return result.facts;
  };

  it('default to a registered agent without evidence on a Monday noon in live', async () => {
    const { agent, trust, key, context, time, organisation, environment, intent } = await factsOf({});
    expect(agent).to.deep.equal({
      id: 'agent-under-test',
      registered: true,
      status: 'ACTIVE',
      capabilities: [],
      tags: [],
    });
    expect(trust).to.deep.include({ level: 1, score: 250, uncertainty: 1, claimed: null });
    expect(key).to.deep.equal({ id: 'key_test', bound: false, environment: 'live', tags: [] });
    expect(context).to.deep.equal({});
    expect(time).to.deep.equal({
      now: '2026-01-05T12:00:00.000Z',
      date: '2026-01-05',
      hour: 12,
      minute_of_day: 720,
      weekday: 1,
    });
    expect([organisation.slug, environment, intent.parsed]).to.deep.equal(['default', 'live', false]);
  });

  it('of a level are those of its lowest score, and a claim only lowers them', async () => {
    const { trust } = await factsOf({ agent: { level: 4 }, claim: { level: 2 } });
    expect(trust).to.deep.include({
      level: 2,
      score: 499,
      recorded: { level: 4, score: 650 },
      claimed: { level: 2, score: 499 },
    });
    expect((await factsOf({ agent: { level: 2 }, claim: { score: 1_000 } })).trust.score).to.equal(350);
  });

  it('of an unregistered agent never have more than the trust of no evidence', async () => {
    const { agent, trust } = await factsOf({ agent: { registered: false, score: 900 } });
    expect(agent).to.include({ registered: false, status: 'UNREGISTERED' });
    expect(trust).to.include({ score: 250, level: 1 });
  });

  it('count the decisions of a short window in the longer ones', async () => {
    const history = { last_60s: { DENY: 5 }, last_24h: { DENY: 7, ALLOW: 1 } };
    const { history: counted } = await factsOf({ agent: { history } });
    const zero = { ALLOW: 0, DENY: 0, ESCALATE: 0, DEGRADE: 0 };
    expect(counted).to.deep.equal({
      last_60s: { ...zero, DENY: 5 },
      last_1h: { ...zero, DENY: 5 },
      last_24h: { ...zero, DENY: 7, ALLOW: 1 },
    });
    expect((await factsOf({ agent: { history }, history: {} })).history.last_24h).to.deep.equal(zero);
  });

  it('of a case take precedence over those of its file', async () => {
    const file = { now: '2026-03-02T10:00:00Z', organisation: 'acme', environment: 'dev' };
    const ofFile = await factsOf({}, file);
    expect([ofFile.time.hour, ofFile.organisation.slug, ofFile.environment]).to.deep.equal([10, 'acme', 'dev']);
    const own = await factsOf({ now: '2026-03-02T23:30:00+01:00', organisation: 'other', environment: 'test' }, file);
    expect([own.time.hour, own.organisation.slug, own.key.environment]).to.deep.equal([22, 'other', 'test']);
  });

  it('are parsed from free text as the service parses it', async () => {
    const { intent } = await factsOf({ intent: { text: 'Delete the report' } });
    expect(intent).to.include({ action: 'delete', effect: 'destructive', parsed: true });
  });

  it('are overridden by fixture and case, the case last', async () => {
    const fixtures = {
      intents: { i: { intent: 'data.read.x', facts: { 'intent.confidence': 0.4, 'intent.traits': ['external'] } } },
    };
    const { intent } = await factsOf(
      { intent: 'i', facts: { 'intent.confidence': 0.3, 'intent.entities.hosts': ['example.com'] } },
      { fixtures },
    );
    expect(intent).to.deep.include({ confidence: 0.3, traits: ['external'] });
    expect(intent.entities?.hosts).to.deep.equal(['example.com']);
  });

  it('have a risk level and score that agree when one of them is set', async () => {
    const riskOf = async (facts: object) => (await factsOf({ facts })).intent.risk;
    expect(await riskOf({ 'intent.risk.level': 'high' })).to.include({ level: 'high', score: 700 });
    expect(await riskOf({ 'intent.risk.score': 399 })).to.include({ level: 'low', score: 399 });
    expect(await riskOf({})).to.include({ level: 'low', score: 0 });
  });
});

describe('a matrix', () => {
  const set = setOfDocuments(readers);
  const matrix = {
    name: 'm',
    agents: ['a', 'b'],
    intents: ['i', 'data.update.report'],
    environments: ['live', 'test'],
    expect: { a: { i: 'ALLOW' }, b: { i: { test: 'ALLOW' } } },
  };
  const fixtures = { agents: { a: {}, b: {} }, intents: { i: 'data.read.report' } };

  it('is one case for each agent, intent and environment, and unlisted combinations expect DENY', async () => {
    const { results } = await runDocument({ fixtures, matrix: [matrix] }, set);
    const lines = results.map(({ test, evaluation, differences }) => [
      test.name,
      test.expected.verdict,
      evaluation.verdict,
      differences.length,
    ]);
    expect(lines).to.deep.equal([
      ['m: a, i, live', 'ALLOW', 'ALLOW', 0],
      ['m: a, i, test', 'ALLOW', 'ALLOW', 0],
      ['m: a, data.update.report, live', 'DENY', 'DENY', 0],
      ['m: a, data.update.report, test', 'DENY', 'DENY', 0],
      ['m: b, i, live', 'DENY', 'ALLOW', 1],
      ['m: b, i, test', 'ALLOW', 'ALLOW', 0],
      ['m: b, data.update.report, live', 'DENY', 'DENY', 0],
      ['m: b, data.update.report, test', 'DENY', 'DENY', 0],
    ]);
    expect(results[4]?.test.pointer).to.equal('/matrix/0/expect/b/i');
    expect(results[2]?.test.pointer, 'an unlisted cell is at its matrix').to.equal('/matrix/0');
  });

  it('may have one verdict for a whole row', async () => {
    const { results } = await runDocument({ fixtures, matrix: [{ ...matrix, expect: { a: 'ALLOW' } }] }, set);
    const rows = results.map(({ test }) => `${test.expected.verdict} ${test.pointer}`);
    expect([...new Set(rows)]).to.deep.equal(['ALLOW /matrix/0/expect/a', 'DENY /matrix/0']);
    expect(rows.filter((row) => row.startsWith('ALLOW'))).to.have.lengthOf(4);
  });

  it('applies its circumstances to all of its cases', async () => {
    const { results } = await runDocument(
      { fixtures, matrix: [{ ...matrix, context: { ticket: 'T-1' }, facts: { 'intent.confidence': 0.2 } }] },
      set,
    );
    for (const { facts } of results) {
      expect(facts.context).to.deep.equal({ ticket: 'T-1' });
      expect(facts.intent.confidence).to.equal(0.2);
    }
  });
});

describe('a case', () => {
  const set = setOfDocuments([
    ...readers,
    policy('slow', 'DEGRADE', { all: [{ fact: 'context', path: 'slow', operator: 'equal', value: true }] }),
    policy('ticket', 'ESCALATE', { not: { fact: 'context', path: 'ticket', operator: 'isPresent', value: true } }),
  ]);
  const context = { ticket: 'T-1', slow: false };
  const failuresOf = async (given: object): Promise<string[]> => {
    const document = { cases: [{ name: 'c', agent: {}, intent: 'data.read.x', context, ...given }] };
    const { results } = await runDocument(document, set);
    return results.flatMap(({ differences }) => differences.map(({ what }) => what));
  };

  it('without an expectation expects DENY', async () => {
    expect(await failuresOf({})).to.deep.equal(['verdict']);
    expect(await failuresOf({ intent: 'data.update.x' })).to.deep.equal([]);
  });

  it('passes when each reason is among those given, and with exact when no other is', async () => {
    const expecting = (reasons: unknown[], exact: boolean, slow = false) =>
      failuresOf({ context: { slow, ticket: 'T-1' }, expect: { verdict: slow ? 'DEGRADE' : 'ALLOW', reasons, exact } });
    expect(await expecting(['reads/only'], true)).to.deep.equal([]);
    expect(await expecting([{ code: 'ALLOW_CODE', effect: 'ALLOW' }], true)).to.deep.equal([]);
    expect(await expecting(['reads/other'], false)).to.deep.equal(['reasons']);
    expect(await expecting([{ policy: 'reads', code: 'OTHER' }], false)).to.deep.equal(['reasons']);
    expect(await expecting(['reads/only'], false, true)).to.deep.equal([]);
    expect(await expecting(['reads/only'], true, true)).to.deep.equal(['reasons']);
    expect(await expecting(['reads/only', 'slow/only'], true, true)).to.deep.equal([]);
  });

  it('compares all obligations, in any order', async () => {
    const obliged = (obligations: unknown[]) =>
      failuresOf({ context: { ticket: 'T-1', slow: true }, expect: { verdict: 'DEGRADE', obligations } });
    expect(await obliged([{ type: 'read_only' }])).to.deep.equal([]);
    expect(await obliged([])).to.deep.equal(['obligations']);
    expect(await obliged([{ type: 'read_only' }, { type: 'max_rows', limit: 1 }])).to.deep.equal(['obligations']);
  });

  it('compares what rules demand of approvers', async () => {
    const params = { code: 'ASKED', message: 'm', approvers: { tags: ['b', 'a'], atLeast: 2 } };
    const asked = policy('asked', 'ESCALATE');
    const [rule] = asked.rules;
    const escalating = setOfDocuments([{ ...asked, rules: [{ ...rule, event: { type: 'ESCALATE', params } }] }]);
    const demanding = async (approvers: unknown[]): Promise<string[]> => {
      const expected = { verdict: 'ESCALATE', approvers };
      const document = { cases: [{ name: 'c', agent: {}, intent: 'data.read.x', expect: expected }] };
      const { results } = await runDocument(document, escalating);
      return results.flatMap(({ differences }) => differences.map(({ what }) => what));
    };
    expect(await demanding([{ tags: ['a', 'b'], atLeast: 2 }])).to.deep.equal([]);
    expect(await demanding([{ tags: ['a', 'b'] }])).to.deep.equal(['approvers']);
    expect(await demanding([])).to.deep.equal(['approvers']);
  });

  it('compares risk and facts', async () => {
    const expecting = (rest: object) => failuresOf({ expect: { verdict: 'ALLOW', ...rest } });
    expect(await expecting({ risk: { level: 'low', atMost: 0, atLeast: 0, factors: [] } })).to.deep.equal([]);
    for (const risk of [{ level: 'high' }, { atLeast: 1 }, { factors: ['money'] }])
      expect(await expecting({ risk })).to.deep.equal(['risk']);
    expect(
      await expecting({ facts: { 'intent.effect': 'read', 'context.ticket': 'T-1', 'trust.claimed.score': null } }),
    ).to.deep.equal([]);
    expect(await expecting({ facts: { 'context.other': 1 } })).to.deep.equal(['facts']);
  });

  it('that fails lists the rules that held, and why the expected ones did not', async () => {
    const document = {
      cases: [
        {
          name: 'c',
          agent: {},
          intent: 'data.read.x',
          context,
          expect: { verdict: 'ESCALATE', reasons: ['ticket/only', 'gone/only', 'slow/only'] },
        },
      ],
    };
    const { results } = await runDocument(document, set);
    const [result] = results;
    if (result === undefined) throw new Error('no result');
    const places = policySources(filesOf(set.policies));
    const notes = await explainFailure(
      result,
      createEvaluator({ set }),
      (id, rule) => places.locateRule(id, rule) !== undefined,
    );
    const lines = notes.map(({ policy: id, rule, note }) => `${id}/${rule} ${note}`);
    expect(lines[0]).to.equal('reads/only gave ALLOW ALLOW_CODE: reads says ALLOW');
    expect(lines[1]).to.match(
      /^ticket\/only did not give ESCALATE: .*context\.ticket not isPresent true: it is "T-1"$/,
    );
    expect(lines[2]).to.equal('gone/only is not in these policies');
    expect(lines[3]).to.match(/^slow\/only did not give DEGRADE: .*context\.slow equal true: it is false$/);
  });
});
