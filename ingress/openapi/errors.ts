// The error responses of the OpenAPI document: one component for each set of codes that some operation can answer with.
import { ERROR_TABLE, type ErrorCode } from '../../shared/kernel/errors.ts';
import type { Route } from '../route.ts';
import { header, type Json } from './components.ts';

/** Codes in the order of the table. */
// Object.keys returns string[].
const CODES = Object.keys(ERROR_TABLE) as ErrorCode[];

/** All error codes of a route: its own, and those of every route of its kind. */
export function errorCodesOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>(['E2001', 'E6001', 'E6002', ...(route.errors ?? [])]);
  const add = (...more: ErrorCode[]): void => more.forEach((code) => codes.add(code));
  if (route.unlimited !== true || route.access !== 'none') add('E3001');
  if (route.access !== 'none') add('E1001', 'E1002', 'E1003');
  if (typeof route.access === 'object') add('E1004');
  if (route.request?.body !== undefined) add('E2005', 'E2006', 'E2009');
  if (route.idempotent === true) add('E2010');
  return CODES.filter((code) => codes.has(code));
}

const statusesOf = (code: ErrorCode): readonly number[] => ERROR_TABLE[code].statuses;

/** Statuses of problems that do not depend on the operation. They are described once, as the response `default`. */
const COMMON_STATUSES: readonly number[] = [401, 403, 413, 415, 429, 500, 503];
const COMMON = 'Common';

/** The codes themselves, and the status where it is not the usual one: `E2001_E2006`, `E2010_422`. */
function nameOf(status: number, codes: readonly ErrorCode[]): string {
  const isUsual = codes.every((code) => statusesOf(code)[0] === status);
  return codes.join('_') + (isUsual ? '' : `_${status}`);
}

function problemOf(codes: readonly ErrorCode[], description: string, headers: Json): Json {
  return {
    description,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties: { code: { enum: codes } } }],
        },
      },
    },
  };
}

/** Without X-Request-Id, which every answer has: the description of the service says so. */
function headersOf(status: number, codes: readonly ErrorCode[]): Json {
  return {
    ...(status === 429 || status === 503 || (status === 409 && codes.includes('E2010'))
      ? { 'Retry-After': header('RetryAfter') }
      : {}),
    ...(status === 405 ? { Allow: header('Allow') } : {}),
    ...(status === 429 ? { 'RateLimit-Policy': header('RateLimitPolicy'), RateLimit: header('RateLimit') } : {}),
  };
}

/** The error responses of a document, as components. */
export class ErrorResponses {
  /** Also one for each code that COMMON does not explain, because others name only its title, and E4004 and E4005 have no operation. */
  readonly byName: Json = {};

  constructor() {
    const isCommon = (code: ErrorCode): boolean => statusesOf(code).some((status) => COMMON_STATUSES.includes(status));
    const common = CODES.filter(isCommon);
    for (const code of CODES) if (!isCommon(code)) this.refer(ERROR_TABLE[code].statuses[0], [code]);
    const meanings = common.map((code) => `${statusesOf(code).join(', ')} ${code}: ${ERROR_TABLE[code].when}`);
    const headers = Object.assign(
      { 'X-Request-Id': header('RequestId') },
      ...COMMON_STATUSES.map((status) => headersOf(status, common)),
    ) as Json;
    this.byName[COMMON] = problemOf(
      common,
      `Problems that do not depend on the operation. ${meanings.join('. ')}.`,
      headers,
    );
  }

  /** The responses of a route by status, each as a reference; those of every operation are one, `default`. */
  of(route: Route): Record<string, Json> {
    return { ...this.byStatus(route), default: { $ref: `#/components/responses/${COMMON}` } };
  }

  private byStatus(route: Route): Record<string, Json> {
    const byStatus = new Map<number, ErrorCode[]>();
    for (const code of errorCodesOf(route))
      for (const status of statusesOf(code)) {
        // Only routes that name the code themselves refuse the content of files so.
        if (code === 'E2001' && status === 422 && !route.errors?.includes(code)) continue;
        if (COMMON_STATUSES.includes(status) && route.responses[status] === undefined) continue;
        byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
      }
    return Object.fromEntries([...byStatus].map(([status, codes]) => [String(status), this.refer(status, codes)]));
  }

  /** The response that a reference of `of` names. */
  referred({ $ref: ref }: Json): Json {
    // Made by `refer`.
    return this.byName[String(ref).slice('#/components/responses/'.length)] as Json;
  }

  private refer(status: number, codes: readonly ErrorCode[]): Json {
    const name = nameOf(status, codes);
    // The response of each single code has its meaning in full.
    const text = codes.length === 1 ? 'when' : 'title';
    const description = codes.map((code) => `${code}: ${ERROR_TABLE[code][text]}`).join('. ');
    this.byName[name] ??= problemOf(codes, description, headersOf(status, codes));
    return { $ref: `#/components/responses/${name}` };
  }
}
