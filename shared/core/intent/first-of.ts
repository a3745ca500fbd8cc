// Limits how much is read, and says where more was there: what is cut may be what matters.

/** The first of some, and whether there were more. Whoever cuts must let its result say that the rest was not read. */
export function firstOf<One>(
  all: readonly One[],
  most: number,
): { readonly kept: readonly One[]; readonly isCut: boolean } {
  return all.length > most ? { kept: all.slice(0, most), isCut: true } : { kept: all, isCut: false };
}

/** The beginning of a text, and whether it goes on. */
export const beginningOf = (text: string, most: number): { readonly kept: string; readonly isCut: boolean } =>
  text.length > most ? { kept: text.slice(0, most), isCut: true } : { kept: text, isCut: false };
