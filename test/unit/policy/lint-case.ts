// The form of a linter case, and short builders for its policies.
import { ALWAYS, policy } from './support.ts';
import type { PolicyLike } from './support.ts';

export const is = (path: string, operator: string, value: unknown): object => {
  const [fact = '', ...rest] = path.split('.');
  return rest.length === 0 ? { fact, operator, value } : { fact, path: rest.join('.'), operator, value };
};
export const all = (...parts: readonly object[]) => ({ all: parts });
export const any = (...parts: readonly object[]) => ({ any: parts });
export const not = (part: object) => ({ not: part });
export const level = (operator: string, value: number) => is('trust.level', operator, value);
export const to = (actions: readonly string[], resources: readonly string[], more: Record<string, unknown> = {}) => ({
  target: { actions, resources, ...more },
});
export const db = (...actions: readonly string[]) => to(actions, ['db/*']);
export const degrade = (id: string, ...obligations: readonly object[]): PolicyLike => {
  const event = { type: 'DEGRADE', params: { code: 'LIMITED', message: 'limited', obligations } };
  return policy(id, 'DEGRADE', ALWAYS, { ...db('read'), rules: [{ name: 'only', conditions: ALWAYS, event }] });
};
export const degradeIf = (
  id: string,
  conditions: object,
  target: Record<string, unknown>,
  obligations: readonly object[] = [{ type: 'read_only' }],
): PolicyLike => {
  const event = { type: 'DEGRADE', params: { code: 'LIMITED', message: 'limited', obligations } };
  return policy(id, 'DEGRADE', conditions, { ...target, rules: [{ name: 'only', conditions, event }] });
};
export const escalating = (
  id: string,
  more: object,
  conditions: object = ALWAYS,
  target: Record<string, unknown> = db('delete'),
): PolicyLike => {
  const event = { type: 'ESCALATE', params: { code: 'ASKED', message: 'asked', ...more } };
  return policy(id, 'ESCALATE', conditions, { ...target, rules: [{ name: 'only', conditions, event }] });
};
export const withBudget = (document: PolicyLike, name = 'changes'): PolicyLike => ({
  ...document,
  rules: document.rules.map((rule) => ({ ...rule, budget: { name, window: '1h', limit: 10 } })),
});
export const risk = (id: string, score: number, conditions: unknown): PolicyLike => {
  const event = { type: 'RISK', params: { factor: 'extent', score, message: 'touches much' } };
  return policy(id, 'RISK', ALWAYS, { stage: 'intake', rules: [{ name: 'only', conditions, event }] });
};
export const euros = (amount: number) => is('intent.entities.money', 'amountAbove', { amount, currency: 'EUR' });

export interface LintCase {
  readonly name: string;
  readonly policies: readonly PolicyLike[];
  /** `severity CODE policy pointer` of each finding. */
  readonly says: readonly string[];
}
