// What reading the code in one text may cost. Nested substitutions, open quotes and comments make a reader look at the same characters again.

export interface AboutText {
  /** Whether the text with this one is PowerShell. */
  powerShell?: { readonly text: string; readonly is: boolean };
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
