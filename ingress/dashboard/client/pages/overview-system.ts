// The parts of the installation, each with its state in a few words.
import { bytes, compact, count, duration, short } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import { Badge, Card, type Column, Table, Time, type Tone } from '../ui.ts';
import type { Overview, ProcessInfo } from '../wire/overview.ts';

interface Part {
  readonly name: string;
  readonly tone: Tone;
  readonly value: string;
  readonly hint: string;
  /** The page with details. */
  readonly page?: string;
}

/** What waits is normal for less than this. */
const LONG_SECONDS = 10;

function partsOf({ system, log }: Overview): Part[] {
  const logPart: Part = {
    name: 'Log',
    tone: log?.haltedReason ? 'bad' : 'good',
    value: log === null ? 'Empty' : compact(log.size),
    hint:
      log === null
        ? 'no record yet'
        : log.haltedReason
          ? 'halted'
          : log.waiting > 0
            ? `${compact(log.waiting)} waiting`
            : 'all appended',
    page: 'audit',
  };
  const checked = log?.audit ?? null;
  const auditPart: Part = {
    name: 'Audit',
    tone: checked === null ? 'neutral' : checked.ok ? 'good' : 'bad',
    value: checked === null ? 'Not yet' : checked.ok ? 'Passed' : count(checked.findings, 'finding'),
    hint: checked === null ? 'no audit has run' : `${compact(checked.auditedSize)} records checked`,
    page: 'audit',
  };
  if (system === null) return [logPart, auditPart];
  const { queues, outbox, policies, auditLag } = system;
  const ingress = system.processes.filter(({ role, alive }) => role === 'ingress' && alive).length;
  const waiting = (queues ?? []).reduce((sum, queue) => sum + queue.waiting, 0);
  const oldest = Math.max(0, ...(queues ?? []).map((queue) => queue.oldestWaitingSeconds));
  return [
    {
      name: 'Ingress',
      tone: ingress > 0 ? 'good' : 'bad',
      value: String(ingress),
      hint: ingress === 1 ? 'process' : 'processes',
    },
    {
      name: 'Workers',
      tone: system.workersAlive > 0 ? 'good' : 'bad',
      value: String(system.workersAlive),
      hint: system.workersAlive === 0 ? 'work waits' : 'alive',
    },
    {
      name: 'Queues',
      tone: queues === null ? 'bad' : oldest > LONG_SECONDS ? 'warn' : 'good',
      value: queues === null ? 'Away' : compact(waiting),
      hint: queues === null ? 'store does not answer' : oldest < 1 ? 'nothing waits' : `oldest ${duration(oldest)}`,
      page: 'queues',
    },
    {
      name: 'Outbox',
      tone: outbox.oldestSeconds > LONG_SECONDS ? 'warn' : 'good',
      value: compact(outbox.waiting),
      hint: outbox.waiting === 0 ? 'empty' : `oldest ${duration(outbox.oldestSeconds)}`,
      page: 'queues',
    },
    logPart,
    auditLag.leaves > 0 && auditPart.tone !== 'bad'
      ? {
          ...auditPart,
          tone: auditLag.oldestSeconds > LONG_SECONDS * 12 ? 'warn' : auditPart.tone,
          hint: `${compact(auditLag.leaves)} to check, ${duration(auditLag.oldestSeconds)}`,
        }
      : auditPart,
    {
      name: 'Policies',
      tone: policies.loadError !== null ? 'bad' : policies.lastReadOk ? 'good' : 'warn',
      value: policies.digest === null ? 'None' : policies.digest.slice(0, 8),
      hint: policies.loadError !== null ? 'not loaded' : policies.lastReadOk ? 'in force' : 'last edit refused',
      page: 'policies',
    },
    { name: 'Database', tone: 'good', value: bytes(system.databaseBytes), hint: 'on disk' },
  ];
}

const SIGNS: Readonly<Record<Tone, string>> = {
  good: 'normal',
  neutral: 'not known',
  info: 'normal',
  warn: 'needs attention',
  bad: 'failing',
};

export function SystemParts({ overview }: { readonly overview: Overview }): VNode {
  return html`<${Card} title="System" class="system-card" flush><ul class="parts" aria-label="Parts of the system">${partsOf(
    overview,
  ).map(
    ({ name, tone, value, hint, page }) => html`<li key=${name} class=${`part tone-${tone}`}>
    <p class="part-name"><span class="part-dot" aria-hidden="true"></span>${page === undefined ? html`${name}<span class="visually-hidden">, ${SIGNS[tone]}</span>` : html`<${Link} to=${href(page)} label=${`${name}, ${SIGNS[tone]}`}>${name}<//>`}</p>
    <p class="part-value">${value}</p>
    <p class="part-hint">${hint}</p>
  </li>`,
  )}</ul><//>`;
}

const PROCESS_COLUMNS: readonly Column<ProcessInfo>[] = [
  { title: 'Process', cell: ({ role, pid }) => html`${role} <span class="muted num">${pid}</span>` },
  { title: 'Host', cell: ({ host }) => html`<span title=${host}>${short(host, 18)}</span>` },
  { title: 'Started', cell: ({ startedAt }) => html`<${Time} at=${startedAt} />` },
  {
    title: 'State',
    cell: ({ alive, silentSeconds }) =>
      html`<${Badge} tone=${alive ? 'good' : 'bad'}>${alive ? 'alive' : `no heartbeat for ${duration(silentSeconds)}`}<//>`,
  },
];

export function Processes({ processes }: { readonly processes: readonly ProcessInfo[] }): VNode {
  return html`<${Card} title="Processes" flush><${Table} caption="Processes" columns=${PROCESS_COLUMNS} rows=${processes} keyOf=${({ host, pid, startedAt }: ProcessInfo) => `${host} ${pid} ${startedAt}`} /><//>`;
}
