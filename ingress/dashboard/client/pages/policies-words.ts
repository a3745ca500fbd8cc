// Conditions of rules in words. Pure.
import type { Comparison, ItemCondition } from '#shared/core/policy/schema.js';

export const OPERATOR_WORDS: Readonly<Record<string, string>> = {
  equal: 'is',
  notEqual: 'is not',
  in: 'is one of',
  notIn: 'is none of',
  lessThan: 'is below',
  lessThanInclusive: 'is at most',
  greaterThan: 'is above',
  greaterThanInclusive: 'is at least',
  contains: 'contains',
  doesNotContain: 'does not contain',
  containsAny: 'contains one of',
  containsAll: 'contains all of',
  containsNone: 'contains none of',
  some: 'has an item whose',
  every: 'has only items whose',
  startsWith: 'starts with',
  endsWith: 'ends with',
  matchesResource: 'matches',
  withinHours: 'is within',
  before: 'is before',
  after: 'is after',
  olderThan: 'is older than',
  newerThan: 'is newer than',
  inCidr: 'is in the network',
  amountAbove: 'is more than',
  isPresent: 'is present',
  hostIn: 'is one of the hosts',
  matchesGlob: 'matches the glob',
  matchesPattern: 'matches the pattern',
};

/** `intent.effect` */
export function factName({ fact, path }: Pick<Comparison, 'fact' | 'path'>): string {
  return path === undefined ? fact : `${fact}.${path}`;
}

interface HoursValue {
  readonly hours?: string;
  readonly zone?: string;
  readonly days?: readonly string[];
}

function isHours(value: unknown): value is HoursValue {
  return typeof value === 'object' && value !== null && ('hours' in value || 'days' in value);
}

/** `08:00-18:00 Europe/Berlin, mon fri` */
function hoursWords({ hours, zone = 'UTC', days }: HoursValue): string {
  const when = `${hours ?? 'all day'} ${zone}`;
  return days === undefined ? when : `${when}, ${days.join(' ')}`;
}

function isItemCondition(value: unknown): value is ItemCondition {
  return typeof value === 'object' && value !== null && ['all', 'any', 'not', 'operator'].some((key) => key in value);
}

function itemWords(condition: ItemCondition): string {
  if ('not' in condition) return `not (${itemWords(condition.not)})`;
  if ('all' in condition) return condition.all.map(itemWords).join(' and ');
  if ('any' in condition) return `(${condition.any.map(itemWords).join(' or ')})`;
  const { path = 'value', operator, value } = condition;
  const words = operatorWords({ fact: 'item', operator, value });
  return operator === 'isPresent'
    ? `${path} ${words}`
    : `${path} ${words} ${Array.isArray(value) ? value.map(one).join(', ') : one(value)}`;
}

function one(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value)
    return `${String(value.amount)} ${String(value.currency)}`;
  if (typeof value === 'object' && value !== null && 'constant' in value)
    return `the constant ${String(value.constant)}`;
  if (isFact(value)) return `the fact ${factName(value)}`;
  if (isHours(value)) return hoursWords(value);
  if (isItemCondition(value)) return itemWords(value);
  return JSON.stringify(value) ?? String(value);
}

/** Whether a comparison is with another fact. */
const isFact = (value: unknown): value is Pick<Comparison, 'fact' | 'path'> =>
  typeof value === 'object' && value !== null && 'fact' in value && typeof value.fact === 'string';

/** The values that the fact is compared with; none for isPresent. */
export function compared({ operator, value }: Comparison): readonly string[] {
  if (operator === 'isPresent') return [];
  return Array.isArray(value) ? value.map(one) : [one(value)];
}

export function operatorWords({ operator, value }: Comparison): string {
  if (operator === 'isPresent' && value === false) return 'is absent';
  // An operator of a newer service is shown by its name.
  return OPERATOR_WORDS[operator] ?? operator;
}
