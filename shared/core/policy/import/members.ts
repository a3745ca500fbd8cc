// Reads values of unknown types from YAML: a value of another type counts as absent.

export type Members = Readonly<Record<string, unknown>>;

export const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textsOf = (value: unknown): string[] =>
  itemsOf(value).filter((item): item is string => typeof item === 'string');
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
/** A text on one line. */
export const lineOf = (value: unknown): string => textOf(value).trim().replace(/\s+/g, ' ');
