// Rules that are common in other engines, written for this one: admission to a cluster, with ownership, and Cedar's policy for agents.
import { expect } from 'chai';
import { importCedar } from '../../../shared/core/policy/import/cedar.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { dataOf } from '../../support/data.ts';
import { shippedLexicon } from '../intent/lexicon.ts';
import { compileLexicon, factsWith, LEXICON } from './support.ts';

const PINNED = `registry.example.com/web@sha256:${'0a'.repeat(32)}`;
const container = (changes: object = {}) => ({ image: PINNED, resources: { limits: { memory: '64Mi' } }, ...changes });
const manifest = (containers: readonly object[], changes: object = {}) => ({
  kind: 'Pod',
  metadata: { name: 'web', labels: { team: 'shop' } },
  spec: { containers },
  ...changes,
});

/** What is applied, and the codes of the answer. */
const ADMISSIONS: Readonly<Record<string, readonly [args: object, codes: readonly string[]]>> = {
  'a plain pod of its own team': [manifest([container(), container()]), ['ADMITTED']],
  'a privileged container beside another': [
    manifest([container(), container({ securityContext: { privileged: true } })]),
    ['PRIVILEGED'],
  ],
  'a container that says that it is not privileged': [
    manifest([container({ securityContext: { privileged: false } })]),
    ['ADMITTED'],
  ],
  'an image of another registry': [
    manifest([container(), container({ image: PINNED.replace('registry.example.com', 'evil.example') })]),
    ['UNKNOWN_REGISTRY'],
  ],
  'a registry whose name begins like a known one': [
    manifest([container({ image: PINNED.replace('example.com/', 'example.com.evil/') })]),
    ['UNKNOWN_REGISTRY'],
  ],
  'an image by its tag': [manifest([container({ image: 'registry.example.com/web:latest' })]), ['NOT_PINNED']],
  'no memory limit in one of two': [manifest([container(), { image: PINNED }]), ['NO_MEMORY_LIMIT']],
  'the network of the node': [
    manifest([], { spec: { containers: [container()], hostNetwork: true } }),
    ['HOST_NETWORK'],
  ],
  'the pod of another team': [
    manifest([container()], { metadata: { name: 'web', labels: { team: 'bank' } } }),
    ['NOT_THE_OWNER'],
  ],
};
/** Manifests that leave out what the rules look at. */
const INCOMPLETE: Readonly<Record<string, object>> = {
  'no label': manifest([container()], { metadata: { name: 'web' } }),
  'no containers': manifest([], { spec: {} }),
  'an empty list of containers': manifest([]),
  'a container that is a text': manifest([], { spec: { containers: ['web'] } }),
  'a privileged flag that is a text': manifest([container({ securityContext: { privileged: 'true' } })]),
};

const call = (name: string, args: object) => ({
  tool: { server: 'cluster', name, arguments: args, arguments_digest: 'sha256:', known: true, changed: false },
});

describe('policies as other engines have them', () => {
  const loaded = loadPolicySet(
    [
      { path: 'p.json', text: JSON.stringify(dataOf('unit/policy/ports/kubernetes-admission.json')) },
      { path: 'attributes.json', text: JSON.stringify({ agent: { team: { type: 'text' } } }) },
    ],
    LEXICON,
    { compileLexicon },
  );
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings, null, 1));
  const evaluator = createEvaluator({ set: loaded.set });
  const answerTo = (args: object, team?: string) =>
    evaluator.evaluate(
      factsWith({
        'intent.resource': 'cluster/pod',
        'agent.attributes': team === undefined ? {} : { team },
        ...call('apply', args),
      }),
    );

  for (const [name, [args, codes]] of Object.entries(ADMISSIONS))
    it(`admission to a cluster, ${name}: ${codes.join()}`, async () => {
      const { verdict, reasons } = await answerTo(args, 'shop');
      expect(reasons.map(({ code }) => code)).to.deep.equal(codes);
      expect(verdict).to.equal(codes[0] === 'ADMITTED' ? 'ALLOW' : 'DENY');
    });

  for (const [name, args] of Object.entries(INCOMPLETE))
    it(`admission to a cluster, ${name}: never`, async () => {
      expect((await answerTo(args, 'shop')).verdict).to.equal('DENY');
    });

  it('admission to a cluster for an agent without a team: never', async () => {
    expect((await answerTo(manifest([container()]))).verdict).to.equal('DENY');
  });

  it("Cedar's example for agents: what reads is permitted, what destroys is forbidden, the rest is not permitted", async () => {
    const permitted = ['ReadData', 'ListFiles', 'SearchDocuments', 'ModelCall'];
    const forbidden = ['DeleteFile', 'Shell', 'ExecCode', 'DropTable'];
    const line = (effect: string) => (action: string) =>
      `${effect}(principal, action == Action::"${action}", resource);`;
    const text = [...permitted.map(line('permit')), ...forbidden.map(line('forbid'))].join('\n');
    const { files, rules } = importCedar({ name: 'agents.cedar', text }, { lexicon: shippedLexicon() });
    expect(rules).to.deep.equal({ found: 8, imported: 8 });
    const set = loadPolicySet(
      files.map(({ path, json }) => ({ path, text: JSON.stringify(json) })),
      LEXICON,
      { compileLexicon },
    );
    if (!set.ok) throw new Error(JSON.stringify(set.findings, null, 1));
    const agents = createEvaluator({ set: set.set });
    const told = async (name: string) => {
      const { verdict, reasons } = await agents.evaluate(factsWith(call(name, {})));
      return `${verdict} ${reasons[0]?.policy}`;
    };
    for (const name of permitted) expect(await told(name), name).to.equal('ALLOW agents');
    for (const name of forbidden) expect(await told(name), name).to.equal('DENY agents');
    expect(await told('WriteData')).to.equal('DENY default');
  });
});
