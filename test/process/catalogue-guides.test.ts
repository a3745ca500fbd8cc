// Runs docs/guides/write-a-catalogue.md in a copy of the policies, and evaluates the policies of docs/guides/annotations-to-policies.md.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { intentReader } from '../../cli/policy/test-files.ts';
import { createEvaluator } from '../../shared/core/policy/evaluate.ts';
import { expandTestFiles } from '../../shared/core/policy/testing/expand.ts';
import { loadTestFile } from '../../shared/core/policy/testing/load.ts';
import { runCase } from '../../shared/core/policy/testing/run.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { temporaryFolder } from '../support/folders.ts';
import { CLI } from '../support/mcp-guard.ts';
import { shippedFiles } from '../unit/policy/support.ts';
import { setWithLexicon } from '../unit/policy/testing-support.ts';

/** The labelled blocks of a guide. */
function blocksOf(guide: string): (label: string) => string {
  const text = readFileSync(path.join(findRoot(), 'docs', 'guides', guide), 'utf8');
  const blocks = new Map(
    [...text.matchAll(/<!-- ([a-z-]+) -->\n```\w+\n([^]*?)```/g)].map(([, label = '', block = '']) => [label, block]),
  );
  return (label) => {
    const block = blocks.get(label);
    if (block === undefined) throw new Error(`${guide} has no block ${label}`);
    return block;
  };
}

/** The verdicts of calls by an agent of trust level 5 under the shipped set with one more file. */
async function verdictsWith(file: string, text: string, calls: readonly object[]): Promise<string[]> {
  const set = setWithLexicon([...shippedFiles(), { path: file, text }]);
  const cases = calls.map((tool, i) => ({ name: `${i}`, agent: { level: 5 }, environment: 'test', tool }));
  const loaded = loadTestFile({ path: 't.json', text: JSON.stringify({ name: 't', cases }) });
  const expanded = loaded.ok ? expandTestFiles([loaded.source], intentReader(set)) : loaded;
  if (!expanded.ok) throw new Error(JSON.stringify(expanded.findings));
  const evaluator = createEvaluator({ set });
  return Promise.all(expanded.cases.map(async (test) => (await runCase(test, evaluator)).evaluation.verdict));
}

describe('The guide to writing a catalogue', () => {
  const block = blocksOf('write-a-catalogue.md');
  const folder = temporaryFolder('catalogue-guide');

  /** Runs a block with the built command line, and stops at the first failure. */
  function run(label: string): { readonly code: number | null; readonly out: string } {
    const custos = `npx() { shift; "${process.execPath}" "${CLI}" "$@"; }\n`;
    const env = { PATH: `${path.dirname(process.execPath)}:${process.env.PATH ?? ''}` };
    const options = { cwd: folder, env, timeout: 60_000, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-euc', custos + block(label)], options);
    return { code: status, out: stdout + stderr };
  }

  before(() => {
    cpSync(path.join(findRoot(), 'policies'), path.join(folder, 'policies'), { recursive: true });
    symlinkSync(path.join(findRoot(), 'node_modules'), path.join(folder, 'node_modules'));
  });

  it('imports a catalogue that passes its cases, is explained, and matches the live server', () => {
    expect(run('catalogue-copy').code).to.equal(0);
    const imported = run('catalogue-import');
    expect(imported.code, imported.out).to.equal(0);
    expect(imported.out).to.contain(block('catalogue-imported'));
    expect(run('catalogue-list').out).to.match(/notes +delete_entities +delete +destructive/);
    writeFileSync(path.join(folder, 'notes-draft', 'tests', 'notes.json'), block('catalogue-cases'));
    const tested = run('catalogue-test');
    expect(tested.out).to.contain(block('catalogue-tested').trim());
    expect(tested.code).to.equal(0);
    expect(run('catalogue-explain').out).to.match(/known +yes/);
    expect(run('catalogue-check')).to.include({ code: 0 });
  });

  it('shows functions of a program whose code is read', async () => {
    const report = (query: string): object => ({ server: 'billing', name: 'report', arguments: { query } });
    expect(
      await verdictsWith('tools/billing.json', block('catalogue-functions'), [
        report('SELECT sum(amount) FROM invoices'),
        report('frobnicate the invoices'),
        { server: 'billing', name: 'refund', arguments: { customer: 'c7' } },
      ]),
    ).to.deep.equal(['ALLOW', 'ESCALATE', 'ESCALATE']);
  });
});

describe('The guide from annotations to policies', () => {
  const block = blocksOf('annotations-to-policies.md');

  it('shows a catalogue that trusts annotations of tools that are not listed, and of no others', async () => {
    const wiki = (name: string, annotations?: object): object => ({
      server: 'wiki',
      name,
      arguments: { page: 'home' },
      ...(annotations && { annotations }),
    });
    expect(
      await verdictsWith('tools/wiki.json', block('trusted'), [
        wiki('search', { readOnlyHint: true }),
        wiki('rename', { destructiveHint: false }),
        wiki('purge_page', { readOnlyHint: true }),
        { ...wiki('search', { readOnlyHint: true }), server: 'other' },
      ]),
    ).to.deep.equal(['ALLOW', 'ALLOW', 'ALLOW', 'ESCALATE']);
  });

  it('shows a policy by which hints make an answer stricter', async () => {
    const log = (annotations?: object): object => ({
      server: 'git',
      name: 'git_log',
      arguments: { repo_path: '/srv/app' },
      ...(annotations && { annotations }),
    });
    const hints = [{ openWorldHint: false }, { openWorldHint: true }, undefined];
    expect(await verdictsWith('open-world.json', block('open-world'), hints.map(log))).to.deep.equal([
      'ALLOW',
      'ESCALATE',
      'ESCALATE',
    ]);
  });

  it('shows a policy about the hosts of URLs', async () => {
    const urls = [
      'https://docs.example.com/a',
      'https://example.com@evil.example/',
      'https://evil.example/example.com',
    ];
    const calls = urls.map((url) => ({ server: 'fetch', name: 'fetch', arguments: { url } }));
    expect(await verdictsWith('web-hosts.json', block('hosts'), calls)).to.deep.equal(['ALLOW', 'DENY', 'DENY']);
  });
});
