// docker-compose.yml and the Dockerfile match the code: the settings, files, ports and pages that they name exist.
import { exec } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readConfig, requireIngress, requireStore, requireWorkers } from '../../../shared/platform/config/config.ts';
import { SETTING_TABLE } from '../../../shared/platform/config/table.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';

const ROOT = findRoot();

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly restart: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly container_name?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly stop_grace_period?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

function read(name: string): string {
  return readFileSync(path.join(ROOT, name), 'utf8');
}

// Merge keys (`<<`) are of YAML 1.1, which Compose reads.
const { services, secrets, volumes } = parse(read('docker-compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const { migrate, ingress, workers, postgres, redis } = services as Readonly<
  Record<'migrate' | 'ingress' | 'workers' | 'postgres' | 'redis', Service>
>;
const OURS = { migrate, ingress, workers };
/** The check of each process's settings. */
const DEMANDS = { migrate: requireStore, ingress: requireIngress, workers: requireWorkers };

/** The settings that a person must set. */
const GIVEN: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: '0123456789abcdef0123456789abcdef',
  SERVICE_PASSWORD: 'fedcba9876543210fedcba9876543210',
  REDIS_PASSWORD: '00112233445566778899aabbccddeeff',
  CUSTOS_TRUST_PROXY: '172.16.0.0/12',
  CUSTOS_PEPPER: 'a pepper for tests, of no use elsewhere',
};

/** Compose's substitution: `${NAME}`, `${NAME:-default}` and `${NAME:?why it is needed}`. */
function substitute(text: string): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, how?: string, rest?: string) => {
    const value = GIVEN[name] ?? (how === '-' ? rest : undefined);
    if (value === undefined) throw new Error(`${name} has neither a value nor a default`);
    return value;
  });
}

function environmentOf(service: Service): Record<string, string> {
  return Object.fromEntries(
    Object.entries(service.environment ?? {}).map(([name, value]) => [name, substitute(String(value))]),
  );
}

function seconds(text: string | undefined): number {
  return Number(/^(\d+)s$/.exec(text ?? '')?.[1]);
}

describe('docker-compose.yml', () => {
  for (const name of ['migrate', 'ingress', 'workers'] as const) {
    const service = OURS[name];
    it(`gives ${name} only settings that exist, with values that it accepts`, () => {
      const known = SETTING_TABLE.map((setting) => setting.name);
      expect(known).to.include.members(Object.keys(service.environment ?? {}));
      const config = DEMANDS[name](readConfig(environmentOf(service), { root: '/app' }));
      expect(config).to.include({ host: '0.0.0.0', policyDir: '/app/policies' });
      expect(new URL(config.databaseUrl)).to.include({ host: 'postgres:5432', username: 'custos_service' });
      expect(new URL(config.redisUrl ?? '')).to.include({ host: 'redis:6379', password: GIVEN['REDIS_PASSWORD'] });
    });

    it(`runs ${name} without rights that it does not need, and gives it time to finish`, () => {
      expect(service).to.deep.include({ read_only: true, cap_drop: ['ALL'] });
      const timeout = SETTING_TABLE.find((setting) => setting.name === 'CUSTOS_SHUTDOWN_TIMEOUT')?.fallback;
      expect(seconds(service.stop_grace_period)).to.be.above(Number(timeout));
    });

    it(`starts ${name} with a program that exists`, () => {
      const command = service.command ?? (JSON.parse(/^CMD (.*)$/m.exec(read('Dockerfile'))?.[1] ?? '[]') as string[]);
      const program = command.find((word) => word.startsWith('dist/'));
      expect(program).to.be.a('string');
      expect(existsSync(path.join(ROOT, (program ?? '').replace(/^dist\/(.*)\.js$/, '$1.ts')))).to.equal(true);
    });
  }

  it('requires every secret, and contains none', () => {
    const text = read('docker-compose.yml');
    for (const name of Object.keys(GIVEN)) expect(text).to.contain(`\${${name}:?`).and.not.to.contain(`\${${name}:-`);
    expect(text).not.to.match(/cst_(live|test|dev)_/);
  });

  it('passes the credentials of the owner of the tables only to the migration', () => {
    const { databaseUrl, migrationDatabaseUrl = '' } = readConfig(environmentOf(migrate), { root: '/app' });
    const owner = new URL(migrationDatabaseUrl);
    expect(owner.username).to.equal(postgres.environment?.['POSTGRES_USER']);
    expect(owner.pathname).to.equal(new URL(databaseUrl ?? '').pathname);
    for (const service of [ingress, workers])
      expect(JSON.stringify(environmentOf(service))).not.to.contain(GIVEN['POSTGRES_PASSWORD']);
  });

  it('requires a password for Redis, and trusts no proxy by default', () => {
    expect(redis.command?.map(substitute).join(' ')).to.contain(`--requirepass ${GIVEN['REDIS_PASSWORD']}`);
    expect(environmentOf(redis)).to.deep.equal({ REDISCLI_AUTH: GIVEN['REDIS_PASSWORD'] });
    expect(readConfig(environmentOf(ingress), { root: '/app' }).trustProxy).to.deep.equal(['172.16.0.0/12']);
  });

  it('gives each process its own private key and no other', () => {
    const keysOf = (service: Service): string[] =>
      Object.entries(service.environment ?? {}).flatMap(([name, value]) =>
        name.endsWith('_KEY_FILE') ? [`${name}=${value}`] : [],
      );
    expect(keysOf(migrate)).to.deep.equal([]);
    expect(keysOf(ingress)).to.deep.equal(['CUSTOS_PROMISE_KEY_FILE=/run/secrets/promise-key']);
    expect(keysOf(workers)).to.deep.equal(['CUSTOS_SIGNING_KEY_FILE=/run/secrets/log-key']);
    expect([migrate.secrets, ingress.secrets, workers.secrets]).to.deep.equal([
      undefined,
      ['promise-key'],
      ['log-key'],
    ]);
    const files = Object.values(secrets).map(({ file }) => substitute(file));
    expect(files).to.have.members(['./secrets/log.pem', './secrets/promise.pem']);
    // They are neither committed nor part of an image.
    for (const name of ['.gitignore', '.dockerignore']) expect(read(name)).to.match(/^secrets\/?$/m);
    for (const file of files) expect(read('docker-compose.yml')).to.contain(`-out ${file.slice('./'.length)}`);
  });

  it('keeps signed checkpoints on a volume that all workers share and may write to', () => {
    const folder = String(workers.environment?.['CUSTOS_CHECKPOINT_DIR']);
    const [volume = ''] = workers.volumes?.find((entry) => entry.endsWith(`:${folder}`))?.split(':') ?? [];
    expect(volumes).to.have.property(volume);
    expect(read('Dockerfile')).to.match(new RegExp(`^RUN install --directory --owner=node .*${folder}$`, 'm'));
  });

  it('lets ingress and workers be scaled: no fixed name, no fixed port of the host', () => {
    for (const service of [ingress, workers]) {
      expect(service).not.to.have.property('container_name');
      for (const port of service.ports ?? []) expect(port).to.match(/^127\.0\.0\.1::\d+$/);
    }
    expect(ingress.ports).to.deep.equal([`127.0.0.1::${ingress.environment?.['PORT']}`]);
  });

  it('checks the readiness of each process, on the port that it listens on', () => {
    const page = (service: Service): string | undefined =>
      /fetch\('([^']+)'\)/.exec(service.healthcheck?.test.join(' ') ?? '')?.[1];
    expect(page(ingress)).to.equal(`http://127.0.0.1:${ingress.environment?.['PORT']}/ready`);
    expect(page(workers)).to.equal(`http://127.0.0.1:${workers.environment?.['CUSTOS_WORKERS_PORT']}/ready`);
    for (const store of [postgres, redis]) expect(store.healthcheck?.test).to.have.length.above(1);
  });

  it('migrates once before the other processes start, and starts nothing before its stores', () => {
    expect(migrate.restart).to.equal('no');
    expect(migrate.command?.at(-1)).to.equal('migrate');
    expect(migrate.depends_on).to.deep.equal({ postgres: { condition: 'service_healthy' } });
    for (const service of [ingress, workers])
      expect(service.depends_on).to.deep.equal({
        postgres: { condition: 'service_healthy' },
        redis: { condition: 'service_healthy' },
        migrate: { condition: 'service_completed_successfully' },
      });
  });

  it('passes the bootstrap key only to the migration', () => {
    expect(Object.entries(OURS).filter(([, { environment }]) => 'CUSTOS_BOOTSTRAP_KEY' in (environment ?? {})))
      .to.have.lengthOf(1)
      .and.to.have.nested.property('[0][0]', 'migrate');
  });

  it('keeps jobs across a restart of Redis, and never lets it evict one', () => {
    expect(redis.command?.join(' ')).to.contain('--appendonly yes').and.to.contain('--maxmemory-policy noeviction');
    expect(redis.volumes).to.include('redis:/data');
    expect(postgres.volumes).to.include('postgres:/var/lib/postgresql');
  });

  it('mounts the policies read-only at the path of the setting', () => {
    for (const service of Object.values(OURS)) expect(service.volumes).to.include('./policies:/app/policies:ro');
  });

  it('has enough PostgreSQL connections for twice two ingress and three worker processes', () => {
    const most = Number(/max_connections=(\d+)/.exec(postgres.command?.join(' ') ?? '')?.[1]);
    const pool = Number(SETTING_TABLE.find((setting) => setting.name === 'CUSTOS_DATABASE_POOL')?.fallback);
    expect(most).to.be.at.least(2 * (2 * (pool + 3) + 3 * (pool + 5)));
  });
});

/** What a line of a Dockerfile copies from the checkout. */
function copiedBy(line: string): { readonly names: string[]; readonly to: string } | undefined {
  const [, names = '', to = ''] = /^COPY (?!--from)(.*) (\S+)$/.exec(line) ?? [];
  return to === '' ? undefined : { names: names.split(' '), to };
}

describe('Dockerfile', () => {
  const text = read('Dockerfile');
  const lines = text.split('\n');

  it('copies existing files', () => {
    const copied = lines.flatMap((line) => copiedBy(line)?.names ?? []);
    expect(copied).not.to.have.lengthOf(0);
    expect(copied.filter((name) => !existsSync(path.join(ROOT, name)))).to.deep.equal([]);
  });

  it('builds the service from what its build stage copies, and nothing else', async function () {
    this.timeout(240_000);
    const folder = mkdtempSync(path.join(tmpdir(), 'custos-image-'));
    try {
      const stage = lines.slice(lines.indexOf('FROM base AS build') + 1, lines.indexOf('FROM base AS packages'));
      for (const line of stage) {
        const copied = copiedBy(line);
        for (const name of copied?.names ?? []) {
          const target = copied?.to.endsWith('/') === true ? path.join(copied.to, name) : (copied?.to ?? name);
          cpSync(path.join(ROOT, name), path.join(folder, target), { recursive: true });
        }
        const command = /^RUN (.*)$/.exec(line)?.[1];
        // The packages are those of this installation.
        if (command?.startsWith('npm ci') === true)
          symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
        else if (command !== undefined) await promisify(exec)(command, { cwd: folder });
      }
      for (const entry of ['ingress', 'workers', 'cli'])
        expect(existsSync(path.join(folder, 'dist', entry, 'main.js'))).to.equal(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('has a Node with long-term support that the package accepts', () => {
    const major = Number(/^FROM node:(\d+)-/m.exec(text)?.[1]);
    expect(major % 2, 'even majors have long-term support').to.equal(0);
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    expect(major).to.be.at.least(Number(/\d+/.exec(engines.node)?.[0]));
  });

  it('runs as an ordinary user, in a last stage that has no development packages', () => {
    const last = text.slice(text.lastIndexOf('\nFROM '));
    expect(last).to.match(/^USER node$/m);
    expect(last).not.to.match(/npm (ci|install|run)/);
    expect(text).to.match(/npm ci --omit=dev/);
  });

  it('starts in exec form, so that SIGTERM reaches the process', () => {
    expect(text).to.match(/^CMD \["node",/m);
  });

  it('exposes the port that ingress listens on by default', () => {
    const port = SETTING_TABLE.find((setting) => setting.name === 'PORT')?.fallback;
    expect(text).to.match(new RegExp(`^EXPOSE ${port}$`, 'm'));
  });
});
