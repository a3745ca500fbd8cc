// Own policies of an organisation: what they may contain, how they combine with the installation's, and what happens when they no longer fit.
import { expect } from 'chai';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { loadCanonicalSet } from '../../../shared/core/policy/stored-set.ts';
import { OWN_LIMITS } from '../../../shared/core/policy/own/admit.ts';
import { composedDigests, composedText, digestOfText, ownPoliciesOf } from '../../../shared/core/policy/own/compose.ts';
import { fitOwnPolicies } from '../../../shared/core/policy/own/fit.ts';
import type { Facts } from '../../../shared/core/policy/types.ts';
import { admitFiles, composed } from './own-support.ts';
import { compileLexicon, factsWith, filesOf, LEXICON, policy, type PolicyLike, setOf } from './support.ts';

const rate = (limit: number, perSeconds: number) => ({ type: 'rate', limit, perSeconds });
const degrading = (id: string, ...obligations: object[]): PolicyLike => {
  const made = policy(id, 'DEGRADE');
  const event = { type: 'DEGRADE', params: { code: 'LESS', message: 'less', obligations } };
  return { ...made, rules: [{ name: 'only', conditions: made.rules[0]?.conditions, event }] };
};
const riskFrom = (operator: string, value: number) => ({
  all: [{ fact: 'intent', path: 'risk.score', operator, value }],
});
const raising = (score: number): PolicyLike => {
  const made = policy('more', 'ALLOW', undefined, { stage: 'intake' });
  const event = { type: 'RISK', params: { factor: 'own', score, message: 'own' } };
  return { ...made, rules: [{ name: 'only', conditions: made.rules[0]?.conditions, event }] };
};

async function evaluate(
  installation: readonly PolicyLike[],
  own: readonly PolicyLike[],
  facts: Facts = factsWith(),
): Promise<{ verdict: string; reasons: string[]; obligations: readonly object[] }> {
  const evaluator = createEvaluator({ set: composed(setOf(installation), own) });
  const { risk: _, ...intent } = facts.intent;
  const risk = await evaluator.assessRisk({ ...facts, intent });
  const { verdict, reasons, obligations } = await evaluator.evaluate({ ...facts, intent: { ...facts.intent, risk } });
  return { verdict, reasons: reasons.map((one) => `${one.policy}/${one.rule}`), obligations };
}

const NOTHING: PolicyLike[] = [];
const ALLOW = [policy('allow', 'ALLOW')];
const UP_TO = [policy('allow', 'ALLOW', riskFrom('lessThan', 400))];
const CONFLICT = [...ALLOW, degrading('a', rate(10, 60)), degrading('b', rate(100, 3_600))];

const COMBINED: readonly [string, PolicyLike[], PolicyLike[], string, string[]][] = [
  ['a DENY refuses what the installation permits', ALLOW, [policy('no', 'DENY')], 'DENY', ['acme/no/only']],
  ['an ESCALATE asks where it permits', ALLOW, [policy('ask', 'ESCALATE')], 'ESCALATE', ['acme/ask/only']],
  [
    'a DEGRADE adds its obligations',
    ALLOW,
    [degrading('less', rate(1, 1))],
    'DEGRADE',
    ['acme/less/only', 'allow/only'],
  ],
  ['a DEGRADE alone opens nothing', NOTHING, [degrading('less', rate(1, 1))], 'DENY', ['default/no-match']],
  [
    'an ESCALATE alone opens nothing',
    NOTHING,
    [policy('ask', 'ESCALATE')],
    'DENY',
    ['default/no-match', 'acme/ask/only'],
  ],
  [
    'a third rate does not end a conflict',
    CONFLICT,
    [degrading('less', rate(1, 86_400))],
    'ESCALATE',
    ['default/obligations-conflict'],
  ],
  ['a risk raised by the organisation counts', UP_TO, [raising(500)], 'DENY', ['default/no-match']],
  [
    'a raised risk opens nothing',
    [policy('ask', 'ESCALATE', riskFrom('greaterThanInclusive', 400))],
    [raising(500)],
    'DENY',
    ['default/no-match', 'ask/only'],
  ],
  [
    'a raised risk does not end a conflict',
    [
      ...CONFLICT,
      {
        ...degrading('c', rate(1, 86_400)),
        rules: [
          {
            ...degrading('c', rate(1, 86_400)).rules[0],
            conditions: riskFrom('greaterThanInclusive', 400),
          } as PolicyLike['rules'][number],
        ],
      },
    ],
    [raising(500)],
    'ESCALATE',
    ['default/obligations-conflict'],
  ],
];

const REFUSED: readonly [string, { path?: string; document: object }, string, string][] = [
  ['an ALLOW', { document: policy('yes', 'ALLOW') }, 'INSTALLATION_ONLY', '/rules/0/event/type'],
  [
    'a target of another organisation',
    {
      document: policy('x', 'DENY', undefined, {
        target: { actions: ['*'], resources: ['*'], organisations: ['acme', 'acme-2'] },
      }),
    },
    'OTHER_ORGANISATION',
    '/target/organisations/1',
  ],
  ['a lexicon', { path: 'lexicon.json', document: {} }, 'INSTALLATION_ONLY', ''],
  ['a tool catalogue', { path: 'tools/x.json', document: {} }, 'INSTALLATION_ONLY', ''],
  ['names of AuthZEN actions', { path: 'authzen.json', document: {} }, 'INSTALLATION_ONLY', ''],
  ['attributes', { path: 'attributes.json', document: {} }, 'INSTALLATION_ONLY', ''],
  ['an id with a slash', { document: policy('acme/x', 'DENY') }, 'SCHEMA', '/id'],
  ['an id of the service', { document: policy('default', 'DENY') }, 'SCHEMA', '/id'],
  [
    'a condition that can never hold',
    { document: policy('x', 'DENY', { all: [{ fact: 'trust', path: 'level', operator: 'greaterThan', value: 9 }] }) },
    'NEVER_TRUE',
    '/rules/0/conditions/all/0',
  ],
];

const ATTRIBUTES = { agent: { team: { type: 'text' } } };
function declaring(attributes: object) {
  const files = [...filesOf([policy('allow', 'ALLOW')]), { path: 'attributes.json', text: JSON.stringify(attributes) }];
  const loaded = loadPolicySet(files, LEXICON, { compileLexicon });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
  return loaded.set;
}

describe('own policies of an organisation', () => {
  for (const [name, installation, own, verdict, reasons] of COMBINED)
    it(`${name}: ${verdict}`, async () => {
      const said = await evaluate(installation, own);
      expect([said.verdict, said.reasons]).to.deep.equal([verdict, reasons]);
    });

  for (const [name, { path = 'x.json', document }, code, pointer] of REFUSED)
    it(`refuses ${name}`, () => {
      const { own, errors } = admitFiles(setOf(ALLOW), [{ path, text: JSON.stringify(document) }]);
      expect(own).to.equal(undefined);
      expect(errors.map((one) => [one.code, one.pointer])).to.deep.include([code, pointer]);
    });

  it('refuses more policies, rules or bytes than an organisation may have', () => {
    const many = Array.from({ length: OWN_LIMITS.policies + 1 }, (_, i) => policy(`p${i}`, 'DENY'));
    const [rule] = policy('x', 'DENY').rules;
    const rules = Array.from({ length: 100 }, (_, i) => ({ ...rule, name: `r${i}` }));
    const ruled = Array.from({ length: 6 }, (_, i) => ({ ...policy(`p${i}`, 'DENY'), rules }));
    const long = Array.from({ length: 150 }, (_, i) => ({ ...policy(`p${i}`, 'DENY'), description: 'x'.repeat(999) }));
    for (const [what, documents] of [
      ['policies', many],
      ['rules', ruled],
      ['bytes', long],
    ] as const) {
      const { own, errors } = admitFiles(setOf(ALLOW), filesOf(documents));
      expect(own).to.equal(undefined);
      expect(errors.map(({ message }) => message).join()).to.include(
        `at most ${OWN_LIMITS[what].toLocaleString('en')} ${what}`,
      );
    }
  });

  it('have one document and one digest with the set below them, without a change of its text', () => {
    const set = setOf(ALLOW);
    const own = ownPoliciesOf('acme', [policy('no', 'DENY') as never]);
    const text = composedText(set.canonical, own.text);
    expect(composedDigests(set.canonical)(own.text)).to.equal(digestOfText(text));
    expect(text).to.include(set.canonical);
    const loaded = loadCanonicalSet(text, { compileLexicon });
    if (!loaded.ok) return expect.fail(JSON.stringify(loaded.findings));
    expect(loaded.set.policies.map(({ id }) => id)).to.deep.equal(['allow', 'acme/no']);
    expect(loaded.set.own).to.deep.include({ slug: 'acme', installation: set.digest });
  });

  it('refuses a stored document that permits something of its own, or is not canonical', () => {
    const set = setOf(ALLOW);
    const allowing = composedText(set.canonical, ownPoliciesOf('acme', [policy('yes', 'ALLOW') as never]).text);
    const spaced = composedText(set.canonical, ` ${ownPoliciesOf('acme', []).text}`);
    const codes = [allowing, spaced].map((text) => {
      const loaded = loadCanonicalSet(text, { compileLexicon });
      return loaded.ok ? 'ok' : loaded.findings.map(({ code, pointer }) => `${code} ${pointer}`).join();
    });
    expect(codes).to.deep.equal(['INSTALLATION_ONLY /organisation/policies/0/rules/0/event/type', 'SCHEMA ']);
  });

  it('that no longer fit the installation deny their target, and take effect again when they fit', () => {
    const team = { all: [{ fact: 'agent', path: 'attributes.team', operator: 'equal', value: 'x' }] };
    const target = { actions: ['read'], resources: ['db/*'] };
    const documents = [policy('by-team', 'ESCALATE', team, { target }), policy('plain', 'DENY')];
    const { own } = admitFiles(declaring(ATTRIBUTES), filesOf(documents));
    if (own === undefined) return expect.fail('the policies are refused');
    const without = fitOwnPolicies(own, setOf(ALLOW).declarations);
    expect(without.misfits.map((one) => [one.policy, one.pointer])).to.deep.equal([
      ['by-team', '/rules/0/conditions/all/0/path'],
    ]);
    const [denial, plain] = without.own.policies;
    expect([denial?.target, denial?.rules[0]?.event.params]).to.deep.equal([
      target,
      {
        code: 'POLICY_NO_LONGER_FITS',
        message: "the organisation's policy by-team no longer fits the installation's policies; push it again",
      },
    ]);
    expect(plain).to.deep.equal(own.policies[1]);
    expect(fitOwnPolicies(own, declaring(ATTRIBUTES).declarations)).to.deep.equal({ own, misfits: [] });
  });
});
