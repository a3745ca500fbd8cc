// Gauges by organisation and environment: logs and their audit, halts and pending approvals.
import { countPendingApprovals, EXPIRING_WITHIN_SECONDS } from '../approvals/pending.ts';
import { readBudgetShares } from '../decisions/budget-shares.ts';
import { readHalts } from '../decisions/halts.ts';
import { readAuditLag } from '../ledger/audit-lag.ts';
import { readLogStates } from '../ledger/log-states.ts';
import { type GaugeGroup, gaugeGroup, ofTenants, TENANT } from './gauge-group.ts';

const secondsOf = (at: Date): number => at.getTime() / 1_000;

export const TENANT_GAUGES: readonly GaugeGroup[] = [
  gaugeGroup({
    read: ({ sql }) => readLogStates(sql),
    gauges: [
      {
        name: 'custos_log_size',
        help: 'Leaves of the log',
        labelNames: TENANT,
        // Generations are in order, so the newest one, which still grows, sets the final value.
        samples: (logs) => ofTenants(logs, ({ size }) => size),
      },
      {
        name: 'custos_log_audited_size',
        help: 'Leaves of the log that the auditor has checked',
        labelNames: TENANT,
        samples: (logs) => ofTenants(logs, ({ audit }) => audit?.size ?? 0),
      },
      {
        name: 'custos_log_halted',
        help: '1 when the log is halted, because it differs from what was signed before',
        labelNames: TENANT,
        samples: (logs) => ofTenants(logs, ({ haltedReason }) => (haltedReason === undefined ? 0 : 1)),
      },
      {
        name: 'custos_log_checkpoint_timestamp_seconds',
        help: 'When the newest checkpoint of the log was signed, in seconds since 1970; absent before the first one',
        labelNames: TENANT,
        samples: (logs) => ofTenants(logs, ({ signedAt }) => signedAt && secondsOf(signedAt)),
      },
      {
        name: 'custos_audit_ok',
        help: '1 when the audit agrees with the log and those before it, 0 when it found a difference; absent before the first audit',
        labelNames: TENANT,
        samples: (logs) => ofTenants(logs, ({ audit }, earlier) => audit && Math.min(earlier ?? 1, audit.ok ? 1 : 0)),
      },
      {
        name: 'custos_audit_timestamp_seconds',
        help: 'When the log, and those before it, were last audited, in seconds since 1970; absent before the first audit',
        labelNames: TENANT,
        samples: (logs) =>
          ofTenants(logs, ({ audit }, earlier) => audit && Math.min(earlier ?? Infinity, secondsOf(audit.at))),
      },
    ],
  }),
  gaugeGroup({
    read: ({ sql }) => readAuditLag(sql),
    gauges: [
      {
        name: 'custos_audit_lag_leaves',
        help: 'Leaves of the log, and of those before it, that no audit has derived yet',
        labelNames: TENANT,
        samples: (lags) => ofTenants(lags, ({ leaves }) => leaves),
      },
      {
        name: 'custos_audit_lag_seconds',
        help: 'Age of the oldest leaf that no audit has derived yet; 0 when there is none',
        labelNames: TENANT,
        samples: (lags) => ofTenants(lags, ({ oldestSeconds }) => oldestSeconds),
      },
    ],
  }),
  gaugeGroup({
    read: async ({ sql }) => {
      const [logs, halts] = await Promise.all([readLogStates(sql), readHalts(sql)]);
      // 0 for every log, so that the series exist before the first halt.
      return [...logs.map((log) => ({ ...log, halt: undefined })), ...halts];
    },
    gauges: [
      {
        name: 'custos_halted',
        help: '1 while an operator has halted the environment, which denies every request of it; else 0',
        labelNames: TENANT,
        samples: (states) => ofTenants(states, ({ halt }) => (halt === undefined ? 0 : 1)),
      },
    ],
  }),
  gaugeGroup({
    read: ({ sql }) => countPendingApprovals(sql),
    gauges: [
      {
        name: 'custos_approvals_pending',
        help: 'Approvals that wait for a human',
        labelNames: TENANT,
        samples: (counts) => ofTenants(counts, ({ pending }) => pending),
      },
      {
        name: 'custos_approvals_expiring',
        help: `Approvals that wait for a human and expire within ${EXPIRING_WITHIN_SECONDS} seconds`,
        labelNames: TENANT,
        samples: (counts) => ofTenants(counts, ({ expiring }) => expiring),
      },
    ],
  }),
  gaugeGroup({
    read: ({ sql }) => readBudgetShares(sql),
    gauges: [
      {
        name: 'custos_budget_used_ratio',
        help: 'Share of a budget that is used, of its fullest count; absent while nothing counts',
        labelNames: [...TENANT, 'budget'],
        samples: (shares) =>
          shares.map(({ organisation, environment, budget, share }) => ({
            labels: { organisation, environment, budget },
            value: share,
          })),
      },
    ],
  }),
];
