// The places of a process for deliveries, divided fairly: an organisation whose receivers are slow delays no other's messages.

/** Deliveries at once in a process. One waits for its receivers most of the time, up to 20 s when they don't answer. */
export const PLACES = 32;

export interface Places {
  /** Takes a place, to be given back with `end`. @returns false: there is none for this organisation now; the endpoint waits */
  begin(organisationId: string, endpointId: string): boolean;
  /** Gives a place back. @returns waiting endpoints that may begin now, at most one of each organisation; they wait no longer */
  end(organisationId: string): string[];
}

/**
 * An organisation may take a place while it holds fewer than are free: alone at most half of them, a second one half of the rest. So
 * there is a free place for the next organisation until log2(total) of them hold all they may.
 */
export function createPlaces(total: number): Places {
  const held = new Map<string, number>();
  /** Endpoints by organisation, in the order in which organisations have their turn. */
  const waiting = new Map<string, Set<string>>();
  let free = total;

  const mayBegin = (organisationId: string): boolean => (held.get(organisationId) ?? 0) < free;

  return {
    begin(organisationId, endpointId) {
      if (mayBegin(organisationId)) {
        held.set(organisationId, (held.get(organisationId) ?? 0) + 1);
        free -= 1;
        return true;
      }
      const endpoints = waiting.get(organisationId) ?? new Set();
      waiting.set(organisationId, endpoints.add(endpointId));
      return false;
    },
    end(organisationId) {
      const left = (held.get(organisationId) ?? 0) - 1;
      if (left > 0) held.set(organisationId, left);
      else held.delete(organisationId);
      free += 1;
      return [...waiting].flatMap(([each, endpoints]) => {
        const [next] = endpoints;
        if (next === undefined || !mayBegin(each)) return [];
        endpoints.delete(next);
        // Its next turn is after those of the others.
        waiting.delete(each);
        if (endpoints.size > 0) waiting.set(each, endpoints);
        return next;
      });
    },
  };
}
