// Strings that are remembered after their text is gone.

/** A copy of a part of a text: the part itself would keep all of the text in memory. */
export const ownCopy = (part: string): string => ` ${part}`.slice(1);
