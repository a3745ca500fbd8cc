// The reason codes of a decision as one text, by which decisions are indexed.
import { byText } from '../../kernel/order.ts';
import type { Verdict } from '../../kernel/vocabulary.ts';

/** An index entry has at most 2,704 bytes, and a code at most 64. */
const MAX_CODES = 16;

/** The distinct codes in the order of the alphabet: decisions for the same reasons have the same text. */
export function joinCodes(codes: readonly string[]): string {
  return [...new Set(codes)].slice(0, MAX_CODES).sort(byText).join(' ');
}

/** The column `reasons` of a decision. Null for ALLOW: most decisions are, and are not indexed by reason. */
export function reasonCodesOf(verdict: Verdict, reasons: readonly { readonly code: string }[]): string | null {
  return verdict === 'ALLOW' ? null : joinCodes(reasons.map(({ code }) => code));
}
