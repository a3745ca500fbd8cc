// Metrics of decisions and of the policy set.
import { Counter, Gauge, type Registry } from 'prom-client';
import { VERDICTS, type Verdict } from '../../kernel/vocabulary.ts';
import type { ToolFacts } from '../../core/tools/call.ts';
import type { Decider } from './decider.ts';
import type { PolicyStatus } from '../policy-sets/active-set.ts';

export interface DecisionMetrics {
  /** @param call of a question about a tool call */
  countDecision(verdict: Verdict, call?: Pick<ToolFacts, 'known' | 'changed'>): void;
}

/** A closed list: names of tools come from callers and would make endless series. */
const TOOL_STATES = ['known', 'changed', 'unknown'] as const;

function stateOf({ known, changed }: Pick<ToolFacts, 'known' | 'changed'>): (typeof TOOL_STATES)[number] {
  if (!known) return 'unknown';
  return changed ? 'changed' : 'known';
}

/** A decider that counts the decisions it has recorded. */
export function countingDecider(decider: Decider, { countDecision }: DecisionMetrics): Decider {
  return {
    ...decider,
    recorded(question, answer) {
      countDecision(answer.evaluation.verdict, answer.facts.tool);
      decider.recorded(question, answer);
    },
  };
}

export function createDecisionMetrics(registry: Registry, status: () => PolicyStatus): DecisionMetrics {
  const decisions = new Counter({
    name: 'custos_decisions_total',
    help: 'Decisions on record that this process made, by verdict',
    labelNames: ['verdict'] as const,
    registers: [registry],
  });
  const ofTools = new Counter({
    name: 'custos_tool_decisions_total',
    help: 'Decisions about tool calls, by verdict and by what the catalogues say of the tool (known, changed, unknown)',
    labelNames: ['verdict', 'tool'] as const,
    registers: [registry],
  });
  // Series that exist from the start show a rate from the first decision on.
  const children = new Map(VERDICTS.map((verdict) => [verdict, decisions.labels({ verdict })]));
  const childrenOfTools = new Map(
    VERDICTS.flatMap((verdict) =>
      TOOL_STATES.map((tool) => [`${verdict} ${tool}`, ofTools.labels({ verdict, tool })] as const),
    ),
  );
  for (const child of [...children.values(), ...childrenOfTools.values()]) child.inc(0);
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
  return {
    countDecision(verdict, call) {
      children.get(verdict)?.inc();
      if (call !== undefined) childrenOfTools.get(`${verdict} ${stateOf(call)}`)?.inc();
    },
  };
}
