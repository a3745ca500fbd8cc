// The settings: defaults, the message for each invalid value, and the table that documents them.
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { share } from '../../shared/platform/config/forms.ts';
import {
  ConfigError,
  metricsArePublic,
  readConfig,
  requireIngress,
  requireStore,
  requireWorkers,
} from '../../shared/platform/config/config.ts';
import { findPlaces } from '../../shared/platform/config/root.ts';
import { SETTING_TABLE } from '../../shared/platform/config/table.ts';
import { readTlsFiles } from '../../shared/platform/config/tls-files.ts';
import { OperatorError } from '../../shared/kernel/operator-error.ts';
import { checkTls } from '../../cli/doctor/machine.ts';
import { readKeyFile } from '../../shared/domain/ledger/key-file.ts';
import { RATE_LIMIT_TABLE } from '../../shared/kernel/vocabulary.ts';
import { FIRST } from '../support/certificates.ts';
import { temporaryFolder } from '../support/folders.ts';

const places = { root: '/srv/custos', cwd: '/home/ada', home: '/srv/custos' };
const pepper = 'p'.repeat(32);
const databaseUrl = 'postgres://custos:hush@db.internal:5432/custos';

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env, places);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

function catchConfigError(work: () => unknown): ConfigError {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('readConfig', () => {
  it('may name several PostgreSQL servers', () => {
    const several = 'postgres://custos:hush@[::1]:5432,b,c:5433/custos?target_session_attrs=read-write';
    expect(readConfig({ DATABASE_URL: several, CUSTOS_PEPPER: pepper }, places).databaseUrl).to.equal(several);
    const spaced = { DATABASE_URL: ` ${databaseUrl}\n`, CUSTOS_PEPPER: pepper, REDIS_URL: 'redis://redis.internal ' };
    expect(readConfig(spaced, places)).to.include({ databaseUrl, redisUrl: 'redis://redis.internal' });
  });

  it('gives every setting its documented default when nothing is set', () => {
    expect(readConfig({}, places)).to.deep.equal({
      host: '127.0.0.1',
      port: 3000,
      dataDir: '/srv/custos/.custos',
      policyApprovals: false,
      policyDir: '/srv/custos/policies',
      policyApprovers: undefined,
      policyQuorum: 1,
      policySigners: undefined,
      shadowPolicyDir: undefined,
      shadowShare: 1,
      bootstrapKey: undefined,
      databaseUrl: undefined,
      migrationDatabaseUrl: undefined,
      databasePool: 10,
      redisUrl: undefined,
      pepper: undefined,
      pepperPrevious: undefined,
      signingKeyFile: undefined,
      promiseKeyFile: undefined,
      maxMergeDelaySeconds: 3_600,
      checkpointDir: undefined,
      tlsCertFile: undefined,
      tlsKeyFile: undefined,
      trustProxy: undefined,
      rateLimit: true,
      rateLimits: RATE_LIMIT_TABLE,
      metrics: undefined,
      queueAdmin: false,
      trustDailyCap: 10_000,
      approvalTtlMs: 3_600_000,
      keepDecisionsMs: undefined,
      keepFactsMs: undefined,
      keepIntentsMs: undefined,
      keepSignalsMs: undefined,
      keepJobsMs: undefined,
      keepDeliveriesMs: 604_800_000,
      keepApprovalsMs: undefined,
      keepActionsMs: undefined,
      keepTextsMs: undefined,
      webhookAllowPrivate: [],
      logHost: 'custos.local',
      publicUrl: undefined,
      readerKey: undefined,
      readerModel: undefined,
      readerTimeoutMs: 2000,
      readerUrl: undefined,
      logLevel: 'info',
      ingressCount: 'auto',
      ingressPort: undefined,
      workersCount: 'auto',
      backlogShare: 0.2,
      logRequests: 'slow',
      logSlowMs: 1_000,
      traceEndpoint: undefined,
      traceShare: 1,
      workersPort: undefined,
      shutdownTimeoutMs: 25_000,
    });
  });

  it('resolves given folders against the working directory, also those with the name of a default', () => {
    expect(readConfig({ CUSTOS_DATA_DIR: 'data' }, places).dataDir).to.equal('/home/ada/data');
    expect(readConfig({ CUSTOS_DATA_DIR: '.custos' }, places).dataDir).to.equal('/home/ada/.custos');
    expect(readConfig({ CUSTOS_POLICY_DIR: '/etc/custos' }, places).policyDir).to.equal('/etc/custos');
  });

  describe('the default folders', () => {
    const folder = temporaryFolder('places');
    const dirsOf = (cwd: string, root: string): string[] => {
      const { dataDir, policyDir } = readConfig({}, findPlaces(cwd, root));
      return [path.relative(folder, dataDir), path.relative(folder, policyDir)];
    };
    const [checkout, installed] = ['checkout', 'installed'].map((name) => path.join(folder, name)) as [string, string];
    for (const name of ['checkout/policies', 'installed/policies', 'empty', 'own/policies', 'broken'])
      mkdirSync(path.join(folder, name), { recursive: true });
    writeFileSync(path.join(checkout, 'tsconfig.json'), '{}');
    symlinkSync('nowhere', path.join(folder, 'broken', 'policies'));

    it('are those of a checkout, wherever it is started', () => {
      for (const cwd of [checkout, path.join(folder, 'own'), path.join(folder, 'empty')])
        expect(dirsOf(cwd, checkout)).to.deep.equal(['checkout/.custos', 'checkout/policies']);
    });

    it('of an installed package are in the folder in which it is started; only if that has no policies, they are its own', () => {
      const from = (name: string): string[] => dirsOf(path.join(folder, name), installed);
      expect(from('empty')).to.deep.equal(['empty/.custos', 'installed/policies']);
      expect(from('own')).to.deep.equal(['own/.custos', 'own/policies']);
      expect(from('broken'), 'policies that were lost are an error').to.deep.equal([
        'broken/.custos',
        'broken/policies',
      ]);
    });

    it('never have data where npm deletes folders', () => {
      const inside = {
        root: '/app/node_modules/custos',
        cwd: '/app/node_modules/custos',
        home: '/app/node_modules/custos',
      };
      expect(() => readConfig({}, inside)).to.throw(ConfigError, 'CUSTOS_DATA_DIR must not be below node_modules');
      expect(readConfig({ CUSTOS_DATA_DIR: '/data' }, inside).dataDir).to.equal('/data');
    });
  });

  it('treats an empty value as unset', () => {
    expect(readConfig({ REDIS_URL: '', PORT: '' }, places)).to.include({ redisUrl: undefined, port: 3000 });
  });

  it('reads every secret from the file that NAME_FILE names, without the line break at its end', () => {
    const folder = temporaryFolder('secrets');
    const secrets: Record<string, string> = {
      CUSTOS_BOOTSTRAP_KEY: `cst_live_${'a'.repeat(8)}_${'b'.repeat(43)}_${'c'.repeat(6)}`,
      DATABASE_URL: databaseUrl,
      CUSTOS_MIGRATION_DATABASE_URL: databaseUrl,
      REDIS_URL: 'rediss://:hush@redis.internal',
      CUSTOS_PEPPER: pepper,
      CUSTOS_PEPPER_PREVIOUS: 'q'.repeat(32),
      CUSTOS_READER_KEY: 'sk-reader',
    };
    expect(SETTING_TABLE.filter(({ secret }) => secret).map(({ name }) => name)).to.deep.equal(Object.keys(secrets));
    const env = Object.entries(secrets).map(([name, text]) => {
      writeFileSync(path.join(folder, name), `${text}\n`);
      return [`${name}_FILE`, path.relative(folder, path.join(folder, name))];
    });
    const fromFiles = readConfig(Object.fromEntries(env), { root: '/srv/custos', cwd: folder });
    expect(fromFiles).to.deep.equal(readConfig(secrets, { root: '/srv/custos', cwd: folder }));
    expect(fromFiles).to.include({ databaseUrl, pepper });
    writeFileSync(path.join(folder, 'empty'), '\n');
    expect(problemsOf({ REDIS_URL_FILE: path.join(folder, 'empty') })[0]).to.match(/which is empty\.$/);
  });

  it('ignores variables without the prefix CUSTOS_', () => {
    expect(problemsOf({ HOME: '/home/ada', PGHOST: 'elsewhere', CUSTOSX: '1' })).to.deep.equal([]);
  });

  it('leaves the variables of commands that call a service alone, so that one shell can run all commands', () => {
    expect(
      problemsOf({ CUSTOS_URL: 'http://127.0.0.1:3000', CUSTOS_KEY: 'cst_live_x', CUSTOS_LISTEN_TOKEN: 'x' }),
    ).to.deep.equal([]);
  });

  it('refuses an unknown CUSTOS_ name and suggests the nearest', () => {
    expect(problemsOf({ CUSTOS_LOG_LEVLE: 'info', CUSTOS_COLOUR: 'blue' })).to.deep.equal([
      'CUSTOS_LOG_LEVLE is not a setting of this version; did you mean CUSTOS_LOG_LEVEL?',
      'CUSTOS_COLOUR is not a setting of this version.',
    ]);
  });

  it('reports all problems at once', () => {
    expect(problemsOf({ PORT: 'http', CUSTOS_RATE_LIMIT: 'no', CUSTOS_NEW: '' })).to.have.lengthOf(3);
  });

  const ABSURD = ['-1', '1e9', 'NaN', '1.5', '{', 'a\nb', 'ü\u202e', '__proto__', '9'.repeat(400), 'x'.repeat(100_000)];
  for (const { name } of SETTING_TABLE)
    it(`answers any absurd value of ${name} with nothing but short sentences that name it`, () => {
      for (const value of ABSURD)
        for (const sentence of problemsOf({ [name]: value })) {
          expect(sentence).to.match(/^[^\p{Cc}\p{Cf}]{10,500}\.$/u);
          // Together with another setting a value may be a conflict.
          expect(sentence).to.include(name);
        }
    });

  const refused: readonly [env: Record<string, string>, sentence: RegExp][] = [
    [{ CUSTOS_PEPPER: ' '.repeat(40) }, /^CUSTOS_PEPPER must have 32 to 512 characters/],
    [{ PORT: '65536' }, /^PORT must be a whole number from 0 to 65535, not "65536"\.$/],
    [{ PORT: '-1' }, /^PORT must/],
    [{ PORT: '3e3' }, /^PORT must/],
    [{ HOST: 'not a host' }, /^HOST must be a host name/],
    [
      { DATABASE_URL: 'mysql://x/y', CUSTOS_PEPPER: pepper },
      /^DATABASE_URL must be an address that begins with postgres:\/\//,
    ],
    [
      { DATABASE_URL: 'postgres://a,b/custos?target_session_attrs=standby', CUSTOS_PEPPER: pepper },
      /^DATABASE_URL must name a server that accepts writes: target_session_attrs can be read-write, primary, any\.$/,
    ],
    [{ DATABASE_URL: 'postgres://a:1,b:x/custos', CUSTOS_PEPPER: pepper }, /^DATABASE_URL must be an address/],
    ...['p/w', 'p?w', 'p#w', '12/w', '12#w', 'p@s/w'].map((password): [Record<string, string>, RegExp] => [
      { DATABASE_URL: `postgres://custos:${password}@db.internal:5432/custos`, CUSTOS_PEPPER: pepper },
      /^DATABASE_URL must be an address; in a name or password write @ as %40/,
    ]),
    [{ REDIS_URL: 'redis://:p/w@redis.internal' }, /^REDIS_URL must be an address; in a name or password write/],
    [{ DATABASE_URL: databaseUrl }, /^CUSTOS_PEPPER is needed with DATABASE_URL.*openssl rand/],
    [
      { DATABASE_URL: databaseUrl, CUSTOS_PEPPER: 'short' },
      /^CUSTOS_PEPPER must have 32 to 512 characters.*openssl rand/,
    ],
    [{ CUSTOS_MIGRATION_DATABASE_URL: databaseUrl }, /^CUSTOS_MIGRATION_DATABASE_URL needs DATABASE_URL/],
    [
      { REDIS_URL_FILE: '/nowhere/redis-url' },
      /^REDIS_URL has no value: REDIS_URL_FILE names \/nowhere\/redis-url, which cannot be read \(ENOENT\)\.$/,
    ],
    [
      { REDIS_URL: 'redis://localhost', REDIS_URL_FILE: '/nowhere/redis-url' },
      /^REDIS_URL and REDIS_URL_FILE are both set: keep one of them\.$/,
    ],
    [{ CUSTOS_LOG_LEVEL_FILE: 'level' }, /^CUSTOS_LOG_LEVEL_FILE is not a setting/],
    [{ REDIS_URL: 'localhost:6379' }, /^REDIS_URL must be an address/],
    [{ CUSTOS_BOOTSTRAP_KEY: 'cst_test_x' }, /^CUSTOS_BOOTSTRAP_KEY must be a whole admin key/],
    [
      { CUSTOS_KEEP_DECISIONS: 'a while' },
      /^CUSTOS_KEEP_DECISIONS must be a duration such as 36h, 90d or 52w, not "a while"\.$/,
    ],
    [{ CUSTOS_KEEP_DECISIONS: '12h' }, /^CUSTOS_KEEP_DECISIONS must be at least 1d, not "12h"\.$/],
    [{ CUSTOS_KEEP_TEXTS: '9999999d' }, /^CUSTOS_KEEP_TEXTS must be at most 36500d/],
    [
      { CUSTOS_KEEP_DECISIONS: '7d', CUSTOS_APPROVAL_TTL: '604800' },
      /^CUSTOS_KEEP_DECISIONS must not be shorter than CUSTOS_APPROVAL_TTL and an hour: an open approval needs its decision\.$/,
    ],
    [
      { CUSTOS_KEEP_FACTS: '1d', CUSTOS_APPROVAL_TTL: '604800' },
      /^CUSTOS_KEEP_FACTS must not be shorter than CUSTOS_APPROVAL_TTL and an hour: an open approval needs its decision\.$/,
    ],
    [
      { CUSTOS_KEEP_APPROVALS: '7d' },
      /^CUSTOS_KEEP_APPROVALS must be at least 8d, not "7d": an approval may be open for seven days, and is used at the end of them\.$/,
    ],
    [{ CUSTOS_KEEP_ACTIONS: '23h' }, /^CUSTOS_KEEP_ACTIONS must be at least 1d, not "23h"\.$/],
    [{ CUSTOS_KEEP_SIGNALS: '1h' }, /^CUSTOS_KEEP_SIGNALS must be at least 1d, not "1h"\.$/],
    [{ CUSTOS_TLS_CERT: 'cert.pem' }, /^CUSTOS_TLS_CERT and CUSTOS_TLS_KEY must be set together\.$/],
    [{ CUSTOS_TRUST_PROXY: 'true' }, /^CUSTOS_TRUST_PROXY must be the number of proxies/],
    [{ CUSTOS_TRUST_PROXY: '10.0.0.0/33' }, /^CUSTOS_TRUST_PROXY must be/],
    // As `true`: callers could choose the address to which limits apply.
    [{ CUSTOS_TRUST_PROXY: '10.0.0.1,0.0.0.0/0' }, /^CUSTOS_TRUST_PROXY must not trust every address/],
    [{ CUSTOS_TRUST_PROXY: '::/0' }, /^CUSTOS_TRUST_PROXY must not trust every address/],
    [{ CUSTOS_DATA_DIR: '/srv/custos ' }, /^CUSTOS_DATA_DIR must not begin or end with white space: "\/srv\/custos "/],
    [{ CUSTOS_POLICY_DIR: 'policies\n' }, /^CUSTOS_POLICY_DIR must not begin or end with white space/],
    [{ CUSTOS_RATE_LIMITS: '3=1/1,3=2/2' }, /^CUSTOS_RATE_LIMITS must name each tier once, not tier 3 twice/],
    [{ CUSTOS_RATE_LIMITS: '9=1/1' }, /^CUSTOS_RATE_LIMITS must be a list such as/],
    [{ CUSTOS_WEBHOOK_ALLOW_PRIVATE: '10.0.0.0/33' }, /^CUSTOS_WEBHOOK_ALLOW_PRIVATE must be on, off, or addresses/],
    [{ CUSTOS_WEBHOOK_ALLOW_PRIVATE: 'localhost' }, /^CUSTOS_WEBHOOK_ALLOW_PRIVATE must be on, off, or addresses/],
    [{ CUSTOS_LOG_HOST: 'Custos Example' }, /^CUSTOS_LOG_HOST must be a host name/],
    [
      { CUSTOS_READER_URL: 'http://models.example/v1', CUSTOS_READER_MODEL: 'm' },
      /^CUSTOS_READER_URL must be an https/,
    ],
    [
      { CUSTOS_READER_URL: 'https://u:p@models.example/v1', CUSTOS_READER_MODEL: 'm' },
      /^CUSTOS_READER_URL must be an https/,
    ],
    [
      { CUSTOS_READER_URL: 'https://models.example/v1' },
      /^CUSTOS_READER_URL and CUSTOS_READER_MODEL must be set together\.$/,
    ],
    [
      { CUSTOS_READER_KEY: 'sk reader' },
      /^CUSTOS_READER_KEY must be an API key of printable characters without spaces\.$/,
    ],
    [{ CUSTOS_READER_TIMEOUT_MS: '99' }, /^CUSTOS_READER_TIMEOUT_MS must be a whole number from 100 to 10000/],
    [{ CUSTOS_LOG_LEVEL: 'verbose' }, /^CUSTOS_LOG_LEVEL must be one of trace, debug/],
    [{ CUSTOS_SHUTDOWN_TIMEOUT: '0' }, /^CUSTOS_SHUTDOWN_TIMEOUT must be a whole number from 1/],
  ];
  for (const [env, sentence] of refused)
    it(`refuses ${JSON.stringify(env)} with one sentence`, () => {
      const problems = problemsOf(env);
      expect(problems).to.have.lengthOf(1);
      expect(problems[0]).to.match(sentence);
    });

  it('never prints a secret in a message', () => {
    const secret = 'hunter2-hunter2';
    const text = problemsOf({
      DATABASE_URL: `mysql://u:${secret}@h/d`,
      REDIS_URL: `http://:${secret}@h`,
      CUSTOS_PEPPER: secret,
      CUSTOS_BOOTSTRAP_KEY: `cst_live_${secret}`,
    }).join(' ');
    expect(text).to.match(/DATABASE_URL.*REDIS_URL.*CUSTOS_PEPPER/);
    expect(text).not.to.contain(secret);
  });

  for (const host of ['0.0.0.0', '::', '192.168.1.7', 'custos.example.com']) {
    it(`refuses to serve ${host} without TLS or a proxy, with the reason`, () => {
      expect(problemsOf({ HOST: host })).to.have.lengthOf(1);
      expect(problemsOf({ HOST: host })[0]).to.contain('unencrypted');
      expect(problemsOf({ HOST: host, CUSTOS_TRUST_PROXY: '1' })).to.deep.equal([]);
      expect(problemsOf({ HOST: host, CUSTOS_TLS_CERT: 'c.pem', CUSTOS_TLS_KEY: 'k.pem' })).to.deep.equal([]);
    });
  }

  for (const host of ['127.0.0.1', '127.8.9.10', '::1', 'localhost'])
    it(`serves ${host}, which only this machine reaches, without TLS`, () => {
      expect(readConfig({ HOST: host }, places).host).to.equal(host);
    });

  it('reads a share as any decimal from 0 to 1', () => {
    for (const [text, value] of Object.entries({ '0': 0, '0.25': 0.25, '.5': 0.5, '0.0': 0, '1': 1, '1.0': 1 }))
      expect(share(text), text).to.equal(value);
    for (const text of ['1.1', '01', '1.', '.', '-0', '1e-1', '', ' 1'])
      expect(() => share(text), text).to.throw(/must be a share from 0 to 1/);
  });

  it('reads proxies as a number of hops or as addresses', () => {
    expect(readConfig({ CUSTOS_TRUST_PROXY: '2' }, places).trustProxy).to.equal(2);
    expect(readConfig({ CUSTOS_TRUST_PROXY: 'uniquelocal, 10.0.0.0/8,fd00::/8' }, places).trustProxy).to.deep.equal([
      'uniquelocal',
      '10.0.0.0/8',
      'fd00::/8',
    ]);
  });

  it('changes the rate limits of the named tiers only', () => {
    const limits = readConfig({ CUSTOS_RATE_LIMITS: '3=40/600, 7=1/2' }, places).rateLimits;
    expect(limits[3]).to.deep.equal({ tier: 3, perSecond: 40, perMinute: 600 });
    expect(limits[7]).to.deep.equal({ tier: 7, perSecond: 1, perMinute: 2 });
    expect(limits.slice(0, 3)).to.deep.equal(RATE_LIMIT_TABLE.slice(0, 3));
  });
});

describe('metricsArePublic', () => {
  for (const [env, isPublic] of [
    [{}, true],
    [{ HOST: '::1' }, true],
    [{ CUSTOS_TRUST_PROXY: '1' }, false],
    [{ HOST: '0.0.0.0', CUSTOS_TRUST_PROXY: '1' }, false],
    [{ HOST: '0.0.0.0', CUSTOS_TRUST_PROXY: '1', CUSTOS_METRICS: 'public' }, true],
    [{ CUSTOS_METRICS: 'private' }, false],
  ] as const)
    it(`is ${isPublic} with ${JSON.stringify(env)}`, () => {
      expect(metricsArePublic(readConfig(env, places))).to.equal(isPublic);
    });
});

describe('requireStore', () => {
  it('refuses a process without a database, and the message says how to run the whole service', () => {
    expect(() => requireStore(readConfig({}, places))).to.throw(ConfigError, /DATABASE_URL is needed.*custos start/);
  });

  it('returns the database and the pepper of the settings', () => {
    const config = readConfig({ DATABASE_URL: databaseUrl, CUSTOS_PEPPER: pepper }, places);
    expect(requireStore(config)).to.include({ databaseUrl, pepper });
  });
});

describe('requireIngress and requireWorkers', () => {
  const env = { DATABASE_URL: databaseUrl, CUSTOS_PEPPER: pepper };
  const keys = { CUSTOS_PROMISE_KEY_FILE: '/keys/promise.pem', CUSTOS_SIGNING_KEY_FILE: '/keys/log.pem' };
  const NEEDS = [
    { who: 'ingress', needs: requireIngress, name: 'CUSTOS_PROMISE_KEY_FILE' },
    { who: 'workers', needs: requireWorkers, name: 'CUSTOS_SIGNING_KEY_FILE' },
  ] as const;

  for (const { who, needs, name } of NEEDS) {
    it(`refuse ${who} without ${name}, with a message that says how to create the key`, () => {
      const config = readConfig({ ...env, ...keys, [name]: undefined }, places);
      const problem = catchConfigError(() => needs(config));
      expect(problem.problems).to.have.lengthOf(1);
      expect(problem.message)
        .to.match(new RegExp(`^${name} is needed by ${who}`))
        .and.to.contain('openssl genpkey -algorithm ed25519 -out');
    });

    it(`require of ${who} only its own key`, () => {
      expect(needs(readConfig({ ...env, [name]: keys[name] }, places))).to.include({ databaseUrl, pepper });
    });

    it(`refuse ${who} without a database`, () => {
      expect(() => needs(readConfig(keys, places))).to.throw(ConfigError, /DATABASE_URL is needed/);
    });
  }
});

describe('readKeyFile', () => {
  const folder = temporaryFolder('key-file');
  const refusal = (file: string): Promise<unknown> =>
    readKeyFile('CUSTOS_SIGNING_KEY_FILE', file).then(
      () => undefined,
      (error: unknown) => error,
    );
  const kept = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };

  it('reads an Ed25519 private key', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const file = kept('log.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    expect((await readKeyFile('CUSTOS_SIGNING_KEY_FILE', file)).equals(privateKey)).to.equal(true);
  });

  it('names the file that cannot be read, and the reason', async () => {
    const file = path.join(folder, 'none.pem');
    expect(await refusal(file))
      .to.be.instanceOf(ConfigError)
      .with.property('message')
      .that.contains(`${file}, which cannot be read (ENOENT)`);
  });

  it('refuses every other key, and never prints the content of the file', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
    const publicKey = generateKeyPairSync('ed25519').publicKey;
    const texts = {
      rsa: rsa.export({ type: 'pkcs8', format: 'pem' }).toString(),
      public: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      password: 'hunter2-hunter2',
      empty: '',
    };
    for (const [name, text] of Object.entries(texts)) {
      const error = await refusal(kept(`${name}.pem`, text));
      expect(error, name)
        .to.be.instanceOf(ConfigError)
        .with.property('message')
        .that.contains('no Ed25519 private key');
      expect(String(error)).not.to.contain('hunter2');
    }
  });
});

describe('SETTING_TABLE', () => {
  it('documents each setting once, with unit and meaning', () => {
    expect(new Set(SETTING_TABLE.map((entry) => entry.name)).size).to.equal(SETTING_TABLE.length);
    for (const entry of SETTING_TABLE) expect(entry.unit && entry.description, entry.name).not.to.equal('');
  });
});

describe('the files of HTTPS', () => {
  const folder = temporaryFolder('tls');
  const file = (name: string, content: string): string => {
    const place = path.join(folder, name);
    writeFileSync(place, content);
    return place;
  };
  const other = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const cert = file('cert.pem', FIRST.cert);
  const key = file('key.pem', FIRST.key);
  const away = path.join(folder, 'away.pem');
  const text = file('text.pem', 'custos');

  it('are read, and custos doctor says until when they are valid, and warns two weeks before that', () => {
    const files = readTlsFiles({ tlsCertFile: cert, tlsKeyFile: key });
    expect(files?.cert.toString()).to.equal(FIRST.cert);
    expect(readTlsFiles({ tlsCertFile: undefined, tlsKeyFile: undefined })).to.equal(undefined);
    const config = readConfig({ CUSTOS_TLS_CERT: cert, CUSTOS_TLS_KEY: key }, { root: folder });
    const endMs = Date.parse(new X509Certificate(FIRST.cert).validTo);
    const verdicts = [15, 13, 0].map((days) => checkTls(config, endMs - days * 86_400_000)[0]?.verdict);
    expect(verdicts).to.deep.equal(['ok', 'warning', 'problem']);
    const broken = readConfig({ CUSTOS_TLS_CERT: cert, CUSTOS_TLS_KEY: text }, { root: folder });
    expect(checkTls(broken, 0)).to.have.length(1).and.have.nested.property('[0].verdict', 'problem');
  });

  const unusable: Readonly<Record<string, readonly [string, string, RegExp]>> = {
    'a certificate that is not there': [
      away,
      key,
      /^CUSTOS_TLS_CERT names .*away\.pem, which cannot be read \(ENOENT\)/,
    ],
    'a key that is not there': [cert, away, /^CUSTOS_TLS_KEY names .*away\.pem, which cannot be read \(ENOENT\)/],
    'a certificate that is none': [text, key, /^CUSTOS_TLS_CERT names .*text\.pem, which holds no certificate/],
    'a key that is none': [cert, text, /^CUSTOS_TLS_KEY names .*text\.pem, which holds no private key/],
    'the key of another certificate': [cert, file('other.pem', other), /^CUSTOS_TLS_KEY names .*is not the key of/],
  };
  for (const [what, [tlsCertFile, tlsKeyFile, message]] of Object.entries(unusable))
    it(`are refused by a sentence that names the setting: ${what}`, () => {
      expect(() => readTlsFiles({ tlsCertFile, tlsKeyFile })).to.throw(OperatorError, message);
    });
});
