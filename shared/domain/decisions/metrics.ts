// Metrics of decisions and of the policy set.
import { Counter, Gauge, type Registry } from 'prom-client';
import { VERDICTS, type Verdict } from '../../kernel/vocabulary.ts';
import type { PolicyStatus } from '../policy-sets/active-set.ts';

export interface DecisionMetrics {
  countDecision(verdict: Verdict): void;
}

export function createDecisionMetrics(registry: Registry, status: () => PolicyStatus): DecisionMetrics {
  const decisions = new Counter({
    name: 'custos_decisions_total',
    help: 'Decisions on record that this process made, by verdict',
    labelNames: ['verdict'] as const,
    registers: [registry],
  });
  // Series that exist from the start show a rate from the first decision on.
  const children = new Map(VERDICTS.map((verdict) => [verdict, decisions.labels({ verdict })]));
  for (const child of children.values()) child.inc(0);
  new Gauge({
    name: 'custos_policy_folder_ok',
    help: 'Whether the last reading of the policy folder was accepted (1) or refused (0)',
    registers: [registry],
    collect() {
      this.set(status().readOk ? 1 : 0);
    },
  });
  new Gauge({
    name: 'custos_policy_set_loaded',
    help: 'Whether this process evaluates the activated policy set (1) or an older one, or none (0)',
    registers: [registry],
    collect() {
      const { activeDigest, loadError } = status();
      this.set(activeDigest !== undefined && loadError === undefined ? 1 : 0);
    },
  });
  return { countDecision: (verdict) => children.get(verdict)?.inc() };
}
