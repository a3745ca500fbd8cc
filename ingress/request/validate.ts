// What a request says: its path, query and body under the route's schemas, and every error with its place.
import type { Request } from 'express';
import { ApiError, type FieldError } from '../../shared/kernel/errors.ts';
import type { Route } from '../route.ts';
import type { Exchange } from './exchange.ts';
import { fieldErrors, MAX_FIELD_ERRORS } from './field-errors.ts';
import { coerceParameters, parseQuery } from './query.ts';
import { type Compile, plainSchema, type Validator } from './schema.ts';
import type { TSchema } from 'typebox';

type Plain = Readonly<Record<string, unknown>>;

interface Part {
  readonly validator: Validator;
  readonly properties: Plain;
}

/** A route with everything compiled that can be. */
export interface CompiledRoute {
  readonly route: Route;
  /** Method and path template. */
  readonly name: string;
  readonly params: Part | undefined;
  readonly query: Part | undefined;
  readonly body: Validator | undefined;
}

export interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Above this size only the first error of a body is looked for: all errors of a large array are a way to eat memory. */
const THOROUGH_LIMIT_BYTES = 65_536;

const NO_MEMBERS = Object.freeze({});

function part(compile: Compile, schema: TSchema | undefined): Part | undefined {
  if (schema === undefined) return undefined;
  return { validator: compile(schema), properties: (plainSchema(schema)['properties'] ?? {}) as Plain };
}

/** Compiles what a route's schemas allow. @throws {Error} when a schema is not valid */
export function prepare(route: Route, compile: Compile): CompiledRoute {
  return {
    route,
    name: `${route.method} ${route.path}`,
    params: part(compile, route.request.params),
    query: part(compile, route.request.query),
    body: route.request.body === undefined ? undefined : compile(route.request.body),
  };
}

/** Parameters and body under their schemas. @throws {ApiError} E2001 with at most 20 field errors */
export function validate(prepared: CompiledRoute, x: Exchange, body: unknown, bodyBytes: number): Input {
  const errors: FieldError[] = [];
  const req = x.req as Request;
  let params: unknown = NO_MEMBERS;
  if (prepared.params !== undefined) {
    // Express types parameters as strings or lists; lists come from wildcards, which no route has.
    const given = req.params as Record<string, string>;
    for (const name in given)
      if (given[name]?.includes('\u0000'))
        errors.push({ pointer: `{${name}}`, message: 'must not contain the character U+0000' });
    params = coerceParameters(given, prepared.params.properties);
    if (!prepared.params.validator.valid(params)) {
      errors.push(...fieldErrors(prepared.params.validator.explain(params, true), (p) => `{${p.slice(1)}}`));
    }
  }
  let query: unknown = NO_MEMBERS;
  const url = req.url;
  const at = url.indexOf('?');
  if (at !== -1 || prepared.query !== undefined) {
    const given = at === -1 ? {} : parseQuery(url.slice(at + 1));
    if (prepared.query === undefined) {
      errors.push(...Object.keys(given).map((name) => ({ pointer: `?${name}`, message: 'is not known here' })));
    } else {
      query = coerceParameters(given, prepared.query.properties);
      if (!prepared.query.validator.valid(query)) {
        errors.push(...fieldErrors(prepared.query.validator.explain(query, true), (p) => `?${p.slice(1)}`));
      }
    }
  }
  if (prepared.body !== undefined && !prepared.body.valid(body)) {
    errors.push(...fieldErrors(prepared.body.explain(body, bodyBytes <= THOROUGH_LIMIT_BYTES)));
  }
  if (errors.length > 0) {
    const [first] = errors;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    throw new ApiError('E2001', `The request is invalid: ${first?.pointer || 'the body'} ${first?.message}${more}.`, {
      errors: errors.slice(0, MAX_FIELD_ERRORS),
    });
  }
  return { params, query, body };
}
