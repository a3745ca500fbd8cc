// The schema of problem documents (RFC 9457, and the members that Custos adds).
import { type Static, Type } from 'typebox';
import { type ApiError, ERROR_CATEGORIES, ERROR_TABLE, type ErrorCode } from '../kernel/errors.ts';
import { named, StringEnum } from './common.ts';

const CODES = Object.keys(ERROR_TABLE) as ErrorCode[];

export const FieldErrorSchema = named('FieldError', {
  pointer: Type.String({
    description: 'RFC 6901 pointer into the body, or ?name for a query parameter, {name} for a path parameter',
  }),
  message: Type.String({ description: 'what is wrong there' }),
});

const PROBLEM = {
  type: '/v1/reference/errors#E2001',
  title: 'Request invalid',
  status: 400,
  detail: 'The request is invalid: /agent_id is required.',
  message: 'The request is invalid: /agent_id is required.',
  instance: '/v1/enforce',
  code: 'E2001',
  category: 'validation',
  retryable: false,
  requestId: 'req_01jq3k5v7w9x1y3z5b7d9f1h3k',
  errors: [{ pointer: '/agent_id', message: 'is required' }],
};

export const ProblemSchema = named(
  'Problem',
  {
    type: Type.String({ description: 'a reference that names the kind of problem' }),
    title: Type.String({ description: 'the name of the code' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'the HTTP status' }),
    detail: Type.String({ description: 'what was wrong with this request, and what to do' }),
    message: Type.String({ description: 'the same as `detail`, under the name that clients of other services read' }),
    instance: Type.String({ description: 'the path of the request' }),
    code: StringEnum(CODES, { description: 'what happened: see GET /v1/reference/errors' }),
    category: StringEnum(ERROR_CATEGORIES, { description: 'the kind of the code' }),
    retryable: Type.Boolean({ description: 'whether the same request may succeed later' }),
    requestId: Type.String({ description: 'X-Request-Id of the answer' }),
    errors: Type.Optional(
      Type.Array(FieldErrorSchema, { maxItems: 20, description: 'the members that are wrong, at most 20' }),
    ),
  },
  { description: 'Why a request was refused or failed (RFC 9457).', examples: [PROBLEM] },
);
type Problem = Static<typeof ProblemSchema>;

/** The problem document of an error; `instance` is the path of the request. */
export function toProblem(error: ApiError, instance: string, requestId: string): Problem {
  const { title, category, retryable } = ERROR_TABLE[error.code];
  return {
    type: `/v1/reference/errors#${error.code}`,
    title,
    status: error.status,
    detail: error.message,
    message: error.message,
    instance,
    code: error.code,
    category,
    retryable: retryable || (error.code === 'E2010' && error.status === 409),
    requestId,
    ...(error.errors === undefined ? {} : { errors: [...error.errors] }),
  };
}
