// The OpenAPI document: valid by the standard, complete by the error table; invalid routes are refused.
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { Type } from 'typebox';
import { compact } from '../../../ingress/openapi/compact.ts';
import { buildOpenApi } from '../../../ingress/openapi/document.ts';
import { errorCodesOf } from '../../../ingress/openapi/errors.ts';
import type { Route } from '../../../ingress/route.ts';
import { healthRoutes } from '../../../ingress/routes/health.ts';
import { referenceRoutes } from '../../../ingress/routes/reference.ts';
import { ERROR_TABLE } from '../../../shared/kernel/errors.ts';
import { createMetrics } from '../../../shared/platform/observe/metrics.ts';
import { openApiDocument } from '../../drift/generated.ts';
import { createOpenApiCheck } from '../../support/openapi-check.ts';
import { sampleRoutes } from '../../support/sample-app.ts';

const routes = (): Route[] => [
  ...sampleRoutes(),
  ...referenceRoutes(),
  ...healthRoutes({
    readiness: [],
    halted: async () => [],
    isStopping: () => false,
    metrics: createMetrics({ processMetrics: false }),
    access: 'none',
    isOperator: async () => false,
  }),
];

function simple(more: Partial<Route>): Route {
  return {
    method: 'GET',
    path: '/v1/simple',
    operationId: 'getSimple',
    access: 'none',
    tag: 'T',
    summary: 's',
    request: {},
    responses: { 200: { description: 'd' } },
    errors: [],
    handler: () => ({ status: 200 }),
    ...more,
  };
}

describe('the OpenAPI document', () => {
  const document = buildOpenApi(routes(), { version: '1.2.3' });

  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    expect(result.valid, JSON.stringify(result.errors, null, 1)).to.equal(true);
    expect(document.openapi).to.match(/^3\.1\./);
  });
  it('has every route, under the operationId of its definition', () => {
    for (const { path, method, operationId } of routes())
      expect(document.paths[path]?.[method.toLowerCase()], path).to.include({ operationId });
  });
  const names: [string, string, Partial<Route>][] = [
    ['is missing', 'no operationId in camelCase', { operationId: undefined }],
    ['is not camelCase', 'no operationId in camelCase', { operationId: 'get_simple' }],
    ['another route has', 'has the operationId createThing of POST /v1/things', { operationId: 'createThing' }],
  ];
  for (const [what, message, route] of names) {
    it(`refuses a route whose operationId ${what}`, () => {
      expect(() => buildOpenApi([...routes(), simple(route)], { version: '1' })).to.throw(message);
    });
  }
  it('documents every code of the error table, with its meaning', () => {
    const meanings = JSON.stringify(document.components.responses);
    for (const [code, { when }] of Object.entries(ERROR_TABLE)) expect(meanings).to.contain(`${code}: ${when}`);
    const anywhere = JSON.stringify([document.paths, document.components.responses['Common']]);
    // Unknown paths and methods belong to no operation.
    for (const code of Object.keys(ERROR_TABLE).filter((c) => !['E4004', 'E4005'].includes(c)))
      expect(anywhere, code).to.contain(code);
  });
  it('documents for each route the codes that it can return', () => {
    expect(errorCodesOf(simple({ unlimited: true }))).to.deep.equal(['E2001', 'E6001', 'E6002']);
    expect(errorCodesOf(simple({ access: 'any' }))).to.include.members(['E1001', 'E1002', 'E1003', 'E3001']);
    expect(errorCodesOf(simple({ access: 'any' }))).not.to.include('E1004');
    expect(errorCodesOf(simple({ access: ['trust:read'] }))).to.include('E1004');
    expect(
      errorCodesOf(simple({ method: 'POST', request: { body: Type.Object({}) }, idempotent: true })),
    ).to.include.members(['E2005', 'E2006', 'E2009', 'E2010']);
  });
  it('has one component for every schema with an $id, and refers to it', () => {
    expect(document.components.schemas).to.have.property('Thing');
    expect(JSON.stringify(document.paths)).to.contain('#/components/schemas/Thing').and.not.to.contain('$id');
    const other = simple({
      path: '/v1/other',
      operationId: 'getOther',
      responses: { 200: { description: 'd', schema: Type.Object({}, { $id: 'Thing' }) } },
    });
    expect(() => buildOpenApi([...routes(), other], { version: '1' })).to.throw('two schemas have the $id Thing');
  });
  it('refuses a path whose parameters are not those of its schema', () => {
    expect(() => buildOpenApi([simple({ path: '/v1/{id}' })], { version: '1' })).to.throw('{id}');
  });
});

/** A part of a document with the component in the place of each reference, and unions with null in one spelling. */
function expanded(part: unknown, document: object): unknown {
  if (Array.isArray(part)) return part.map((one) => expanded(one, document));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, ...members } = part as Record<string, unknown>;
  if (typeof $ref === 'string')
    return expanded(
      $ref
        .slice(2)
        .split('/')
        // A reference names a place in the document.
        .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document),
      document,
    );
  const whole = Object.fromEntries(Object.entries(members).map(([name, one]) => [name, expanded(one, document)]));
  const { type } = whole;
  if (!Array.isArray(type)) return whole;
  return { anyOf: type.map((one: unknown) => (one === 'null' ? { type: one } : { ...whole, type: one })) };
}

describe('the compact document', () => {
  it('says the same as the whole one, in fewer bytes', () => {
    const whole = openApiDocument();
    const small = compact(whole);
    expect(expanded(small.paths, small)).to.deep.equal(expanded(whole.paths, whole));
    expect(JSON.stringify(small).length).to.be.below(JSON.stringify(whole).length * 0.95);
  });
  it('has a reference in the place of what a component repeats, and both spellings of null', () => {
    const page = {
      type: 'string',
      description: 'Long enough to be worth a reference. '.repeat(4),
    };
    const schema = Type.Unsafe({
      type: 'object',
      properties: { a: page, b: page, c: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    });
    const response = simple({ responses: { 200: { description: 'd', schema } } });
    const small = compact(buildOpenApi([response], { version: '1' }));
    const answer = JSON.stringify(small.paths['/v1/simple']?.['get']);
    expect(small.components.schemas).to.have.property('A').that.deep.equals(page);
    expect(answer).to.contain('"a":{"$ref":"#/components/schemas/A"},"b":{"$ref":"#/components/schemas/A"}');
    expect(answer).to.contain('"c":{"type":["string","null"]}');
  });
});

describe('the check of answers against the document', () => {
  const check = createOpenApiCheck(buildOpenApi(routes(), { version: '1' }));
  const good = {
    method: 'POST',
    path: '/v1/things',
    operationId: 'createThing',
    status: 201,
    headers: { 'x-request-id': 'r', 'content-type': 'application/json; charset=utf-8' },
    text: '{"name":"a"}',
  };
  it('accepts a documented answer', () => {
    expect(() => check(good)).not.to.throw();
  });
  const wrong: [string, Partial<typeof good>, RegExp][] = [
    ['an undocumented status', { status: 200 }, /status is not documented/],
    ['another content type', { headers: { ...good.headers, 'content-type': 'text/html' } }, /content type/],
    ['an undocumented member', { text: '{"name":"a","x":1}' }, /not as documented/],
    ['a body that is not JSON', { text: '{' }, /not JSON/],
    ['no request id', { headers: { ...good.headers, 'x-request-id': '' } }, /X-Request-Id/],
    ['an answer of an undocumented operation', { path: '/v1/none' }, /no such operation/],
  ];
  for (const [what, change, message] of wrong) {
    it(`refuses ${what}`, () => {
      expect(() => check({ ...good, ...change })).to.throw(message);
    });
  }
});
