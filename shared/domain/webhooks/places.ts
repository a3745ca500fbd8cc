// The places of a process for deliveries, divided fairly: an organisation whose receivers are slow delays no other's messages.
import { createShares } from '../../kernel/shares.ts';

/** Deliveries at once in a process. One waits for its receivers most of the time, up to 20 s when they don't answer. */
export const PLACES = 32;

export interface Places {
  /** Takes a place, to be given back with `end`. @returns false: there is none for this organisation now; the endpoint waits */
  begin(organisationId: string, endpointId: string): boolean;
  /** Gives a place back. @returns waiting endpoints that may begin now, at most one of each organisation; they wait no longer */
  end(organisationId: string): string[];
}

/** Divided as shares.ts says. */
export function createPlaces(total: number): Places {
  const shares = createShares(total);
  /** Endpoints by organisation, in the order in which organisations have their turn. */
  const waiting = new Map<string, Set<string>>();

  return {
    begin(organisationId, endpointId) {
      if (shares.take(organisationId)) return true;
      const endpoints = waiting.get(organisationId) ?? new Set();
      waiting.set(organisationId, endpoints.add(endpointId));
      return false;
    },
    end(organisationId) {
      shares.giveBack(organisationId);
      return [...waiting].flatMap(([each, endpoints]) => {
        const [next] = endpoints;
        if (next === undefined || !shares.mayTake(each)) return [];
        endpoints.delete(next);
        // Its next turn is after those of the others.
        waiting.delete(each);
        if (endpoints.size > 0) waiting.set(each, endpoints);
        return next;
      });
    },
  };
}
