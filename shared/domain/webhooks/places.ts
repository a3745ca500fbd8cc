// The places of a process for deliveries, divided fairly: an organisation whose receivers are slow delays no other's messages.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { createShares } from '../../kernel/shares.ts';

/** Deliveries at once in a process. One waits for its receivers most of the time, up to 20 s when they don't answer. */
export const PLACES = 32;
/**
 * Most places of receivers that are not known to be quick. However many organisations have receivers that hang, and however often they make
 * new ones, the other places are for receivers that answer.
 */
export const SLOW_PLACES = 16;

export interface Places {
  /** Takes a place, to be given back with `end`. @returns undefined: there is none for this endpoint now; it waits */
  begin(organisationId: string, endpointId: string, isQuick: boolean): Place | undefined;
  /** Gives a place back. @returns waiting endpoints that may begin now, at most one of each organisation; they wait no longer */
  end(place: Place): string[];
}

export interface Place {
  readonly organisationId: string;
  readonly isQuick: boolean;
}

/** Both kinds are divided as shares.ts says. */
export function createPlaces(total: number, slowTotal: number): Places {
  const all = createShares(total);
  const slow = createShares(slowTotal);
  /** Endpoints by organisation, in the order in which organisations have their turn; with whether they are quick. */
  const waiting = new Map<string, Map<string, boolean>>();
  const mayTake = (organisationId: string, isQuick: boolean): boolean =>
    all.mayTake(organisationId) && (isQuick || slow.mayTake(organisationId));

  return {
    begin(organisationId, endpointId, isQuick) {
      if (mayTake(organisationId, isQuick)) {
        all.take(organisationId);
        if (!isQuick) slow.take(organisationId);
        return { organisationId, isQuick };
      }
      const endpoints = waiting.get(organisationId) ?? new Map<string, boolean>();
      waiting.set(organisationId, endpoints.set(endpointId, isQuick));
      return undefined;
    },
    end({ organisationId, isQuick }) {
      all.giveBack(organisationId);
      if (!isQuick) slow.giveBack(organisationId);
      return [...waiting].flatMap(([each, endpoints]) => {
        const next = [...endpoints].find(([, isNextQuick]) => mayTake(each, isNextQuick));
        if (next === undefined) return [];
        endpoints.delete(next[0]);
        // Its next turn is after those of the others.
        waiting.delete(each);
        if (endpoints.size > 0) waiting.set(each, endpoints);
        return next[0];
      });
    },
  };
}

/** A receiver whose messages took longer than this is not quick. */
const QUICK_WITHIN_MS = 5_000;
const MAX_KNOWN = 10_000;

/** What a receiver did with some messages. */
export interface Handled {
  readonly outcome: string;
  readonly durationMs: number;
}

/** Remembers which receivers were quick the last time. A new address has shown nothing yet. */
export interface QuickReceivers {
  has(url: string, endpointId: string): boolean;
  /** Quick is who took a message, and was late with none. */
  note(url: string, endpointId: string, handled: readonly Handled[]): void;
}

export function createQuickReceivers(): QuickReceivers {
  const known = new BoundedCache<true>({ max: MAX_KNOWN });
  const idOf = (url: string, endpointId: string): string => `${endpointId} ${url}`;
  return {
    has: (url, endpointId) => known.get(idOf(url, endpointId)) === true,
    note(url, endpointId, handled) {
      const isQuick =
        handled.some(({ outcome }) => outcome === 'delivered') &&
        handled.every(({ durationMs }) => durationMs <= QUICK_WITHIN_MS);
      if (isQuick) known.set(idOf(url, endpointId), true);
      else known.delete(idOf(url, endpointId));
    },
  };
}
