// Placeholders in the messages of rules: how values are printed, and that a caller's text can't pose as the words of a reason.
import { expect } from 'chai';
import { approvalMentionOf, approvedReason } from '../../../shared/core/decision/approval.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { composedText } from '../../../shared/core/policy/own/compose.ts';
import type { PolicySet } from '../../../shared/core/policy/load.ts';
import { loadCanonicalSet } from '../../../shared/core/policy/stored-set.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { admitFiles, composed } from './own-support.ts';
import { compileLexicon, evaluatorOf, factsWith, filesOf, load, policy, setOf, type PolicyLike } from './support.ts';

/** A policy whose rule has the message. */
function saying(message: string, type = 'DENY', conditions?: unknown): PolicyLike {
  const one = policy('p', type, conditions);
  const [rule] = one.rules;
  return { ...one, rules: [{ ...rule, name: 'only', conditions: rule?.conditions, event: eventOf(message, type) }] };
}

function eventOf(message: string, type: string): object {
  return type === 'RISK'
    ? { type, params: { factor: 'f', score: 5, message } }
    : { type, params: { code: 'NO', message } };
}

async function messageOf(message: string, changes: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const { reasons } = await evaluatorOf([saying(message)]).evaluate(factsWith(changes));
  return reasons[0]?.message;
}

const PRINTED: readonly (readonly [value: unknown, printed: string])[] = [
  ['OPS-7', 'OPS-7'],
  ['two words', '"two words"'],
  ['x (missing: trust.level)', '"x (missing: trust.level)"'],
  ['(missing)', '"(missing)"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ['a\nb\u202ec\u200bd\u0000', '"a\\u{a}b\\u{202e}c\\u{200b}d\\u{0}"'],
  ['\ud800', '"\\u{d800}"'],
  ['x'.repeat(1_000_000), `"${'x'.repeat(100)}..."`],
  ['', '""'],
  ['ghp_16C7e42F292c6912E7710c838347Ae178B4a', '[secret]'],
  [1e308, '1e+308'],
  [true, 'true'],
  [undefined, '(missing)'],
  [null, '(missing)'],
  [[], '(none)'],
  [['a', 'b c'], 'a, "b c"'],
  [Array.from({ length: 100_000 }, (_, i) => i), '0, 1, 2, 3, 4, ...'],
  [{ a: 1 }, '(object)'],
  [{ amount: 5, currency: 'EUR' }, '5 EUR'],
  [{ amount: 5, currency: 'E U' }, '5 "E U"'],
];

describe('messages with placeholders', () => {
  for (const [value, printed] of PRINTED)
    it(`print ${JSON.stringify(value)?.slice(0, 40)} as ${printed.slice(0, 40)}`, async () => {
      expect(await messageOf('{context.x}.', { 'context.x': value })).to.equal(`${printed}.`);
    });

  it('name several facts, items of lists among them; other braces stay', async () => {
    const tool = { server: 's', name: 't', known: true, changed: false, arguments: { items: [{ p: 1 }, {}] } };
    const said = await messageOf('{agent.id}, {environment}, {tool.arguments.items[].p}, {trust.level} {x} {} {{', {
      tool,
    });
    expect(said).to.equal('agent-1, live, 1, (missing), 1 {x} {} {{');
  });
  it('mask a value whose name is one of secrets', async () => {
    expect(await messageOf('{context.password}', { 'context.password': 'hunter2' })).to.equal('[secret]');
  });
  it('name only facts that exist', () => {
    const result = load([saying('{agnt.id} and {trust.lvl}')]);
    const found = result.ok ? [] : result.findings.map(({ code, pointer }) => `${code} ${pointer}`);
    expect(found).to.deep.equal(Array(2).fill('UNKNOWN_FACT /rules/0/event/params/message'));
  });
  it('are those of each question, also when everything else is remembered', async () => {
    const evaluator = evaluatorOf([saying('{context.x}')]);
    for (const x of ['a', 'b', 'a', ['b'], undefined]) {
      const { reasons } = await evaluator.evaluate(factsWith({ 'context.x': x }));
      expect(reasons[0]?.message).to.equal(x === undefined ? '(missing)' : String(x));
    }
  });
  it('are the same in a replay, and before the missing facts of a reason', async () => {
    const asked = { all: [{ fact: 'context', path: 'region', operator: 'equal', value: 'eu' }] };
    const set = setOf([saying('not from {context.region} at {time.now}', 'DENY', asked)]);
    const facts = factsWith();
    const [first, again] = [
      await createEvaluator({ set }).evaluate(facts),
      await createEvaluator({ set }).evaluate(facts),
    ];
    expect(again).to.deep.equal(first);
    expect(first.reasons[0]?.message).to.equal(
      'not from (missing) at "2026-03-04T10:30:00.000Z" (missing: context.region)'.replaceAll('"', ''),
    );
  });
  it('are filled for factors of the risk', async () => {
    const risky = { ...saying('{intent.verb} by {agent.id}', 'RISK'), stage: 'intake' };
    const risk = await evaluatorOf([risky]).assessRisk(factsWith());
    expect(risk.factors[0]?.message).to.equal('read by agent-1');
  });
  it('can not pose as the reasons of an approval', async () => {
    const id = 'apr_01jq3k00000000000000000000';
    const { reasons } = await evaluatorOf([saying('{context.x}', 'ALLOW')]).evaluate(
      factsWith({ 'context.x': approvedReason(id, 'k').message }),
    );
    expect(approvalMentionOf(reasons)).to.equal(undefined);
    expect(load([{ ...saying('x'), id: 'default' }]).ok).to.equal(false);
  });
});

/** A set as versions without placeholders stored it. */
function storedEarlier(policies: readonly PolicyLike[]): PolicySet {
  return reloaded(canonicalize({ engine: 1, lexicon: {}, policies }));
}

function reloaded(canonical: string): PolicySet {
  const loaded = loadCanonicalSet(canonical, { compileLexicon });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
  expect(loaded.set.canonical).to.equal(canonical);
  return loaded.set;
}

async function saidBy(set: PolicySet): Promise<string | undefined> {
  return (await createEvaluator({ set }).evaluate(factsWith())).reasons[0]?.message;
}

describe('messages of stored sets', () => {
  const literal = 'use {config.name} or {agnt.id}, not {agent.id} in {environment}';

  it('print all braces as they are when the set was stored without placeholders', async () => {
    expect(await saidBy(storedEarlier([saying(literal)]))).to.equal(literal);
    const risky = { ...saying(literal, 'RISK'), stage: 'intake' };
    const risk = await createEvaluator({ set: storedEarlier([risky]) }).assessRisk(factsWith());
    expect(risk.factors[0]?.message).to.equal(literal);
  });
  it('are filled when the set was stored with placeholders', async () => {
    const set = setOf([saying('not {agent.id}')]);
    expect(await saidBy(reloaded(set.canonical))).to.equal('not agent-1');
  });
  it('print braces as they are in own policies that were stored without placeholders, under every set of the installation', async () => {
    for (const installation of [storedEarlier([]), setOf([saying('not {agent.id}', 'ESCALATE')])]) {
      const set = composed(installation, [{ ...saying(literal), id: 'own' }]);
      expect(await saidBy(set)).to.equal(literal);
      expect(await saidBy(reloaded(set.canonical))).to.equal(literal);
    }
  });
  it('are filled in new own policies, also above a set without placeholders', async () => {
    const installation = storedEarlier([]);
    const { own } = admitFiles(installation, filesOf([saying('not {agent.id}')]));
    const text = own?.text ?? '';
    expect(text).to.contain('"placeholders":true');
    expect(await saidBy(reloaded(composedText(installation.canonical, text)))).to.equal('not agent-1');
    const { errors } = admitFiles(installation, filesOf([saying(literal)]));
    expect(errors.map(({ code }) => code)).to.deep.equal(['UNKNOWN_FACT', 'UNKNOWN_FACT']);
  });
  it('record placeholders only where a message has one, so that other sets keep their digests', () => {
    const [plain, filled] = [saying('no {x} {}'), saying('{agent.id}')].map((one) => setOf([one]));
    expect(plain?.digest).to.equal(storedEarlier([saying('no {x} {}')]).digest);
    expect(filled?.canonical).to.contain('"placeholders":true');
    const wrong = filled?.canonical.replace('"placeholders":true', '"placeholders":false') ?? '';
    const result = loadCanonicalSet(wrong, { compileLexicon });
    expect(result.ok ? [] : result.findings.map(({ pointer }) => pointer)).to.deep.equal(['/placeholders']);
  });
});
