// Requests must come from the dashboard's own pages (CSRF protection), and from a page of the session's key and environment. A page of another site can make
// the browser send the session cookie, but cannot set a custom header and cannot hide its origin.
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { ApiError } from '../../shared/kernel/errors.ts';

/** Pages of other origins could send this header only if CORS allowed it, which it never does here. */
export const OWN_HEADER = 'x-custos-dashboard';

/**
 * The environment and the key that a page shows. All windows of a browser share a session, so another window may have switched it, or signed in
 * with another key, also of another organisation: what was meant for one must not be carried out in the other.
 */
const ENVIRONMENT_HEADER = 'x-custos-environment';
const KEY_HEADER = 'x-custos-key';

/** @throws {ApiError} E5002 when the page shows another environment or key than those of the session */
export function assertShown(headers: IncomingHttpHeaders, key: Pick<AuthenticatedKey, 'environment' | 'keyId'>): void {
  const isOther = (header: string, own: string): boolean => headers[header] !== undefined && headers[header] !== own;
  if (isOther(KEY_HEADER, key.keyId))
    throw new ApiError(
      'E5002',
      'This window shows another key: in another window somebody signed in. Reload the page.',
    );
  if (isOther(ENVIRONMENT_HEADER, key.environment))
    throw new ApiError(
      'E5002',
      `This window shows another environment: your session was switched to ${key.environment} in another window. Reload the page.`,
    );
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

const refuse = (why: string): ApiError =>
  new ApiError('E1004', `The request does not come from the dashboard's own pages: ${why}.`);

/** The refusal of a request whose headers name another origin; undefined when they name this one or none. */
function foreignOrigin({ headers, host }: Request): ApiError | undefined {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return refuse('the browser says that another site sent it');
  const { origin } = headers;
  if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host))
    return refuse('its Origin is another host');
  return undefined;
}

/**
 * The refusal of a request from another page, if it is one. SameSite=Strict already keeps the cookie from other sites; this
 * also covers browsers that ignore it, and other origins of the same site (another port).
 */
export function foreignRequest(req: Request): ApiError | undefined {
  if (SAFE.has(req.method)) return undefined;
  if (req.headers[OWN_HEADER] !== '1') return refuse('it lacks the header X-Custos-Dashboard: 1');
  return foreignOrigin(req);
}

/** The same for bull-board, whose pages cannot send the header: the browser must name the origin instead. */
export function foreignBoardRequest(req: Request): ApiError | undefined {
  if (SAFE.has(req.method)) return undefined;
  const { origin, 'sec-fetch-site': site } = req.headers;
  if (origin === undefined && site === undefined) return refuse('it has neither Origin nor Sec-Fetch-Site');
  return foreignOrigin(req);
}
