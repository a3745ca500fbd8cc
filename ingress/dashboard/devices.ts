// Tokens for browsers in which a key has signed in before. Their attempts are counted apart from other clients at the same
// address, so that strangers behind a shared address cannot use up an operator's attempts.
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Devices {
  /** A token that the browser keeps and sends when this key signs in again. It grants attempts of its own and nothing else. */
  issue(keyId: string): string;
  /** The name under which the attempts of this token are counted; undefined when it was not issued for the key. */
  nameOf(token: string | undefined, keyId: string | undefined): string | undefined;
}

/**
 * All browsers of a key share one count, and nothing is stored. So the holder of one valid key gains no attempts for
 * another key, and cannot fill the table of counts.
 * @param pepper CUSTOS_PEPPER, the same in all processes
 */
export function createDevices(pepper: string): Devices {
  const key = createHmac('sha256', pepper).update('dashboard-device').digest();
  const issue = (keyId: string): string => createHmac('sha256', key).update(keyId).digest('base64url');
  return {
    issue,
    nameOf(token, keyId) {
      if (token === undefined || keyId === undefined) return undefined;
      const [shown, right] = [Buffer.from(token), Buffer.from(issue(keyId))];
      return shown.length === right.length && timingSafeEqual(shown, right) ? `browsers of ${keyId}` : undefined;
    },
  };
}
