// Loading: which files are refused, the position of findings, and what the digest depends on.
import { expect } from 'chai';
import { MAX_FILE_BYTES } from '../../../shared/core/policy/files.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { loadCanonicalSet, knownSet } from '../../../shared/core/policy/stored-set.ts';
import { inOneGo } from '../../../shared/kernel/slices.ts';
import { inSlices } from '../../../shared/platform/process/slices.ts';
import { policySchemaText } from '../../../shared/core/policy/schema-editors.ts';
import { OPERATORS } from '../../../shared/core/policy/operators.ts';
import { VOCABULARY } from '../../../shared/core/policy/vocabulary.ts';
import { leastMs } from '../../support/undisturbed.ts';
import { ALWAYS, compileLexicon, evaluatorOf, factsWith, filesOf, LEXICON, load, policy, setOf } from './support.ts';
import { dataOf } from '../../support/data.ts';

const level = (operator: string, value: unknown) => ({ fact: 'trust', path: 'level', operator, value });
const conditionsOf = (conditions: unknown) => load([policy('p', 'DENY', conditions)]);

interface Refusal {
  name: string;
  policy?: Record<string, unknown>;
  conditions?: unknown;
  event?: unknown;
  code: string;
  pointer: string;
}

describe('loading policies', () => {
  for (const refusal of dataOf<Refusal[]>('unit/policy/refused.cases.json')) {
    it(`refuses ${refusal.name}`, () => {
      const document: Record<string, unknown> = {
        ...policy('p', 'DENY', refusal.conditions ?? ALWAYS),
        ...refusal.policy,
      };
      if (refusal.event !== undefined)
        document.rules = [{ name: 'only', conditions: refusal.conditions ?? ALWAYS, event: refusal.event }];
      const result = load([document]);
      const found = result.ok ? [] : result.findings.map(({ code, pointer }) => `${code} ${pointer}`);
      expect(found).to.include(`${refusal.code} ${refusal.pointer}`);
    });
  }

  it('a finding has file, line and column', () => {
    const text =
      '{\n  "id": "p",\n  "description": "d",\n  "stage": "enforce",\n  "target": { "actions": ["*"], "resources": ["a/../b"] },\n  "rules": [{ "name": "r", "conditions": { "all": [{ "fact": "trust", "path": "levle", "operator": "equal", "value": 1 }] }, "event": { "type": "DENY", "params": { "code": "C", "message": "m" } } }]\n}\n';
    const result = loadPolicySet([{ path: 'x/p.json', text }], LEXICON, { compileLexicon });
    expect(
      result.ok ? [] : result.findings.map(({ file, line, column, code }) => [file, line, column, code]),
    ).to.deep.equal([
      ['x/p.json', 5, 47, 'BAD_RESOURCE'],
      ['x/p.json', 6, 79, 'UNKNOWN_FACT'],
    ]);
    expect(result.ok ? [] : result.findings[0]).to.include({ pointer: '/target/resources/0' });
  });

  it('text that is not strict JSON is refused with its position', () => {
    const result = loadPolicySet([{ path: 'p.json', text: '{\n "id": "a",\n "id": "b"}' }], LEXICON, {
      compileLexicon,
    });
    expect(result.ok ? [] : result.findings).to.have.lengthOf(1);
    expect(result.ok ? {} : result.findings[0]).to.include({ code: 'NOT_JSON', line: 3, column: 2 });
  });

  it('a file over the limit is refused before it is parsed', () => {
    const result = loadPolicySet([{ path: 'p.json', text: ' '.repeat(MAX_FILE_BYTES + 1) }], LEXICON, {
      compileLexicon,
    });
    expect(result.ok ? {} : result.findings[0]).to.include({ code: 'TOO_LARGE' });
  });

  it('an invalid lexicon refuses the load, at the pointer of its error', () => {
    const broken = () => {
      throw Object.assign(new Error('no such verb'), { pointer: '/verbs/1' });
    };
    const lexicon = { path: 'lexicon.json', text: '{ "verbs": ["a",\n "b"] }' };
    const result = loadPolicySet([], lexicon, { compileLexicon: broken });
    expect(result.ok ? {} : result.findings[0]).to.include({
      file: 'lexicon.json',
      line: 2,
      column: 2,
      code: 'LEXICON',
      message: 'no such verb',
    });
  });

  it('one invalid file refuses the whole set, and every invalid file is reported', () => {
    const result = load([policy('a', 'ALLOW'), policy('b', 'NOPE'), policy('c', 'NOPE')]);
    expect(result.ok ? [] : [...new Set(result.findings.map((finding) => finding.file))]).to.deep.equal([
      'p1.json',
      'p2.json',
    ]);
  });

  it('the same id with equal content counts once, with other content it is refused', () => {
    expect(setOf([policy('a', 'ALLOW'), policy('a', 'ALLOW')]).policies).to.have.lengthOf(1);
    const result = load([policy('a', 'ALLOW'), policy('a', 'DENY')]);
    expect(result.ok ? {} : result.findings[0]).to.include({ code: 'DUPLICATE_ID', file: 'p1.json', pointer: '/id' });
  });

  for (const [times, newer, older] of [
    [[2, 1], 'p0.json', 'p1.json'],
    [[1, 2], 'p1.json', 'p0.json'],
    [[undefined, 1], 'p1.json', 'p0.json'],
  ] as const)
    it(`of two files with one id that were changed at ${times.join(' and ')} the newer one is wrong`, () => {
      const files = filesOf([policy('a', 'ALLOW'), policy('a', 'DENY')]).map((file, i) => {
        const modifiedMs = times[i];
        return modifiedMs === undefined ? file : { ...file, modifiedMs };
      });
      const result = loadPolicySet(files, LEXICON, { compileLexicon });
      const [finding] = result.ok ? [] : result.findings;
      expect(finding).to.include({ code: 'DUPLICATE_ID', file: newer });
      expect(finding?.message).to.contain(`of ${newer} is also that of ${older}`);
    });

  it('the digest depends on content, not on order, spelling of the JSON, repetition or $schema', () => {
    const [a, b] = [policy('a', 'ALLOW'), policy('b', 'DENY')];
    const { digest } = setOf([a, b]);
    expect(setOf([b, a, { $schema: './s.json', ...a }]).digest).to.equal(digest);
    expect(setOf([Object.fromEntries(Object.entries(a).reverse()), b]).digest).to.equal(digest);
    expect(setOf([a, policy('b', 'ESCALATE')]).digest).to.not.equal(digest);
    const other = loadPolicySet([], { path: 'l', text: '{"x":1}' }, { compileLexicon });
    expect(other.ok ? other.set.digest : '').to.not.equal(setOf([]).digest);
    expect(digest).to.match(/^[0-9a-f]{64}$/);
  });

  it('a stored set is rebuilt from its canonical text, and anything else is refused', () => {
    const set = setOf([policy('a', 'ALLOW'), policy('b', 'DENY')]);
    const again = loadCanonicalSet(set.canonical, { compileLexicon });
    expect(again.ok ? again.set.digest : again.findings).to.equal(set.digest);
    for (const text of [
      '',
      '{}',
      `${set.canonical} `,
      set.canonical.replace('"engine":1', '"engine":2'),
      set.canonical.replace('"type":"DENY"', '"type":"NOPE"'),
    ]) {
      expect(loadCanonicalSet(text, { compileLexicon }).ok, text.slice(0, 40)).to.equal(false);
    }
  });

  it('a set of a known digest is rebuilt in slices, between which other work goes on', async () => {
    const set = setOf(Array.from({ length: 1_500 }, (_, i) => policy(`p${i}`, 'ALLOW')));
    let turns = 0;
    let isLoading = true;
    const count = (): void => {
      turns += 1;
      if (isLoading) setImmediate(count);
    };
    setImmediate(count);
    const again = await inSlices(knownSet(set.canonical, set.digest, { compileLexicon }));
    isLoading = false;
    expect(again.ok ? again.set.digest : again.findings).to.equal(set.digest);
    expect(turns, 'turns of the event loop').to.be.above(1);
    const other = inOneGo(knownSet(`${set.canonical} `, set.digest, { compileLexicon }));
    expect(other.ok, 'a text with another digest').to.equal(false);
  });

  it('ten thousand policies load within five seconds of processor time', async () => {
    const policies = Array.from({ length: 10_000 }, (_, i) =>
      policy(`p${i}`, 'ALLOW', ALWAYS, { target: { actions: ['read'], resources: [`db/t${i}/*`] } }),
    );
    const loaded = (): number => {
      const before = process.cpuUsage();
      expect(load(policies).ok).to.equal(true);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    expect(await leastMs(5_000, loaded)).to.be.below(5_000);
  });

  it('targets are brought to canonical form, as requests are', async () => {
    const evaluator = evaluatorOf([
      policy('p', 'ALLOW', ALWAYS, { target: { actions: ['read'], resources: ['DB:Production:*'] } }),
    ]);
    expect((await evaluator.evaluate(factsWith({ 'intent.resource': 'db/production/x' }))).verdict).to.equal('ALLOW');
  });
});

describe('the published schema', () => {
  it('has examples that load', () => {
    const examples: unknown[] = JSON.parse(policySchemaText()).examples;
    expect(examples).to.not.have.lengthOf(0);
    for (const example of examples) expect(load([example]).ok).to.equal(true);
  });
});

describe('operators and vocabulary', () => {
  it('every operator accepts its own example', () => {
    for (const operator of OPERATORS.values())
      expect(operator.valueProblem(operator.example), operator.name).to.equal(undefined);
  });
  it('every fact of the vocabulary is among the facts of a request, a claim, a harmless text, or of the second reader', () => {
    const annotations = {
      readOnlyHint: true,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: true,
      title: 't',
    };
    const tool = { present: true, server: 's', name: 'n', known: true, changed: false, annotations };
    const facts: object = factsWith({
      'trust.claimed': { level: 1, score: 200 },
      'intent.second_reading': 'agreed',
      'intent.harmless': true,
      tool,
    });
    for (const { fact, path } of VOCABULARY) {
      let value: unknown = facts;
      for (const key of [fact, ...(path?.split('.') ?? [])]) value = Reflect.get(value as object, key);
      expect(value, `${fact}.${path}`).to.not.equal(undefined);
    }
  });
  it('a refused operator is not among those that its finding names', () => {
    for (const { fact, path } of VOCABULARY)
      for (const { name: operator, example: value } of OPERATORS.values()) {
        const result = conditionsOf({ all: [{ fact, ...(path !== undefined && { path }), operator, value }] });
        const finding = result.ok
          ? undefined
          : result.findings.find(
              ({ code, message }) => code === 'OPERATOR_MISUSED' && message.startsWith(`${operator} `),
            );
        const usable = finding?.message.split('usable are ')[1]?.split(', ') ?? [];
        expect(usable, `${fact}.${path} ${operator}`).not.to.include(operator);
      }
  });
  it('a comparison with the right type and operator loads', () => {
    expect(conditionsOf({ all: [level('lessThan', 4)] }).ok).to.equal(true);
  });
});
