// What reading the code in one text may cost. Nested substitutions, open quotes and comments make a reader look at the same characters again.

export interface AboutText {
  /** Whether the text with this one is PowerShell. */
  powerShell?: { readonly text: string; readonly is: boolean };
  /** For patterns that are sought in it, the place of the next match for each one at or after `from`. */
  next?: { readonly text: string; readonly places: Map<RegExp, { readonly from: number; readonly at: number }> };
}

/** A pattern that is sought in the rest of a text, from further and further places on. It looks behind nowhere but at its own beginning. */
export interface Sought {
  readonly after: RegExp;
  /** At the beginning of the rest. */
  readonly here: RegExp;
}
export const sought = ({ source, flags }: RegExp): Sought => ({
  after: new RegExp(source, `${flags}g`),
  here: new RegExp(`^(?:${source})`, flags),
});

/** Whether a pattern occurs in `text.slice(from)`. However often that is asked from further places on, the text is gone through once. */
export function occursFrom({ after, here }: Sought, text: string, from: number, about: AboutText): boolean {
  if (about.next?.text !== text) about.next = { text, places: new Map() };
  const { places } = about.next;
  let known = places.get(after);
  if (known === undefined || from < known.from || known.at < from) {
    after.lastIndex = from;
    known = { from, at: after.exec(text)?.index ?? Infinity };
    places.set(after, known);
  }
  return known.at < Infinity || here.test(text.slice(from));
}

/** Shared by all readers of one text. When nothing is left, the rest of the code counts as not understood. */
export interface Effort {
  /** Characters that may still be looked at. */
  left: number;
  /** What was found out about the text as a whole, once for all that read it. */
  readonly about: AboutText;
}

const TIMES = 4;
/** Lets a short text with much nested code be read whole. */
const LEAST = 20_000;

/** @param length of the text in characters */
export const newEffort = (length: number, about: AboutText = {}): Effort => ({ left: TIMES * length + LEAST, about });
