// `custos log` and `custos audit`: export, offline audit, detection of altered files, refusals.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { createCheckpointKeeper } from '../../shared/domain/ledger/kept.ts';
import { publishKey } from '../../shared/core/proof/keys.ts';
import { runCommand } from '../support/command.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { temporaryFolder } from '../support/folders.ts';
import { TEST_PEPPER } from '../support/process.ts';
import { bootstrap } from '../support/service.ts';
import { type LogUnderTest, logUnderTest, newKey } from '../service/audit-setup.ts';

describe('custos log and custos audit', () => {
  const folder = temporaryFolder('log-cli');
  const kept = path.join(folder, 'kept');
  let database: TestDatabase;
  let db: Database;
  let log: LogUnderTest;
  let exported: string;
  let slug: string;

  const custos = (...args: string[]) => {
    const env = { DATABASE_URL: database.url, CUSTOS_PEPPER: TEST_PEPPER, CUSTOS_CHECKPOINT_DIR: kept };
    return runCommand(args, env);
  };
  const file = (name: string, text: string): string => {
    const at = path.join(folder, name);
    writeFileSync(at, text);
    return at;
  };
  const of = () => ['--organisation', slug, '--environment', 'live'];

  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url, { queryTimeoutMs: 30_000 });
    const { operatorId } = await bootstrap(db);
    const [row] = await db.query<{ slug: string }>('SELECT slug FROM organisation', []);
    slug = row?.slug ?? '';
    log = logUnderTest({ db, organisationId: operatorId, slug, keeper: createCheckpointKeeper(kept) });
    await log.tamper('DELETE FROM record; DELETE FROM log_inbox');
    for (const label of ['a', 'b', 'c']) {
      await log.fill(100, label);
      await log.append();
      await log.publish();
    }
    await log.fill(3, 'unsigned');
    await log.append();
    const { code, stdout, stderr } = await custos('log', 'export', ...of());
    expect([code, stderr]).to.deep.equal([0, `Exported 303 leaves of custos.local/${slug}/live.\n`]);
    exported = stdout;
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  it('export a log that passes the audit, also with keys from another source', async () => {
    const whole = file('whole.jsonl', exported);
    const own = await custos('audit', '--keys-in-file', whole);
    expect(own.code, own.stderr).to.equal(0);
    expect(own.stdout).to.include('CONSISTENT').and.include('Not verified').and.not.include('OK');
    expect(own.stdout)
      .to.include('303 leaves in 5 chains lead to 3 signed checkpoints')
      .and.include('The last 3 leaves are not signed yet');
    const keys = file(
      'keys.json',
      JSON.stringify([publishKey(log.key, { origin: `custos.local/${slug}/live`, use: 'log' })]),
    );
    const trusted = await custos('audit', '--keys', keys, '--json', whole);
    expect([trusted.code, JSON.parse(trusted.stdout)[0].signedSize]).to.deep.equal([0, 300]);
    expect((await custos('audit', '--keys', keys, whole)).stdout).to.include('OK');
    for (const [args, sentence] of [
      [[whole], 'No key is trusted'],
      [['--keys', keys, '--keys-in-file', whole], '--keys-in-file is for'],
    ] as const) {
      const { code, stderr } = await custos('audit', ...args);
      expect([code, stderr.includes(sentence)], sentence).to.deep.equal([2, true]);
    }
    const { vkey } = publishKey(newKey(), { origin: `custos.local/${slug}/live`, use: 'log' });
    const others = await custos('audit', '--vkey', vkey, whole);
    expect([others.code, others.stdout]).to.satisfy(
      ([code, out]: [number, string]) => code === 1 && out.includes('ALTERED (checkpoint-signature)'),
    );
    expect(others.stdout).not.to.include('You gave no key of');
    const { vkey: ofTest } = publishKey(newKey(), { origin: `custos.local/${slug}/test`, use: 'log' });
    const another = await custos('audit', '--vkey', ofTest, whole);
    expect([another.code, another.stdout]).to.satisfy(
      ([code, out]: [number, string]) =>
        code === 1 && out.includes(`You gave no key of custos.local/${slug}/live. GET /v1/log/keys lists`),
    );
  });

  it('name each alteration of an exported file, with exit code 1', async () => {
    const lines = exported.trimEnd().split('\n');
    const record = (line: string, change: (text: string) => string): string => {
      const { index, record } = JSON.parse(line);
      return JSON.stringify({
        index,
        record: Buffer.from(change(Buffer.from(record, 'base64').toString())).toString('base64'),
      });
    };
    const changes: readonly [string, (all: string[]) => string[], string][] = [
      [
        'edited',
        (all) =>
          all.with(
            51,
            record(all[51] ?? '', (text) => text.replace('"i":50', '"i":51')),
          ),
        'root-mismatch',
      ],
      [
        'reordered',
        (all) =>
          all
            .with(51, (all[52] ?? '').replace('"index":51', '"index":50'))
            .with(52, (all[51] ?? '').replace('"index":50', '"index":51')),
        'root-mismatch',
      ],
      ['cut', (all) => [...all.slice(0, 250), ...all.slice(304)], 'checkpoint-beyond-log'],
      ['gap', (all) => all.toSpliced(100, 1), 'file-malformed'],
      ['note', (all) => all.with(305, (all[305] ?? '').replace('\\n200\\n', '\\n199\\n')), 'checkpoint-signature'],
      ['empty', () => [''], 'file-malformed'],
    ];
    for (const [name, change, kind] of changes) {
      const { code, stdout } = await custos(
        'audit',
        '--keys-in-file',
        file(`${name}.jsonl`, `${change([...lines]).join('\n')}\n`),
      );
      expect(code, name).to.equal(1);
      expect(stdout, name).to.include(`ALTERED (${kind})`);
    }
    expect((await custos('audit', '--keys-in-file', path.join(folder, 'none.jsonl'))).code).to.equal(2);
  });

  it('refuse unknown logs, unusable key files, and a fork of a log that is not halted, with a message', async () => {
    for (const [args, expectedCode, sentence] of [
      [['log', 'export', '--organisation', 'nobody', '--environment', 'live'], 2, /no organisation "nobody"/],
      [['log', 'export', '--organisation', slug, '--environment', 'test'], 2, /no such log/],
      [['log', 'export', '--organisation', slug, '--environment', 'prod'], 2, /Allowed choices are live, test, dev/],
      [['log', 'fork', ...of()], 1, /not halted/],
      [['log', 'rotate-key', '--to', file('no-key.pem', 'nonsense')], 2, /not a private key/],
      [['log', 'rotate-key', '--to', path.join(folder, 'absent.pem')], 2, /cannot be read \(ENOENT\)/],
    ] as const) {
      const { code, stderr } = await custos(...args);
      expect([code, sentence.test(stderr)], stderr).to.deep.equal([expectedCode, true]);
      expect(stderr).not.to.include('    at ');
    }
  });

  it('list logs, fork a halted log and change its key', async () => {
    await log.sql("UPDATE log SET halted_reason = 'for the test'");
    expect((await custos('log', 'list')).stdout).to.match(/live +1 +303 +0 +not yet +halted/);
    const fork = await custos('log', 'fork', ...of());
    expect([fork.code, fork.stdout]).to.deep.equal([0, `custos.local/${slug}/live/2\n`]);
    const pem = newKey().export({ type: 'pkcs8', format: 'pem' }).toString();
    const rotated = await custos('log', 'rotate-key', '--to', file('new.pem', pem));
    expect(rotated.code, rotated.stderr).to.equal(0);
    const json = JSON.parse((await custos('log', 'list', '--json')).stdout);
    expect(json.map((one: { generation: number; size: number }) => [one.generation, one.size])).to.deep.equal([
      [1, 303],
      [2, 0],
    ]);
    expect(readFileSync(path.join(folder, 'whole.jsonl'), 'utf8')).to.equal(
      (await custos('log', 'export', '--generation', '1', ...of())).stdout.replace(/"lastSize":300/, '"lastSize":null'),
    );
  });
});
