// Validates a request: headers that must be there once, and path, query and body against the route's schemas; every error names its place.
import type { Request } from 'express';
import type { TSchema } from 'typebox';
import { ApiError, type FieldError } from '../../shared/kernel/errors.ts';
import { createSingleHeaders } from '../../shared/platform/http/single-headers.ts';
import type { RequestSpec, Route } from '../route.ts';
import { fieldErrors, MAX_FIELD_ERRORS } from './field-errors.ts';
import { coerceParameters, parseQuery } from './query.ts';
import { type Compile, plainSchema, type Validator } from './schema.ts';
import { respell, type Spelling, spellingOf } from './spelling.ts';

interface ParameterSchema {
  readonly validator: Validator;
  readonly spelling: Spelling | undefined;
  /** The schemas of the parameters by name. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** A route with the validators of its schemas. */
export interface CompiledRoute {
  readonly route: Route;
  readonly params: ParameterSchema | undefined;
  readonly query: ParameterSchema | undefined;
  readonly body: BodySchema | undefined;
}

/** The schema of a body, compiled. */
export interface BodySchema {
  /** The value in the schema's spelling of its members, and what is wrong with it. */
  check(given: unknown, bodyBytes: number): { readonly value: unknown; readonly errors: readonly FieldError[] };
}

export interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Of a larger body only the first error is reported: collecting all errors of a large array can exhaust the memory. */
const ALL_ERRORS_UP_TO_BYTES = 65_536;

const NO_PARAMETERS = Object.freeze({});

/** `described` covers members that `body` leaves open, because they are checked later: they are respelled, too. */
export function compileBody(
  compile: Compile,
  body: TSchema,
  { described, oneSpelling = false }: Pick<RequestSpec, 'described'> & { readonly oneSpelling?: boolean } = {},
): BodySchema {
  const validator = compile(body);
  const spelling = oneSpelling ? undefined : spellingOf(described ?? body);
  const spellingHere = described === undefined ? spelling : spellingOf(body);
  return {
    check(given, bodyBytes) {
      let conflicts: FieldError[] = [];
      const value = spelling === undefined ? given : respell(given, spelling, conflicts);
      if (conflicts.length > 0 && described !== undefined) {
        conflicts = [];
        if (spellingHere !== undefined) respell(value, spellingHere, conflicts);
      }
      if (conflicts.length > 0 || validator.valid(value)) return { value, errors: conflicts };
      return { value, errors: fieldErrors(validator.explain(value, bodyBytes <= ALL_ERRORS_UP_TO_BYTES)) };
    },
  };
}

export function compileRoute(route: Route, compile: Compile): CompiledRoute {
  const { request = {} } = route;
  const { params, query, body } = request;
  const parameters = (schema: TSchema | undefined): ParameterSchema | undefined =>
    schema && {
      validator: compile(schema),
      spelling: spellingOf(schema),
      properties: (plainSchema(schema)['properties'] ?? {}) as ParameterSchema['properties'],
    };
  return {
    route,
    params: parameters(params),
    query: parameters(query),
    body: body && compileBody(compile, body, { ...request, oneSpelling: route.dialect === 'authzen' }),
  };
}

/** @param place turns a JSON pointer into the notation of these parameters */
function validParameters(
  given: Readonly<Record<string, string>>,
  { validator, properties }: ParameterSchema,
  place: (pointer: string) => string,
  errors: FieldError[],
): unknown {
  const values = coerceParameters(given, properties);
  if (!validator.valid(values)) errors.push(...fieldErrors(validator.explain(values, true), place));
  return values;
}

function validPath(schema: ParameterSchema | undefined, req: Request, errors: FieldError[]): unknown {
  if (schema === undefined) return NO_PARAMETERS;
  // Express types parameters as strings or lists; lists come from wildcards, which no route has.
  const given = req.params as Record<string, string>;
  for (const [name, value] of Object.entries(given))
    if (value.includes('\u0000'))
      errors.push({ pointer: `{${name}}`, message: 'must not contain the character U+0000' });
  return validParameters(given, schema, (pointer) => `{${pointer.slice(1)}}`, errors);
}

function validQuery(schema: ParameterSchema | undefined, url: string, errors: FieldError[]): unknown {
  const at = url.indexOf('?');
  if (at === -1 && schema === undefined) return NO_PARAMETERS;
  const given = at === -1 ? {} : parseQuery(url.slice(at + 1));
  const place = (pointer: string): string => `?${pointer.slice(1)}`;
  if (schema !== undefined) {
    const { spelling } = schema;
    const conflicts: FieldError[] = [];
    // Its values are texts, as those of parseQuery.
    const named = spelling === undefined ? given : (respell(given, spelling, conflicts) as typeof given);
    if (conflicts.length === 0) return validParameters(named, schema, place, errors);
    errors.push(...conflicts.map(({ pointer, message }) => ({ pointer: place(pointer), message })));
    return NO_PARAMETERS;
  }
  errors.push(...Object.keys(given).map((name) => ({ pointer: `?${name}`, message: 'is not known here' })));
  return NO_PARAMETERS;
}

/** Parameters and body under their schemas. @throws {ApiError} E2001 with at most 20 field errors */
export function validate(schemas: CompiledRoute, req: Request, body: unknown, bodyBytes: number): Input {
  const errors: FieldError[] = [];
  const params = validPath(schemas.params, req, errors);
  const query = validQuery(schemas.query, req.url, errors);
  const checked = schemas.body?.check(body, bodyBytes);
  if (checked !== undefined) errors.push(...checked.errors);
  const [first] = errors;
  if (first === undefined) return { params, query, body: checked?.value };
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  throw new ApiError('E2001', `The request is invalid: ${first.pointer || 'the body'} ${first.message}${more}.`, {
    errors: errors.slice(0, MAX_FIELD_ERRORS),
  });
}

/** node:http takes the first of several or joins them, and a proxy before this service may have judged the request by another one. */
const repeatedHeader = createSingleHeaders(['Host', 'Authorization', 'Content-Type', 'Idempotency-Key']);

function wrongHeader(name: string, what: string): ApiError {
  const message = `the header ${name} ${what}`;
  return new ApiError('E2001', `T${message.slice(1)}.`, { errors: [{ pointer: '', message }] });
}

/**
 * Refuses a request with two headers of one value, or without the Host that HTTP/1.1 requires (RFC 9112 section 3.2), which node:http would
 * answer without a problem document. @throws {ApiError} E2001
 */
export function assertSingleHeaders({ headers, rawHeaders, httpVersion }: Request): void {
  const twice = repeatedHeader(rawHeaders);
  if (twice !== undefined) throw wrongHeader(twice, 'must be sent only once');
  if (httpVersion === '1.1' && headers.host === undefined) throw wrongHeader('Host', 'is required');
}
