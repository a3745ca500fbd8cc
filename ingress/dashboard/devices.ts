// Browsers in which a key has signed in before: their attempts are counted apart from those of strangers at the same address,
// who could otherwise use up what an operator needs.
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Devices {
  /** For the browser to keep and to show when this key signs in the next time. It opens nothing: it is worth tries, no more. */
  issue(keyId: string): string;
  /** Under which name its attempts with this key are counted; undefined when it was not issued for it. */
  nameOf(token: string | undefined, keyId: string | undefined): string | undefined;
}

/**
 * All browsers of a key share their tries, and nothing is stored: so who holds some valid key gains no tries for another
 * one, and no number of rows to push the counts of addresses out with.
 * @param pepper the service's secret (CUSTOS_PEPPER), the same in all processes
 */
export function createDevices(pepper: string): Devices {
  const key = createHmac('sha256', pepper).update('dashboard-device').digest();
  const tokenOf = (keyId: string): string => createHmac('sha256', key).update(keyId).digest('base64url');
  return {
    issue: tokenOf,
    nameOf(token, keyId) {
      if (token === undefined || keyId === undefined) return undefined;
      const [shown, right] = [Buffer.from(token), Buffer.from(tokenOf(keyId))];
      return shown.length === right.length && timingSafeEqual(shown, right) ? `browsers of ${keyId}` : undefined;
    },
  };
}
