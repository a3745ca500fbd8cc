// Requests that change something must come from our own pages: another site's page can make a browser send the cookie's
// owner anywhere, but can set no header of ours and cannot hide where it is.
import type { Request } from 'express';
import { ApiError } from '../../shared/kernel/errors.ts';

/** A header that a page of another origin can only send when we allow it (CORS), which we never do. */
export const OWN_HEADER = 'x-custos-dashboard';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

const refuse = (why: string): ApiError =>
  new ApiError('E1004', `The request does not come from the dashboard's own pages: ${why}.`);

/** What the browser says of where a request comes from; `undefined`: it says nothing that speaks against it. */
function foreignOrigin({ headers, host }: Request): ApiError | undefined {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return refuse('the browser says that another site sent it');
  const { origin } = headers;
  if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host))
    return refuse('its Origin is another host');
  return undefined;
}

/**
 * Why a request may not be answered, if so. SameSite=Strict keeps the cookie away from other sites' requests already;
 * this holds where a browser does not keep to that, and against other origins of the same site (another port).
 */
export function foreignRequest(req: Request): ApiError | undefined {
  if (SAFE.has(req.method)) return undefined;
  if (req.headers[OWN_HEADER] !== '1') return refuse('it lacks the header X-Custos-Dashboard: 1');
  return foreignOrigin(req);
}

/** The same for pages that are not ours to write, which cannot send our header: the browser must say where it comes from. */
export function foreignBoardRequest(req: Request): ApiError | undefined {
  if (SAFE.has(req.method)) return undefined;
  const { origin, 'sec-fetch-site': site } = req.headers;
  if (origin === undefined && site === undefined) return refuse('it does not say where it comes from');
  return foreignOrigin(req);
}
