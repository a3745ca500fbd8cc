// A real Prometheus for tests, with the rules and the scrape configuration of docs/operations, and promtool.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { findRoot } from '../../shared/platform/config/root.ts';
import { temporaryFolder } from './folders.ts';
import { watch } from './process.ts';
import { waitFor } from './wait.ts';

const OPERATIONS = path.join(findRoot(), 'docs', 'operations');

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export const readOperations = (file: string): string => readFileSync(path.join(OPERATIONS, file), 'utf8');

/** The rules of alerts.yml. */
export function alertRules(): readonly AlertRule[] {
  const { groups } = parse(readOperations('alerts.yml')) as { groups: readonly { readonly rules: AlertRule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/** Why tests cannot use Prometheus and promtool here; undefined: they can. */
export function whyNoPrometheus(): string | undefined {
  try {
    for (const program of ['prometheus', 'promtool']) execFileSync(program, ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'prometheus or promtool is not on the PATH; Debian: apt-get install prometheus';
  }
}

/** Runs promtool. @throws with its output when it fails */
export function promtool(...args: readonly string[]): void {
  try {
    execFileSync('promtool', args, { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`promtool ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** Runs `promtool test rules` on the rules of alerts.yml. @throws with its output when a test fails */
export function testAlertRules(tests: readonly object[]): void {
  const file = path.join(temporaryFolder(), 'alerts.test.yml');
  const rules = path.join(OPERATIONS, 'alerts.yml');
  writeFileSync(file, stringify({ rule_files: [rules], evaluation_interval: '5m', tests }));
  promtool('test', 'rules', file);
}

export interface Vector {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Prometheus {
  /** Evaluates an expression now. @throws when Prometheus refuses it */
  query(expression: string): Promise<readonly Vector[]>;
  /** Names of the alerts that fire now, sorted. */
  firing(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

interface ScrapeConfig {
  readonly scrape_configs: readonly { readonly job_name: string; readonly authorization: object }[];
}

/**
 * Starts Prometheus with prometheus.yml, which is changed in this only: the targets and the key are those of the test, and it scrapes
 * and evaluates every second.
 * @param targets addresses by job
 */
export async function startPrometheus(targets: Readonly<Record<string, string>>, key: string): Promise<Prometheus> {
  const folder = temporaryFolder();
  const keyFile = path.join(folder, 'key');
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
  const config = parse(readOperations('prometheus.yml')) as ScrapeConfig;
  const file = path.join(folder, 'prometheus.yml');
  const scrapes = config.scrape_configs.map((job) => ({
    ...job,
    authorization: { ...job.authorization, credentials_file: keyFile },
    static_configs: [{ targets: [new URL(targets[job.job_name] ?? '').host] }],
  }));
  const global = { scrape_interval: '1s', evaluation_interval: '1s', scrape_timeout: '1s' };
  const rules = [path.join(OPERATIONS, 'alerts.yml')];
  writeFileSync(file, stringify({ ...config, global, rule_files: rules, scrape_configs: scrapes }));
  promtool('check', 'config', file);

  const args = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${path.join(folder, 'data')}`,
    '--web.listen-address=127.0.0.1:0',
  ];
  const running = watch(spawn('prometheus', args, { stdio: ['ignore', 'pipe', 'pipe'] }), 'prometheus');
  const address = await waitFor(() => /msg="Listening on".* address=(\S+)/.exec(running.stderr())?.[1], {
    what: 'Prometheus to listen',
  });
  const ask = async <T>(question: string): Promise<T> => {
    const answer = (await (await fetch(`http://${address}/api/v1/${question}`)).json()) as { data: T; error?: string };
    if (answer.error !== undefined) throw new Error(`${question}: ${answer.error}`);
    return answer.data;
  };
  return {
    async query(expression) {
      type Result = { readonly metric: Vector['metric']; readonly value: [number, string] };
      const { result } = await ask<{ result: Result[] }>(`query?query=${encodeURIComponent(expression)}`);
      return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
    },
    async firing() {
      const { alerts } = await ask<{ alerts: { labels: { alertname: string }; state: string }[] }>('alerts');
      const names = alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
      return [...new Set(names)].sort();
    },
    stop: async () => void (await running.stop()),
  };
}
