// One message for one problem: `custos policy check`, the worker that loads the folder and POST /v1/policies/validate agree.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { smallLexicon } from '../../support/lexicon.ts';
import path from 'node:path';
import { expect } from 'chai';
import { MAX_FILE_BYTES } from '../../../shared/core/policy/files.ts';
import { pino } from 'pino';
import { checkFolder } from '../../../cli/policy/findings.ts';
import { policyRoutes, type PolicyDeps } from '../../../ingress/routes/policies.ts';
import type { Database, Sql, Statement } from '../../../shared/platform/db/database.ts';
import { ofOrganisation } from '../../../shared/domain/keys/operator.ts';
import { readPolicyFolder } from '../../../shared/domain/policy-sets/folder.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { applyFolder } from '../../../workers/policies.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { TEST_SEALS } from '../../support/seals.ts';

interface Reported {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly message: string;
}

const reportedOf = ({ file, line, column, code, message }: Reported): Reported => ({
  file,
  line,
  column,
  code,
  message,
});

const comparison = { fact: 'trust', path: 'level', operator: 'lessThan', value: 4 };
const policyOf = (conditions: unknown, changes: object = {}): string =>
  JSON.stringify(
    {
      id: 'bad',
      description: 'A policy that is refused.',
      stage: 'enforce',
      target: { actions: ['delete'], resources: ['db/ledger/*'] },
      rules: [{ name: 'only', conditions, event: { type: 'DENY', params: { code: 'NO', message: 'no' } } }],
      ...changes,
    },
    null,
    2,
  );
const compared = (changes: object): string => policyOf({ all: [{ ...comparison, ...changes }] });

const BAD: Readonly<Record<string, { readonly text: string; readonly code: string; readonly says: RegExp }>> = {
  'a file of 10 MB': { text: `${' '.repeat(10 * 1_048_576)}{}`, code: 'TOO_LARGE', says: /larger than 2 MB/ },
  'a named condition that nothing defines': {
    text: policyOf({ all: [{ condition: 'is-untrusted' }] }),
    code: 'UNKNOWN_TERM',
    says: /no condition "is-untrusted"/,
  },
  'a regular expression that would blow up': {
    text: compared({ fact: 'intent', path: 'object', operator: 'matchesRegex', value: '^(a+)+$' }),
    code: 'UNKNOWN_OPERATOR',
    says: /did you mean "matches/,
  },
  'a JSONPath filter that would blow up': {
    text: compared({ fact: 'context', path: '$.items[?(@.name=~/^(a+)+$/)]' }),
    code: 'UNKNOWN_FACT',
    says: /no JSONPath/,
  },
  'an unknown fact': { text: compared({ fact: 'trusst' }), code: 'UNKNOWN_FACT', says: /did you mean "trust"\?/ },
  'an unknown path': { text: compared({ path: 'levle' }), code: 'UNKNOWN_FACT', says: /did you mean "trust.level"\?/ },
  'an unknown operator': {
    text: compared({ operator: '<' }),
    code: 'UNKNOWN_OPERATOR',
    says: /did you mean "lessThan"\?/,
  },
  'a value of the wrong type': { text: compared({ value: '4' }), code: 'BAD_VALUE', says: /must be a number/ },
  'text that is no JSON': { text: '{ "id": ', code: 'NOT_JSON', says: /unexpected end/ },
  'a rule that can never count': {
    text: policyOf({ all: [comparison, { ...comparison, operator: 'greaterThan' }] }),
    code: 'NEVER_TRUE',
    says: /exclude each other/,
  },
  'an id that another file has': {
    text: policyOf({ all: [comparison] }, { id: 'reads' }),
    code: 'DUPLICATE_ID',
    says: /also that of a\/reads.json/,
  },
};

const shipped = (name: string): string => readFileSync(path.join(findRoot(), 'policies', name), 'utf8');

function folderWith(text: string): string {
  const dir = temporaryFolder('words');
  mkdirSync(path.join(dir, 'a'));
  writeFileSync(path.join(dir, 'lexicon.json'), smallLexicon().text);
  writeFileSync(path.join(dir, 'a', 'reads.json'), shipped('reads.json'));
  writeFileSync(path.join(dir, 'bad.json'), text);
  return dir;
}

/** The stored result of a folder: the values of the one statement with these words. */
async function storedBy(dir: string, words: string): Promise<readonly unknown[]> {
  const stored: (readonly unknown[])[] = [];
  const state = { only_row: true, active_digest: null, activated_at: null, version: 1, seal: null, seal_floor: null };
  const sql = {
    seals: TEST_SEALS,
    query: (statement: Statement, values: readonly unknown[]) => {
      if (statement.includes(words)) stored.push(values);
      return Promise.resolve(statement.includes('FROM policy_proposal') ? [] : [{ seq: '1' }]);
    },
    select: () => Promise.resolve([state]),
  };
  // The parts of a database that loading a folder uses: statements in a transaction.
  const db = {
    ...sql,
    transaction: (work: (of: Sql) => Promise<unknown>) => work(sql as unknown as Sql),
  } as unknown as Database;
  await applyFolder({ db, nowMs: Date.now, logger: pino({ level: 'silent' }) }, await readPolicyFolder(dir));
  expect(stored, `statements with ${words}`).to.have.lengthOf(1);
  return stored[0] ?? [];
}

async function byWorker(dir: string): Promise<Reported[]> {
  const [, findings] = await storedBy(dir, 'read_ok = false');
  return (JSON.parse(String(findings)) as Reported[]).map(reportedOf);
}

interface Validated {
  readonly valid: boolean;
  readonly digest: string | null;
  readonly findings: readonly Reported[];
}

async function validated(dir: string): Promise<Validated> {
  const folder = await readPolicyFolder(dir);
  // Without the active set, because a lexicon is among the files; only the organisations are read from the database.
  const routes = policyRoutes({ db: { query: () => Promise.resolve([]) } } as unknown as PolicyDeps);
  const route = routes.find((one) => one.path === '/v1/policies/validate');
  const request = {
    key: { ...ofOrganisation({ isOperator: true }), environment: 'live', scopes: new Set(['admin:*']), agentIds: null },
    body: { files: [...folder.policies, folder.lexicon] },
  };
  const reply = await route?.handler(request as never);
  // The response schema of the route.
  return reply?.body as Validated;
}

async function byRoute(dir: string): Promise<Reported[]> {
  const { valid, findings } = await validated(dir);
  expect(valid).to.equal(false);
  return findings.map(reportedOf);
}

async function byCommand(dir: string): Promise<Reported[]> {
  const { findings } = await checkFolder(dir);
  return findings.map((finding) => reportedOf({ ...finding, file: path.relative(dir, path.resolve(finding.file)) }));
}

describe('a problem in a policy folder', () => {
  for (const [name, { text, code, says }] of Object.entries(BAD))
    it(`${name}: check, load and POST /v1/policies/validate report the same, at the same position`, async () => {
      const dir = folderWith(text);
      const reported = await byWorker(dir);
      expect(reported.map((finding) => finding.code)).to.include(code);
      expect(reported.map(({ message }) => message).join('\n')).to.match(says);
      expect(await byRoute(dir)).to.deep.equal(reported);
      expect(await byCommand(dir)).to.deep.equal(reported);
    });

  it('a file that is not text: check and load report the same, once each, for the lexicon too', async () => {
    const dir = folderWith('{}');
    writeFileSync(
      path.join(dir, 'bad.json'),
      Buffer.from(policyOf({ all: [comparison] }, { id: 'caf\u00e9' }), 'latin1'),
    );
    writeFileSync(path.join(dir, 'lexicon.json'), Buffer.from('{ "verbs": [] }', 'utf16le'));
    symlinkSync('nowhere', path.join(dir, 'gone.json'));
    const reported = await byWorker(dir);
    expect(reported.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`)).to.deep.equal([
      'bad.json:2:13 is not UTF-8 text: save it as UTF-8',
      "gone.json:1:1 can't be read: the target of the link does not exist",
      'lexicon.json:1:1 is UTF-16 text: save it as UTF-8',
    ]);
    expect(await byCommand(dir)).to.deep.equal(reported);
  });

  it('a file that resembles a test file is reported, and changes the output of --watch', async () => {
    const dir = folderWith(policyOf({ all: [comparison] }));
    const before = await checkFolder(dir);
    expect(before.findings).to.deep.equal([]);
    mkdirSync(path.join(dir, 'tests'));
    symlinkSync('nowhere', path.join(dir, 'tests', 'gone.json'));
    const gone = await checkFolder(dir);
    writeFileSync(path.join(dir, 'tests', 'latin1.json'), Buffer.from('{ "name": "\u00e9" }', 'latin1'));
    writeFileSync(path.join(dir, 'tests', 'notes.json.txt'), '{}');
    const all = await checkFolder(dir);
    expect(
      all.findings.map(({ file, column, message }) => `${path.basename(file)}:${column} ${message}`),
    ).to.deep.equal([
      "gone.json:1 can't be read: the target of the link does not exist",
      'latin1.json:12 is not UTF-8 text: save it as UTF-8',
      'notes.json.txt:1 is ignored: the name of a test file must end in ".json"',
    ]);
    expect(new Set([before, gone, all].map(({ fingerprint }) => fingerprint)).size).to.equal(3);
  });

  it('a warning is stored with the activated set, and reported by check and validate', async () => {
    const rules = [2, 4].map((value) => ({
      name: `below-${value}`,
      conditions: { all: [{ ...comparison, value }] },
      event: { type: 'DENY', params: { code: 'NO', message: 'no' } },
    }));
    const dir = folderWith(policyOf({}, { rules }));
    const [, digest, , , , , , , , stored] = await storedBy(dir, 'UPDATE policy_state SET active_digest');
    const [warning, ...others] = JSON.parse(String(stored)) as (Reported & {
      severity: string;
      hint: string;
      example: string;
    })[];
    expect(others).to.deep.equal([]);
    expect(warning).to.include({ file: 'bad.json', severity: 'warning', code: 'SHADOWED' });
    expect(warning?.hint).to.contain('remove the rule');
    expect(warning?.example).to.contain('delete:db/ledger/example');
    const checked = await checkFolder(dir);
    expect(checked.digest).to.equal(digest);
    expect(checked.findings.map(({ message }) => message)).to.deep.equal([warning?.message]);
    expect(await validated(dir)).to.deep.include({ valid: true, digest, findings: [warning] });
  });

  it('a file of 10 MB is not read completely', async () => {
    const dir = folderWith(BAD['a file of 10 MB']?.text ?? '');
    const { policies } = await readPolicyFolder(dir);
    const read = policies.find((file) => file.path === 'bad.json');
    expect(read?.text.length).to.equal(MAX_FILE_BYTES + 1);
  });
});
