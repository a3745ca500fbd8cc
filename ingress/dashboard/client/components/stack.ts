// Stacked series: the upper edge of each layer, and the layer at a height. Pure.

/** The upper edges, from the bottom up. A bucket without a value in any layer has no edge in all of them. */
export function stackOf(layers: readonly (readonly (number | null)[])[]): (number | null)[][] {
  const edges: (number | null)[][] = [];
  const isKnown = (layers[0] ?? []).map((_, bucket) => layers.every((layer) => layer[bucket] !== null));
  for (const layer of layers) {
    const below = edges.at(-1);
    edges.push(layer.map((value, bucket) => (isKnown[bucket] === true ? (below?.[bucket] ?? 0) + (value ?? 0) : null)));
  }
  return edges;
}

/** The buckets whose neighbours have no value: a curve has no line there. */
export function isolatedIn(values: readonly (number | null | undefined)[]): number[] {
  const isKnown = (at: number): boolean => typeof values[at] === 'number';
  return [...values.keys()].filter((at) => isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1));
}

/** The layer in which a height is; undefined: above all. @param heights of the layers, from the bottom up */
export function layerAt(heights: readonly number[], height: number): number | undefined {
  let edge = 0;
  for (const [layer, each] of heights.entries()) {
    edge += each;
    if (height <= edge && each > 0) return layer;
  }
  return undefined;
}
