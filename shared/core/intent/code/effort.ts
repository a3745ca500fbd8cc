// What reading the code in one text may cost. Nested substitutions, open quotes and comments make a reader look at the same characters again.

/** Shared by all readers of one text. When nothing is left, the rest of the code counts as not understood. */
export interface Effort {
  /** Characters that may still be looked at. */
  left: number;
  /** Whether the text with this one is PowerShell; looked up once. */
  powerShell?: { readonly text: string; readonly is: boolean };
}

const TIMES = 4;
/** Lets a short text with much nested code be read whole. */
const LEAST = 20_000;

/** @param length of the text in characters */
export const newEffort = (length: number): Effort => ({ left: TIMES * length + LEAST });
