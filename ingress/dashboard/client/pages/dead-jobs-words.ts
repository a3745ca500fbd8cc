// Dead jobs in words: what a job does, and what went wrong. Pure.
import type { JobMap } from '#shared/kernel/jobs.js';
import type { DeadJob } from '../wire/jobs.ts';

type Words = { readonly [Q in keyof JobMap]: { readonly [N in keyof JobMap[Q]]: string } };

/** What each job does. A job that is missing here does not compile. */
const WORDS: Words = {
  intents: { evaluate: 'Decide a submitted intent' },
  trust: { fold: 'Compute trust from new signals' },
  proofs: { append: 'Append records to the log' },
  webhooks: { deliver: 'Send events to a webhook' },
  upkeep: {
    sweep: 'Queue lost work again',
    'expire-approvals': 'Close expired approvals',
    'forget-changes': 'Delete old rows of the change feed',
    'forget-idempotency': 'Delete old stored answers',
    audit: 'Audit the log',
    replay: 'Run a replay of a policy draft',
    'forget-replays': 'Delete old replays',
    'forget-budgets': 'Delete old charges of budgets',
    'forget-deliveries': 'Delete old webhook deliveries',
    retain: 'Make and drop partitions',
  },
};

/** Of unknown jobs, for example of a later version: queue and name. */
export function jobWords({ queue, name }: Pick<DeadJob, 'queue' | 'name'>): string {
  const ofQueue: Readonly<Record<string, string>> | undefined = Object.hasOwn(WORDS, queue)
    ? WORDS[queue as keyof Words]
    : undefined;
  return ofQueue !== undefined && Object.hasOwn(ofQueue, name) ? (ofQueue[name] ?? name) : `${queue} / ${name}`;
}

/** Characters of an error's first line that the list shows. */
const FIRST_LINE = 200;

/** The first line of an error without its class: "Error: canceling statement" is "Canceling statement". */
export function errorSentence(error: string): string {
  const [first = ''] = error.split('\n', 1);
  const text = first.replace(/^[A-Z]\w*(?:Error|Exception)?: (?=\S)/, '');
  const cut = text.length > FIRST_LINE ? `${text.slice(0, FIRST_LINE)}…` : text;
  return `${cut.charAt(0).toUpperCase()}${cut.slice(1)}`;
}
