// Checks the documentation: links, files, scripts, settings and commands exist, policies load, requests work.
import { execFile, execFileSync } from 'node:child_process';
import { lexiconFile } from '../support/lexicon.ts';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { VARIABLES } from '../../shared/platform/config/table.ts';
import { compileLexicon } from '../../shared/core/intent/lexicon/lexicon.ts';
import { loadPolicySet } from '../../shared/core/policy/load.ts';
import { trustPublishedKeys } from '../../shared/core/proof/keys.ts';
import { verifyReceipt } from '../../shared/core/proof/receipt.ts';
import { parseEvidence } from '../../shared/core/proof/verify.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { type ServiceWithFolder, startServiceWithFolder } from '../support/data-folder.ts';
import { temporaryFolder } from '../support/folders.ts';
import { runProcess } from '../support/process.ts';
import { describeUnless } from '../support/skip.ts';
import { waitFor } from '../support/wait.ts';

const ROOT = findRoot();
/** Generated folders, which are not searched. */
const MADE = ['node_modules', '.git', 'dist', '.build', '.custos', 'coverage'];
/** Variables that documents name but that are not settings of the service. */
const NOT_SETTINGS = [
  'CUSTOS_KEY',
  'CUSTOS_LISTEN_TOKEN',
  'CUSTOS_URL',
  'CUSTOS_LISTEN_TOKEN',
  'CUSTOS_PROPERTY_RUNS',
  'CUSTOS_PROPERTY_SEED',
  'CUSTOS_TEST_DATABASE_URL',
];
/** npm's own commands, as opposed to scripts of package.json. */
const NPM_COMMANDS = ['ci', 'start', 'test', 'run', 'install', 'link', 'pack'];

interface Document {
  /** The path relative to the root. */
  readonly file: string;
  readonly text: string;
  /** The text without its code blocks. */
  readonly prose: string;
  readonly blocks: readonly { readonly language: string; readonly text: string; readonly label: string | undefined }[];
}

function filesOf(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return MADE.includes(entry.name) ? [] : filesOf(file);
    return entry.isFile() ? [file] : [];
  });
}

const FILES = filesOf('.');
/** Matches a fenced block; a comment on the line before it is its label. */
const BLOCK = /(?:<!-- ([\w-]+) -->\n)?^```(\w*)\n([^]*?)^```$/gm;

const DOCUMENTS: readonly Document[] = FILES.filter((file) => file.endsWith('.md')).map((file) => {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return {
    file,
    text,
    prose: text.replaceAll(BLOCK, ''),
    blocks: [...text.matchAll(BLOCK)].map(([, label, language = '', block = '']) => ({ label, language, text: block })),
  };
});

/** All matches of the pattern's first group in all documents, each with its document. */
function mentions(pattern: RegExp, part: 'text' | 'prose' = 'text'): { file: string; found: string }[] {
  return DOCUMENTS.flatMap(({ file, [part]: text }) =>
    [...text.matchAll(pattern)].map(([whole, group]) => ({ file, found: group ?? whole })),
  );
}

/** Fails with every mention that does not pass the check, and when there are no mentions: the pattern is then broken. */
function checkAll(
  found: readonly { file: string; found: string }[],
  holds: (text: string, file: string) => boolean,
): void {
  expect(found, 'mentions').not.to.have.lengthOf(0);
  expect(found.filter((mention) => !holds(mention.found, mention.file))).to.deep.equal([]);
}

function block(file: string, label: string): string {
  const found = DOCUMENTS.find((document) => document.file === file)?.blocks.find((entry) => entry.label === label);
  if (found === undefined) throw new Error(`${file} has no block labelled ${label}`);
  return found.text;
}

function namesBelow(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder)).toSorted();
}

describe('documentation', () => {
  it('links to files that exist', () => {
    checkAll(mentions(/\]\(([^)\s]+)\)/g, 'prose'), (link, file) => {
      if (/^[a-z]+:/.test(link)) return true;
      const [target = ''] = link.split('#');
      return target === '' || existsSync(path.join(ROOT, path.dirname(file), target));
    });
  });

  it('names files and folders of the repository that exist', () => {
    const folders = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const top = folders.map((entry) => entry.name).filter((name) => !MADE.includes(name));
    const names = new Set(FILES.map((file) => path.basename(file)));
    checkAll(mentions(/`([\w.@-]+(?:\/[\w.@*-]+)*\/?)`/g, 'prose'), (text) => {
      const [first = ''] = text.split('/');
      if (text.includes('/')) return !top.includes(first) || existsSync(path.join(ROOT, text.replace(/\*.*$/, '')));
      return !/\.(ts|mjs|md|ya?ml)$/.test(text) || names.has(text);
    });
  });

  it('names a test in every row of the threat model', () => {
    const text = DOCUMENTS.find(({ file }) => file === 'docs/security.md')?.text ?? '';
    // The tamper table has one test for all of its rows, named above the table.
    const [before = '', after = ''] = text
      .split(/^### The tamper table$|^## An attacker with access to the queue/m)
      .toSpliced(1, 1);
    const rows = `${before}\n${after}`
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| what '));
    expect(rows).not.to.have.lengthOf(0);
    expect(rows.filter((row) => !/`test\/[\w/.-]+\.test\.ts`/.test(row))).to.deep.equal([]);
  });

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    checkAll(mentions(/\bnpm run ([\w:-]+)/g), (name) => Object.hasOwn(scripts, name));
    checkAll(mentions(/\bnpm ([a-z][\w-]*)/g), (name) => NPM_COMMANDS.includes(name));
    for (const name of ['start', 'test']) expect(scripts).to.have.property(name);
  });

  it('names settings that exist', () => {
    const known = [...VARIABLES, ...NOT_SETTINGS];
    checkAll(mentions(/\bCUSTOS_[A-Z][A-Z_]*\b/g), (name) => known.includes(name));
  });

  it('names commands of the command line that exist', async () => {
    const help = async (args: readonly string[]): Promise<string> => {
      const running = runProcess('cli/main.js', [...args, '--help']);
      await running.ended;
      return running.stdout();
    };
    const commandsIn = (text: string): string[] => [...text.matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => name);
    const commands = commandsIn(await help([]));
    checkAll(mentions(/(?:npx |`)custos ([a-z]+)/g), (name) => commands.includes(name));
  });

  it('names metrics that exist', () => {
    const sources = FILES.filter((file) => /^(ingress|shared|workers)\/.*\.ts$/.test(file));
    const text = sources.map((file) => readFileSync(path.join(ROOT, file), 'utf8')).join('\n');
    // A name may be a template, for one metric per table.
    const names = [...text.matchAll(/(?:name: |gauge\(\s*|[A-Z]+ = )['`](custos_[^'`]+)['`]/g)].map(
      ([, name = '']) => name,
    );
    const patterns = names.map((name) => new RegExp(`^${name.replace(/\$\{\w+\}/g, '[a-z_]+')}$`));
    // `custos_client` is the package of the Python client.
    checkAll(mentions(/`(custos_(?!client\b)[a-z_]+)/g), (name) => patterns.some((pattern) => pattern.test(name)));
  });

  it('shows valid JSON, and policies that load', () => {
    const lexicon = lexiconFile();
    const blocks = DOCUMENTS.flatMap(({ file, blocks }) =>
      blocks.filter(({ language }) => language === 'json').map(({ text }) => ({ file, text })),
    );
    const policies = blocks.filter(({ text }) => {
      const value = JSON.parse(text) as object;
      return 'rules' in value || 'target' in value;
    });
    expect(policies).not.to.have.lengthOf(0);
    for (const { file, text } of policies) {
      const result = loadPolicySet([{ path: file, text }], lexicon, { compileLexicon });
      expect(result.ok ? [] : result.findings, file).to.deep.equal([]);
    }
  });

  it('links every guide in the README, and has numbered decision records with reasons and rejected alternatives', () => {
    const readme = DOCUMENTS.find(({ file }) => file === 'README.md')?.text ?? '';
    for (const name of namesBelow('docs/guides')) expect(readme).to.contain(`docs/guides/${name}`);
    namesBelow('docs/adr').forEach((name, at) => {
      const number = String(at + 1);
      expect(name, 'numbered without a gap').to.match(new RegExp(`^${number.padStart(4, '0')}-`));
      expect(readFileSync(path.join(ROOT, 'docs/adr', name), 'utf8')).to.match(
        new RegExp(`^# ${number}\\. [^]*\\*\\*Decided\\.\\*\\*[^]*\\*\\*Why\\.\\*\\*[^]*\\*\\*Refused\\.\\*\\*`),
      );
    });
  });
});

function missingCurl(): string | undefined {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'curl is not on the PATH; Debian: apt-get install curl';
  }
}

describeUnless(missingCurl(), 'requests in the documentation', () => {
  let custos: ServiceWithFolder;
  /** Runs lines of a document in a shell, with the address replaced by the test service's. */
  const shell = async (lines: string): Promise<string> => {
    const script = lines
      .replaceAll('http://127.0.0.1:3000', custos.address)
      .replaceAll('.custos/bootstrap-key', path.join(custos.dataDir, 'bootstrap-key'));
    const { stdout } = await promisify(execFile)('/bin/sh', ['-euc', script], { timeout: 60_000 });
    return stdout;
  };

  before(async () => {
    custos = await startServiceWithFolder();
  });
  after(async () => {
    await custos.close();
  });

  interface Answer {
    readonly verdict: string;
    readonly allowed: boolean;
    readonly reasons: readonly { readonly code: string }[];
    readonly trust: Readonly<Record<string, unknown>>;
    readonly intent: Readonly<Record<string, unknown>>;
  }

  it("the README's first request gives the answer shown there", async () => {
    const shown = JSON.parse(block('README.md', 'first-answer')) as Answer;
    const answer = JSON.parse(await shell(block('README.md', 'first-request'))) as Answer;
    const codes = ({ reasons }: Answer): string[] => reasons.map(({ code }) => code);
    expect(answer.verdict).to.equal(shown.verdict);
    expect(answer.allowed).to.equal(shown.allowed);
    expect(codes(answer)).to.deep.equal(codes(shown));
    expect(answer.reasons).to.deep.equal(shown.reasons);
    expect(answer.trust).to.deep.include(shown.trust);
    expect(answer.intent).to.deep.include(shown.intent);
  });

  it('the guide on submitting work takes a registered agent from DENY to ALLOW', async () => {
    const guide = 'docs/guides/submit-work.md';
    const setting = `export CUSTOS=${custos.address} KEY=${custos.service.adminKey}\n`;
    const run = async (label: string): Promise<string> => shell(setting + block(guide, label));
    expect(JSON.parse(await run('register'))).to.include({ agentId: 'price-bot', status: 'ACTIVE' });
    const before = JSON.parse(await run('ask-price')) as Answer;
    expect(before.verdict).to.equal('DENY');
    expect(before.reasons.map(({ code }) => code)).to.include('TRUST_TOO_LOW');
    expect(JSON.parse(await run('earn')))
      .to.have.property('signalIds')
      .with.lengthOf(10);
    const after = await waitFor(
      async () => {
        const answer = JSON.parse(await run('ask-price')) as Answer;
        return answer.verdict === 'ALLOW' ? answer : undefined;
      },
      { timeoutMs: 30_000, intervalMs: 200, what: 'the trust to count' },
    );
    expect(after.trust).to.include({ score: 625, effective_level: 3 });
  }).timeout(60_000);

  it('the guide on submitting work shows requests that are accepted, with the results that it promises', async () => {
    const guide = DOCUMENTS.find(({ file }) => file === 'docs/guides/submit-work.md');
    const lines = (guide?.blocks ?? []).filter(({ language }) => language === 'sh').map(({ text }) => text);
    const requests = lines.join('\n');
    const count = requests.match(/^curl/gm)?.length ?? 0;
    expect(count).to.be.at.least(8);
    const run = async (): Promise<string[]> =>
      (await shell(requests.replaceAll(/^curl/gm, `curl -w '\\n'`))).trim().split('\n');
    // Sent repeatedly until all work is done: every request is idempotent.
    await waitFor(
      async () => {
        const all = await run();
        return /"status":"decided"/.test(all.join()) && /custos\.trust/.test(all.at(-1) ?? '');
      },
      { timeoutMs: 60_000, intervalMs: 200, what: 'all work to be done' },
    );
    // Sent once more: an earlier line's answer may predate the effect of the last line.
    const answers = await run();
    expect(answers).to.have.lengthOf(count);
    for (const answer of answers) expect(JSON.parse(answer), answer).not.to.have.property('code');
    const trust = answers.map((answer) => JSON.parse(answer) as object).find((answer) => 'evidence' in answer);
    expect(trust, 'repeated signals count once').to.have.nested.property('asOf.signals', 2);
  }).timeout(120_000);

  it('the guide on verifying a receipt fetches one that verifies with the keys fetched, in both forms', async () => {
    const key = custos.service.adminKey;
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const body = JSON.stringify({ proofId: 'docs-1', entityId: 'docs', event: 'read', payload: {} });
    expect((await fetch(`${custos.address}/v1/proofs`, { method: 'POST', headers, body })).status).to.equal(202);
    await waitFor(
      async () => (await fetch(`${custos.address}/v1/proofs/docs-1`, { headers })).status === 200 || undefined,
      { timeoutMs: 60_000, intervalMs: 100, what: 'the receipt' },
    );
    const guide = DOCUMENTS.find(({ file }) => file === 'docs/guides/verify-a-receipt.md');
    const lines = guide?.blocks.find(({ text }) => text.includes('curl '))?.text ?? '';
    const folder = temporaryFolder('docs');
    await shell(`cd '${folder}'; KEY=${key}; CUSTOS=${custos.address}; PROOF_ID=docs-1\n${lines}`);
    const keys = trustPublishedKeys(JSON.parse(readFileSync(path.join(folder, 'keys.json'), 'utf8')));
    for (const name of ['receipt.json', 'receipt.tlog-proof']) {
      const evidence = parseEvidence(readFileSync(path.join(folder, name)));
      if (evidence.kind !== 'receipt') throw new Error(`${name} is no receipt`);
      expect(verifyReceipt(evidence.receipt, keys), name).to.include({ ok: true, proofId: 'docs-1' });
    }
  }).timeout(120_000);

  it('the guide to tool calls asks questions that have the answers shown there', async () => {
    const guide = 'docs/guides/tool-calls.md';
    const lines = (await shell(block(guide, 'tool-calls'))).trim().split('\n');
    const told = lines.map((line) => {
      const { code, verdict, reasons = [] } = JSON.parse(line) as Partial<Answer> & { code?: string };
      return code ?? [verdict, ...reasons.map((reason) => reason.code)].join(' ');
    });
    expect(told).to.deep.equal(block(guide, 'tool-answers').trim().split('\n'));
  });

  it('the guide to replays sends a draft with everything that its folder has', async () => {
    const guide = DOCUMENTS.find(({ file }) => file === 'docs/guides/replay-and-shadow.md');
    const lines = guide?.blocks.find(({ text }) => text.includes('/v1/policies/replay'))?.text ?? '';
    const { draft } = JSON.parse(await shell(lines)) as { draft: { digest: string } };
    const headers = { 'x-api-key': custos.service.adminKey };
    const active = (await (await fetch(`${custos.address}/v1/policies`, { headers })).json()) as { digest: string };
    expect(draft.digest).to.equal(active.digest);
  });

  it('every other curl line is a valid request to the service', async () => {
    const others = [
      'README.md',
      'docs/guides/submit-work.md',
      'docs/guides/tool-calls.md',
      'docs/guides/verify-a-receipt.md',
    ];
    const guides = DOCUMENTS.filter(({ file }) => !others.includes(file));
    const scripts = guides.flatMap(({ file, blocks }) =>
      blocks
        .filter(({ language, text }) => language === 'sh' && text.includes('curl '))
        .map(({ text }) => ({ file, text })),
    );
    expect(scripts).not.to.have.lengthOf(0);
    for (const { file, text } of scripts) expect(JSON.parse(await shell(text)), file).not.to.have.property('code');
  });

  it('every endpoint that a document names exists', async () => {
    const answer = await fetch(`${custos.address}/openapi.json`);
    const { paths } = (await answer.json()) as { paths: Record<string, object> };
    const served = Object.entries(paths).flatMap(([route, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${route.replaceAll(/\{\w+\}/g, '{}')}`),
    );
    const named = mentions(/`((?:GET|POST|PATCH|DELETE) \/[\w/{}-]+)/g).map(({ file, found }) => ({
      file,
      found: found.replaceAll(/\{\w+\}/g, '{}'),
    }));
    checkAll(named, (endpoint) => served.includes(endpoint));
  });
});
