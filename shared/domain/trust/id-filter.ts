// A set of very many ids in little memory, which may take an id that it lacks for one of its own (a Bloom filter).

export interface IdFilter {
  add(id: string): void;
  /** True for every id that was added, and for a few others. */
  mayHave(id: string): boolean;
}

/** 2 MB for a million ids: of those that it lacks, it has about one of 400 by mistake. */
const BITS_EACH = 16;
const HASHES = 4;
/** 64 MB. Above 32 million ids more are mistaken: one of 30 among a hundred million. */
const MOST_BITS = 2 ** 29;

/** FNV-1a with another start, and the finalizer of MurmurHash3, without which the lowest bits of alike ids are alike. */
function hash(id: string, seed: number): number {
  let h = seed ^ 0x811c_9dc5;
  for (let i = 0; i < id.length; i += 1) h = Math.imul(h ^ id.charCodeAt(i), 0x0100_0193);
  h = Math.imul(h ^ (h >>> 16), 0x85eb_ca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** @param seed another one mistakes other ids */
export function createIdFilter(expected: number, seed: number): IdFilter {
  const bits = Math.min(MOST_BITS, 2 ** Math.ceil(Math.log2(Math.max(1_024, expected * BITS_EACH))));
  const bytes = new Uint8Array(bits / 8);
  /** The places of an id, by two hashes (Kirsch and Mitzenmacher, "Less Hashing, Same Performance"). */
  const placesOf = (id: string): number[] => {
    const [first, step] = [hash(id, seed), hash(id, ~seed) | 1];
    return Array.from({ length: HASHES }, (_, n) => (first + Math.imul(n, step)) & (bits - 1));
  };
  return {
    add(id) {
      for (const place of placesOf(id)) bytes[place >>> 3] = (bytes[place >>> 3] ?? 0) | (1 << (place & 7));
    },
    mayHave: (id) => placesOf(id).every((place) => ((bytes[place >>> 3] ?? 0) & (1 << (place & 7))) !== 0),
  };
}
