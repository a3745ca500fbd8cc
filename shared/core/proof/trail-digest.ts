// How the record of an operator's action covers what it does not show: the address, and what was changed. Pure.
import { createHash } from 'node:crypto';

/** SHA-256, lower-case hex, with what differs between any two rows as a salt. */
export function digestInTrail(
  { requestId, seq }: { readonly requestId: string; readonly seq: number },
  text: string,
): string {
  return createHash('sha256').update(`${requestId}\n${seq}\n${text}`).digest('hex');
}
