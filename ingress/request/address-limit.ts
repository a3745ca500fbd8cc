// Rate limit of client addresses that show no valid key: 20 requests a second, counted in a table of bounded size.
import { BoundedCache } from '../../shared/kernel/bounded-cache.ts';
import { isIPv6 } from 'node:net';
import type { LimitAnswer } from './limit.ts';

export const ANONYMOUS_PER_SECOND = 20;
const WINDOW_MS = 1_000;
/** About 2 MB. When the table is full, an address that was not seen lately is dropped and starts a new window. */
const MAX_ADDRESSES = 10_000;

export interface AnonymousLimiter {
  consume(address: string): LimitAnswer;
  peek(address: string): LimitAnswer;
}

export interface AnonymousLimiterDeps {
  readonly monotonicMs: () => number;
  readonly perSecond?: number;
  readonly maxAddresses?: number;
}

interface Window {
  startedMs: number;
  count: number;
}

/** Requests without a key get no `RateLimit` headers: the budget is not theirs alone. */
const ALLOWED: LimitAnswer = { allowed: true, retryAfterSeconds: 0, headers: {} };
const REFUSED: LimitAnswer = { allowed: false, retryAfterSeconds: 1, headers: {} };

/**
 * Not built with the library that counts keys: its memory is unbounded, so anybody could fill it. Each process counts for
 * itself.
 */
export function createAnonymousLimiter(deps: AnonymousLimiterDeps): AnonymousLimiter {
  const { monotonicMs, perSecond = ANONYMOUS_PER_SECOND, maxAddresses = MAX_ADDRESSES } = deps;
  const windows = new BoundedCache<Window>({ max: maxAddresses });

  const current = (client: string): Window | undefined => {
    const window = windows.get(client);
    return window !== undefined && monotonicMs() - window.startedMs < WINDOW_MS ? window : undefined;
  };

  return {
    consume(address) {
      const client = clientOf(address);
      const window = current(client);
      if (window === undefined) {
        windows.set(client, { startedMs: monotonicMs(), count: 1 });
        return ALLOWED;
      }
      if (window.count >= perSecond) return REFUSED;
      window.count += 1;
      return ALLOWED;
    },
    peek(address) {
      const window = current(clientOf(address));
      return window !== undefined && window.count >= perSecond ? REFUSED : ALLOWED;
    },
  };
}

/**
 * The name by which a client is counted: an IPv4 address, also when it is mapped into IPv6, or the first 64 bits of an
 * IPv6 address, because each subscriber has at least a /64 (RFC 6177).
 */
export function clientOf(address: string): string {
  const plain = address.split('%', 1)[0] ?? '';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  // An IPv4 address at the end stands for two groups.
  const groups = back.length + (back.at(-1)?.includes('.') ? 1 : 0);
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - groups);
  const all = [...front, ...Array<string>(zeros).fill('0'), ...back];
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
