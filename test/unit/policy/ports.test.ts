// Rules that are common in other engines, written for this one: admission to a cluster, with ownership, and Cedar's policy for agents.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { importAgt } from '../../../shared/core/policy/import/agt.ts';
import { importCedar } from '../../../shared/core/policy/import/cedar.ts';
import { importCerbos } from '../../../shared/core/policy/import/cerbos.ts';
import { withNamedConditions } from '../../../shared/core/policy/import/named.ts';
import type { ImportResult, SourceFile } from '../../../shared/core/policy/import/result.ts';
import { prettyJson } from '../../../shared/kernel/pretty-json.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { dataOf } from '../../support/data.ts';
import { shippedLexicon } from '../intent/lexicon.ts';
import { compileLexicon, factsWith, LEXICON } from './support.ts';

const PORTS = path.join(findRoot(), 'test', 'unit', 'policy', 'ports');
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

const call = (name: string, args: object, server = 'cluster') => ({
  tool: { server, name, arguments: args, arguments_digest: 'sha256:', known: true, changed: false },
});

describe('policies as other engines have them', () => {
  const loaded = loadPolicySet(
    [
      ...['admission', 'ownership'].map((name) => ({
        path: `${name}.json`,
        text: JSON.stringify(dataOf(`unit/policy/ports/kubernetes-${name}.json`)),
      })),
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

  it('has the sizes that the guide to ported policies shows', () => {
    const textOf = (name: string): string =>
      readFileSync(path.join(findRoot(), 'test', 'unit', 'policy', ...name.split('/')), 'utf8');
    const sourceOf = (name: string): SourceFile => ({ name: path.basename(name), text: textOf(name) });
    const lexicon = shippedLexicon();
    const fields = {
      code: { fact: 'tool', path: 'arguments.code' },
      input_text: { fact: 'tool', path: 'arguments.text' },
    };
    const [demo, roles] = [sourceOf('import/expenses.yaml'), sourceOf('import/roles.yaml')];
    const [bank, agents] = [sourceOf('import/bank.yaml'), sourceOf('ports/agents.cedar')];
    const linesIn = (texts: readonly string[]): number => texts.join('').split('\n').length - 1;
    const ofImport = (name: string, from: readonly SourceFile[], result: ImportResult): string => {
      const written = withNamedConditions(result.files, result.names).map(({ json }) => prettyJson(json));
      const { found, imported } = result.rules;
      return `| ${name} | ${found} | ${imported} | ${linesIn(from.map(({ text }) => text))} | ${linesIn(written)} |`;
    };
    const ofFile = (name: string, file: string): string => {
      const text = textOf(`ports/${file}`);
      const { rules } = JSON.parse(text) as { readonly rules: readonly object[] };
      return `| ${name} | ${rules.length} | ${rules.length} | | ${linesIn([text])} |`;
    };
    const rows = [
      ofImport("Cerbos' expenses demo", [demo, roles], importCerbos([demo, roles], { lexicon })),
      ofImport("Cedar's rules for agents", [agents], importCedar(agents, { lexicon })),
      ofImport("a bank's agents", [bank], importAgt([bank], { lexicon, fields })),
      ofFile('admission to Kubernetes', 'kubernetes-admission.json'),
      ofFile('ownership in Kubernetes', 'kubernetes-ownership.json'),
    ];
    const guide = readFileSync(path.join(findRoot(), 'docs', 'guides', 'ported-policies.md'), 'utf8');
    expect(guide.match(/^\| .*\d.*\|$/gm)).to.deep.equal(rows);
  });

  it("Cedar's example for agents: what reads is permitted, what destroys is forbidden, the rest is not permitted", async () => {
    const permitted = ['ReadData', 'ListFiles', 'SearchDocuments', 'ModelCall'];
    const forbidden = ['DeleteFile', 'Shell', 'ExecCode', 'DropTable'];
    const text = readFileSync(path.join(PORTS, 'agents.cedar'), 'utf8');
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
      const { verdict, reasons } = await agents.evaluate(factsWith(call(name, {}, 'agents')));
      return `${verdict} ${reasons[0]?.policy}`;
    };
    for (const name of permitted) expect(await told(name), name).to.equal('ALLOW agents');
    for (const name of forbidden) expect(await told(name), name).to.equal('DENY agents');
    expect(await told('WriteData')).to.equal('DENY default');
  });
});
