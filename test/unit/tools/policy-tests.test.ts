// Tool calls in policy test files: read by the catalogues beside the policies, as the service reads them.
import { expect } from 'chai';
import { intentReader } from '../../../cli/policy/test-files.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { expandTestFiles } from '../../../shared/core/policy/testing/expand.ts';
import { loadTestFile } from '../../../shared/core/policy/testing/load.ts';
import { runCase } from '../../../shared/core/policy/testing/run.ts';
import { filesOf, LEXICON, policy } from '../policy/support.ts';
import { shippedLexicon } from '../intent/lexicon.ts';
import { catalogueOf } from './support.ts';

const catalogue = catalogueOf({
  read: { action: 'read', resource: 'file/{path}', definition: `sha256:${'0'.repeat(64)}` },
  pay: { action: 'transfer', effect: 'destructive' },
});
const loaded = loadPolicySet(
  [...filesOf([policy('open', 'ALLOW')]), { path: 'tools/files.json', text: JSON.stringify(catalogue) }],
  LEXICON,
  { compileLexicon: () => shippedLexicon() },
);
if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
const { set } = loaded;

const expand = (content: object) => {
  const file = loadTestFile({ path: 'tests/t.json', text: JSON.stringify({ name: 't', ...content }) });
  if (!file.ok) return { ok: false as const, findings: file.findings };
  return expandTestFiles([file.source], intentReader(set));
};
const messages = (content: object): string => {
  const expanded = expand(content);
  return expanded.ok ? '' : expanded.findings.map(({ pointer, message }) => `${pointer} ${message}`).join('\n');
};
const call = (name: string, args?: object) => ({ server: 'files', name, ...(args && { arguments: args }) });

describe('a policy test of tool calls', () => {
  it('asks by a call of a case, a fixture or a matrix, with the pinned definition unless it names another', async () => {
    const expanded = expand({
      fixtures: { agents: { bot: {} }, intents: { reading: { tool: call('read', { path: '/a/../b' }) } } },
      cases: [
        {
          name: 'a call',
          agent: 'bot',
          tool: call('read', { path: '/a', list: [{ n: 1 }, {}] }),
          expect: {
            verdict: 'ALLOW',
            facts: {
              'tool.known': true,
              'tool.changed': false,
              'tool.arguments.path': '/a',
              'tool.arguments.list[].n': [1, null],
            },
          },
        },
        {
          name: 'a fixture',
          agent: 'bot',
          intent: 'reading',
          expect: { verdict: 'ALLOW', facts: { 'intent.resource': 'file/b' } },
        },
        {
          name: 'with other facts',
          agent: 'bot',
          intent: { tool: call('pay'), facts: { 'intent.data_classes': ['pii'] } },
          expect: { verdict: 'ALLOW', facts: { 'tool.name': 'pay', 'intent.effect': 'destructive' } },
        },
        {
          name: 'another definition',
          agent: 'bot',
          tool: { ...call('read', { path: '/a' }), definition_digest: `sha256:${'1'.repeat(64)}` },
          expect: 'DENY',
        },
        {
          name: 'an unknown tool',
          agent: 'bot',
          tool: call('format'),
          expect: { verdict: 'DENY', facts: { 'intent.action': 'unknown' } },
        },
      ],
      matrix: [{ name: 'm', agents: ['bot'], intents: ['reading'], expect: { bot: { reading: 'ALLOW' } } }],
    });
    if (!expanded.ok) throw new Error(JSON.stringify(expanded.findings));
    const evaluator = createEvaluator({ set });
    for (const test of expanded.cases)
      expect((await runCase(test, evaluator)).differences, test.name).to.deep.equal([]);
    expect(expanded.cases).to.have.lengthOf(6);
  });

  it('is refused with both or neither of intent and tool, and with arguments that the service refuses', () => {
    const one = (more: object) => messages({ cases: [{ name: 'c', agent: {}, ...more }] });
    expect(one({})).to.equal('/cases/0 must have either "intent" or "tool"');
    expect(one({ intent: 'data.read.x', tool: call('read') })).to.equal('/cases/0 must have either "intent" or "tool"');
    expect(one({ tool: { server: 'files' } })).to.contain('"name" is missing');
    expect(one({ tool: call('read', { x: 'x'.repeat(262_144) }) })).to.match(
      /^\/cases\/0\/tool\/arguments must have at most/,
    );
    expect(one({ tool: call('read'), facts: { 'tool.name': 'x' } })).to.contain('member "tool"');
  });
});
