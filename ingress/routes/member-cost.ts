// What a request with many questions costs against the rate limit.

/** So many questions, or so many characters in them, cost one unit: as much as the longest text of `POST /v1/intent`. */
const QUESTIONS = 10;
const CHARACTERS = 10_000;

/** The characters of all texts in a JSON value. Bodies are not nested deeply (shared/kernel/json.ts). */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, inner) => sum + charactersIn(inner), 0);
}

/** Units of the rate limit: reading takes time for each question, and for each character. */
export function costOfMembers(members: readonly unknown[]): number {
  return Math.max(Math.ceil(members.length / QUESTIONS), Math.ceil(charactersIn(members) / CHARACTERS));
}
