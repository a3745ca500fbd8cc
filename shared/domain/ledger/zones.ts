// Zone maps over 256 consecutive leaves each, with which a filtered list skips leaves without reading them. Pure.

/** Leaves of a zone: few enough to read for one match, and enough that all zones can be scanned. */
export const ZONE = 256;

/** The members of a leaf that a zone summarizes. */
export interface ZoneLeaf {
  readonly event: string;
  readonly entityId: string;
  readonly occurredAtMs: number;
}

export interface Zone {
  readonly firstIndex: number;
  readonly earliestMs: number;
  readonly latestMs: number;
  /** Sorted, each once. */
  readonly marks: Int32Array;
}

/**
 * The hash under which a zone is searched: of an event, an entity, or (both given) an event of an entity. FNV-1a over the UTF-16
 * units. It is stored, so it never changes. A collision only costs the reading of a zone.
 */
export function leafMark(event: string, entityId: string): number {
  const text = `${event}\n${entityId}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}

/**
 * The zones that these leaves complete.
 * @param from the index of the first leaf, which begins a zone
 */
export function zonesOf(from: number, leaves: readonly ZoneLeaf[]): Zone[] {
  const zones: Zone[] = [];
  for (let end = ZONE; end <= leaves.length; end += ZONE) {
    const marks = new Set<number>();
    let [earliestMs, latestMs] = [Infinity, -Infinity];
    for (let i = end - ZONE; i < end; i += 1) {
      const { event, entityId, occurredAtMs } = leaves[i] as ZoneLeaf;
      marks.add(leafMark(event, '')).add(leafMark('', entityId)).add(leafMark(event, entityId));
      earliestMs = Math.min(earliestMs, occurredAtMs);
      latestMs = Math.max(latestMs, occurredAtMs);
    }
    zones.push({ firstIndex: from + end - ZONE, earliestMs, latestMs, marks: Int32Array.from(marks).sort() });
  }
  return zones;
}
