// The alert rules, evaluated by promtool: every alert fires when it should, and not when it should not.
import { expect } from 'chai';
import { alertRules, promtool, readOperations, testAlertRules, whyNoPrometheus } from '../../support/prometheus.ts';
import { SETTING_TABLE } from '../../../shared/platform/config/table.ts';
import { DEFAULT_PORT } from '../../../workers/health.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { describeUnless } from '../../support/skip.ts';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** A constant value, or values in promtool's notation: one a minute, or one each five minutes of CustosVerdictMixJumped. */
type Values = number | string;
type Series = Readonly<Record<string, Values>>;

interface RuleCase {
  /** Every series is served by two processes, so an alert that fires once for each of them is noticed. */
  readonly fires: Series;
  /** Values at the threshold. */
  readonly quiet: Series;
  /** Alerts that fire. Default: 1. */
  readonly alerts?: number;
}

const MINUTES = 30;
/** Steps of five minutes of CustosVerdictMixJumped, which compares ten minutes with the day before as far as there is data. */
const STEPS = 40;
const TENANT = 'organisation="o",environment="live"';
const decisions = (allowed: string, denied: string): Series => ({
  'custos_decisions_total{verdict="ALLOW"}': allowed,
  'custos_decisions_total{verdict="DENY"}': denied,
});
const answers = (status: string): string =>
  `custos_http_request_duration_seconds_count{route="/v1/enforce",status="${status}"}`;
const bucket = (le: string): string => `custos_http_request_duration_seconds_bucket{route="/v1/enforce",le="${le}"}`;

const CASES: Readonly<Record<string, RuleCase>> = {
  CustosNoWorkers: { fires: { custos_workers_alive: 0 }, quiet: { custos_workers_alive: 1 } },
  CustosNothingKnown: { fires: { custos_log_size: 1 }, quiet: { custos_workers_alive: 0 } },
  CustosAuditFailed: { fires: { [`custos_audit_ok{${TENANT}}`]: 0 }, quiet: { [`custos_audit_ok{${TENANT}}`]: 1 } },
  CustosRowsRefused: {
    fires: { 'custos_refused_rows_total{table="api_key"}': `0+1x${MINUTES}` },
    quiet: { 'custos_refused_rows_total{table="api_key"}': 7 },
  },
  CustosLogHalted: {
    fires: { [`custos_log_halted{${TENANT}}`]: 1 },
    quiet: { [`custos_log_halted{${TENANT}}`]: 0 },
  },
  CustosAuditBehind: {
    fires: { [`custos_audit_lag_seconds{${TENANT}}`]: 61 },
    quiet: { [`custos_audit_lag_seconds{${TENANT}}`]: 60 },
  },
  CustosAuditStopped: {
    fires: { [`custos_audit_timestamp_seconds{${TENANT}}`]: 60 },
    // The time of the audit advances with the clock, which starts at 0.
    quiet: { [`custos_audit_timestamp_seconds{${TENANT}}`]: `-890+60x${MINUTES}` },
  },
  CustosHalted: { fires: { [`custos_halted{${TENANT}}`]: 1 }, quiet: { [`custos_halted{${TENANT}}`]: 0 } },
  CustosPromiseOverdue: {
    fires: { custos_log_inbox_oldest_seconds: 11 },
    quiet: { custos_log_inbox_oldest_seconds: 10 },
  },
  CustosOutboxOld: { fires: { custos_outbox_oldest_seconds: 11 }, quiet: { custos_outbox_oldest_seconds: 10 } },
  CustosHistoriesBehind: {
    fires: { custos_agent_history_lag_seconds: 601 },
    quiet: { custos_agent_history_lag_seconds: 600 },
  },
  CustosDefaultPartitionFills: {
    fires: { 'custos_default_partition_rows{table="decision"}': 2_001 },
    quiet: { 'custos_default_partition_rows{table="decision"}': 2_000 },
  },
  CustosQueueBehind: {
    fires: {
      'custos_queue_oldest_waiting_seconds{queue="intents"}': 36,
      'custos_queue_oldest_waiting_seconds{queue="proofs"}': 0,
    },
    quiet: { 'custos_queue_oldest_waiting_seconds{queue="intents"}': 30 },
  },
  CustosDeadJobs: {
    fires: { 'custos_dead_jobs{queue="intents"}': 1, 'custos_dead_jobs{queue="trust"}': 0 },
    quiet: { 'custos_dead_jobs{queue="intents"}': 0 },
  },
  CustosApprovalsExpiring: {
    fires: { [`custos_approvals_expiring{${TENANT}}`]: 1 },
    quiet: { [`custos_approvals_expiring{${TENANT}}`]: 0 },
  },
  CustosBudgetAlmostUsed: {
    fires: { [`custos_budget_used_ratio{${TENANT},budget="refunds"}`]: 0.9 },
    quiet: { [`custos_budget_used_ratio{${TENANT},budget="refunds"}`]: 0.89 },
  },
  CustosPoolExhausted: {
    fires: { 'custos_database_connection_waits{pool="service"}': 1 },
    // A short wait.
    quiet: { 'custos_database_connection_waits{pool="service"}': '0+0x24 5 0+0x5' },
    alerts: 2,
  },
  CustosPolicyFolderRefused: { fires: { custos_policy_folder_ok: 0 }, quiet: { custos_policy_folder_ok: 1 } },
  CustosPolicySetNotLoaded: {
    fires: { custos_policy_set_loaded: 0 },
    quiet: { custos_policy_set_loaded: 1 },
    alerts: 2,
  },
  CustosVerdictMixJumped: {
    fires: decisions('0+300x28 8400+25x12', '0+25x28 700+300x12'),
    quiet: decisions(`0+300x${STEPS}`, `0+150x${STEPS}`),
  },
  CustosToolChanged: {
    fires: { 'custos_tool_decisions_total{tool="changed",verdict="ESCALATE"}': `0+1x${MINUTES}` },
    quiet: {
      'custos_tool_decisions_total{tool="changed",verdict="ESCALATE"}': 3,
      'custos_tool_decisions_total{tool="known",verdict="ALLOW"}': `0+9x${MINUTES}`,
    },
  },
  CustosWebhooksWait: { fires: { custos_webhook_oldest_seconds: 901 }, quiet: { custos_webhook_oldest_seconds: 900 } },
  CustosSlowAnswers: {
    fires: {
      [bucket('0.25')]: `0+98x${MINUTES}`,
      [bucket('0.5')]: `0+100x${MINUTES}`,
      [bucket('+Inf')]: `0+100x${MINUTES}`,
    },
    quiet: {
      [bucket('0.25')]: `0+99x${MINUTES}`,
      [bucket('0.5')]: `0+100x${MINUTES}`,
      [bucket('+Inf')]: `0+100x${MINUTES}`,
    },
  },
  CustosErrors: {
    fires: { [answers('500')]: `0+2x${MINUTES}`, [answers('200')]: `0+98x${MINUTES}` },
    quiet: {
      [answers('500')]: `0+1x${MINUTES}`,
      [answers('200')]: `0+99x${MINUTES}`,
      [answers('429')]: `0+9x${MINUTES}`,
    },
  },
};

/** The series as two processes serve them. */
function served(series: Series): object[] {
  return ['ingress', 'workers'].flatMap((instance) =>
    Object.entries(series).map(([name, values]) => ({
      series: name.includes('{') ? name.replace('{', `{instance="${instance}",`) : `${name}{instance="${instance}"}`,
      values: typeof values === 'number' ? `${values}+0x${MINUTES}` : values,
    })),
  );
}

function testOf(alert: string, series: Series, alerts: number): object {
  const stepMinutes = alert === 'CustosVerdictMixJumped' ? 5 : 1;
  return {
    interval: `${stepMinutes}m`,
    input_series: served(series),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: `${stepMinutes === 1 ? MINUTES : stepMinutes * STEPS}m`,
        exp_samples: alerts === 0 ? [] : [{ labels: '{}', value: alerts }],
      },
    ],
  };
}

describe('the alert rules', () => {
  const rules = alertRules();

  it('each have a case', () => {
    expect(Object.keys(CASES).sort()).to.deep.equal(rules.map(({ alert }) => alert).sort());
  });

  it('each name their section of the runbook, and the runbook has no other', () => {
    const file = 'docs/operations/runbook.md';
    expect(existsSync(path.join(findRoot(), file))).to.equal(true);
    const sections = [...readOperations('runbook.md').matchAll(/^## (\S+)$([^]*?)(?=^## |$(?![^]))/gm)];
    expect(sections.map(([, title = '']) => title)).to.deep.equal(rules.map(({ alert }) => alert));
    for (const { alert, annotations } of rules)
      expect(annotations['runbook']).to.equal(`${file}#${alert.toLowerCase()}`);
    for (const [, title, text] of sections)
      expect(text, title).to.match(/\*\*Means\.\*\*[^]*\*\*Look at\.\*\*[^]*\*\*Do\.\*\*/);
  });

  it('are loaded by a scrape configuration that names the default ports of ingress and workers', () => {
    const config = readOperations('prometheus.yml');
    const ports = [...config.matchAll(/'127\.0\.0\.1:(\d+)'/g)].map(([, port]) => port);
    const ofIngress = SETTING_TABLE.find(({ name }) => name === 'PORT')?.fallback;
    expect(ports).to.deep.equal([ofIngress, String(DEFAULT_PORT)]);
    expect(config).to.match(/^rule_files:\n  - alerts\.yml$/m);
  });

  describeUnless(whyNoPrometheus(), 'in promtool', () => {
    it('are valid', () => promtool('check', 'rules', path.join(findRoot(), 'docs/operations/alerts.yml')));

    it('each fire, once however many processes serve the gauge, and are quiet at the threshold', () => {
      const tests = Object.entries(CASES).flatMap(([alert, { fires, quiet, alerts = 1 }]) => [
        testOf(alert, fires, alerts),
        testOf(alert, quiet, 0),
      ]);
      testAlertRules(tests);
    });

    it('are tested: promtool refuses a wrong expectation', () => {
      expect(() => testAlertRules([testOf('CustosNoWorkers', { custos_workers_alive: 1 }, 1)])).to.throw(/FAILED/);
    });
  });
});
