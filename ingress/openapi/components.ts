// The parts of the OpenAPI document that operations refer to: schemas with an `$id`, headers and parameters.

export type Json = Record<string, unknown>;

/** The schemas that have an `$id`, by it. */
export class Schemas {
  readonly byId: Json = {};

  /**
   * A copy of a schema in which every schema with an `$id`, itself included, is a reference to a component.
   * @throws {Error} when two different schemas have one `$id`
   */
  refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((member) => this.refer(member));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { $id: id, ...rest } = schema as Json;
    if (typeof id !== 'string') return this.members(schema as Json);
    const own = this.members(rest);
    const known = this.byId[id];
    if (known === undefined) this.byId[id] = own;
    else if (JSON.stringify(known) !== JSON.stringify(own)) throw new Error(`two schemas have the $id ${id}`);
    return { $ref: `#/components/schemas/${id}` };
  }

  private members(schema: Json): Json {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.refer(value)]));
  }
}

const HEADERS = {
  RequestId: {
    description: "The request's id in logs; the caller's own if it sent a valid one",
    required: true,
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'The windows that count this key (IETF draft ratelimit-headers)',
    schema: { type: 'string' },
  },
  RateLimit: { description: 'What is left of the windows (IETF draft ratelimit-headers)', schema: { type: 'string' } },
  ETag: {
    description: 'The version of the answer: sent as If-None-Match, it gets 304 until the answer changes',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds until the request may be repeated', schema: { type: 'integer', minimum: 1 } },
  Allow: { description: 'The methods of the endpoint', schema: { type: 'string' } },
  PreferenceApplied: {
    description: '`wait=N` when the answer waited as the request preferred',
    schema: { type: 'string' },
  },
};

const PARAMETERS = {
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an earlier answer: 304 when it is still the current one',
    schema: { type: 'string' },
  },
  Wait: {
    name: 'Prefer',
    in: 'header',
    description:
      '`wait=N` (RFC 7240), N from 1 to 30: the answer comes when what is asked for is settled, at the latest after N seconds. Without `Preference-Applied` in the answer, pause before you ask again.',
    schema: { type: 'string' },
    example: 'wait=30',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
};

export const header = (name: keyof typeof HEADERS): Json => ({ $ref: `#/components/headers/${name}` });
export const parameter = (name: keyof typeof PARAMETERS): Json => ({ $ref: `#/components/parameters/${name}` });

const NOT_MODIFIED = {
  description: 'The answer is the one whose ETag If-None-Match names. Without a body.',
  headers: { 'X-Request-Id': header('RequestId'), ETag: header('ETag') },
};
export const NOT_MODIFIED_RESPONSE: Json = { $ref: '#/components/responses/NotModified' };

/** The components that do not depend on the routes. */
export const FIXED_COMPONENTS = {
  headers: HEADERS,
  responses: { NotModified: NOT_MODIFIED },
  parameters: PARAMETERS,
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer cst_...' },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'X-API-Key: cst_...' },
  },
};
