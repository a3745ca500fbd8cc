// Checks responses against the OpenAPI document: status, content type, headers and body must be documented.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isTimestamp } from '../../shared/api/formats.ts';
import { ERROR_TABLE } from '../../shared/kernel/errors.ts';

type Json = Record<string, unknown>;

export interface Answer {
  readonly method: string;
  /** With or without a query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** @throws {Error} when the response does not match the document */
export type OpenApiCheck = (answer: Answer) => void;

const escape = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** The name of the shared response that an operation refers to. */
function nameOfShared(response: Json): string | undefined {
  return typeof response['$ref'] === 'string' ? response['$ref'].replace('#/components/responses/', '') : undefined;
}

/** The statuses of the problems that the response `default` of the operations describes. */
function statusesOfDefault(responses: Json): number[] {
  const { content } = (responses['Common'] ?? { content: {} }) as { readonly content: Json };
  const codes: readonly string[] = JSON.stringify(content).match(/E\d{4}/g) ?? [];
  return Object.entries(ERROR_TABLE).flatMap(([code, { statuses }]) => (codes.includes(code) ? statuses : []));
}

interface Documented {
  readonly pattern: RegExp;
  readonly template: string;
  readonly operations: Readonly<Record<string, Json>>;
}

/** A check against one document. Schemas are compiled on first use. */
export function createOpenApiCheck(document: Json): OpenApiCheck {
  const components = document['components'] as Json;
  const commonStatuses = statusesOfDefault(components['responses'] as Json);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('date-time', isTimestamp);
  ajv.addSchema({ ...document, $id: 'document' });
  const compiled = new Map<string, ValidateFunction>();
  const validator = (...keys: string[]): ValidateFunction => {
    const ref = `document#/${keys.map((key) => encodeURIComponent(escape(key))).join('/')}`;
    let validate = compiled.get(ref);
    if (validate === undefined) compiled.set(ref, (validate = ajv.compile({ $ref: ref })));
    return validate;
  };
  const paths: Documented[] = Object.entries(document['paths'] as Json).map(([template, operations]) => ({
    template,
    operations: operations as Record<string, Json>,
    pattern: new RegExp(`^${template.replaceAll(/[.+?^$()|[\]\\*]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  // As in the service's router, literal paths take precedence over templates.
  paths.sort((a, b) => Number(a.template.includes('{')) - Number(b.template.includes('{')));

  return (answer) => {
    const path = answer.path.split('?', 1)[0] ?? '';
    const method = answer.method.toLowerCase();
    const type = String(answer.headers['content-type'] ?? '');
    const bare = type.split(';', 1)[0] ?? '';
    const fail = (what: string): never => {
      throw new Error(
        `${answer.method} ${answer.path} answered ${answer.status}: ${what}\n${answer.text.slice(0, 2_000)}`,
      );
    };
    if (!/^[A-Za-z0-9._:-]{1,128}$/.test(String(answer.headers['x-request-id']))) fail('no X-Request-Id');
    if (method === 'head' || method === 'options') {
      if (answer.text !== '') fail(`a body in an answer to ${answer.method}`);
      return;
    }
    const parse = (): unknown => {
      try {
        return JSON.parse(answer.text);
      } catch {
        return fail('the body is not JSON');
      }
    };
    const check = (validate: ValidateFunction, body: unknown): void => {
      if (!validate(body)) fail(`the body is not as documented: ${ajv.errorsText(validate.errors)}`);
    };
    const found = paths.find((entry) => entry.pattern.test(path) && entry.operations[method] !== undefined);
    if (found === undefined) {
      if (answer.status < 400 && path.startsWith('/docs')) return;
      if (bare !== 'application/problem+json') fail(`no such operation, and the content type is ${type}`);
      const body = parse() as Json;
      check(validator('components', 'schemas', 'Problem'), body);
      if ((components['responses'] as Json)[String(body['code'])] === undefined)
        fail(`the code ${String(body['code'])} is not documented`);
      return;
    }
    const responses = found.operations[method]?.['responses'] as Record<string, Json>;
    const own = responses[String(answer.status)];
    const isCommon = own === undefined && commonStatuses.includes(answer.status);
    const documented = isCommon ? responses['default'] : own;
    if (documented === undefined)
      return fail(`the status is not documented (${Object.keys(responses).join(', ')} are)`);
    const shared = nameOfShared(documented);
    const place =
      shared === undefined
        ? ['paths', found.template, method, 'responses', String(answer.status)]
        : ['components', 'responses', shared];
    const response = shared === undefined ? documented : (components['responses'] as Record<string, Json>)[shared];
    if (response === undefined) return fail(`the response refers to ${shared}, which does not exist`);
    const content = response['content'] as Json | undefined;
    if (content === undefined) {
      if (answer.text !== '' && answer.status !== 304) fail('a body where none is documented');
      return;
    }
    if (content[bare] === undefined)
      return fail(`the content type ${type} is not documented (${Object.keys(content).join(', ')} are)`);
    if (!bare.includes('json')) return;
    const body = parse();
    check(validator(...place, 'content', bare, 'schema'), body);
    if (bare === 'application/problem+json') {
      const problem = body as Json;
      if (problem['status'] !== answer.status) fail('the status of the problem is another than the answer has');
      if (problem['message'] !== problem['detail']) fail('the message of the problem is not its detail');
      if (problem['requestId'] !== answer.headers['x-request-id']) fail('the requestId is not X-Request-Id');
    }
  };
}
