// Schemas of the AuthZEN Authorization API 1.0. Its rules hold here: unknown members are ignored.
import { Type } from 'typebox';
import { JsonObject } from './common.ts';

const open = { additionalProperties: true };
const name = (description: string, example: string) => Type.String({ minLength: 1, description, examples: [example] });
const properties = Type.Optional(JsonObject({ description: 'Attributes, which policies read below `properties`.' }));

const Subject = Type.Object(
  {
    type: name('Without a colon: the agent is `<type>:<id>`.', 'user'),
    id: name('Unique among the subjects of its type.', 'alice'),
    properties,
  },
  { $id: 'AuthzenSubject', description: 'Who acts.', ...open },
);
const Action = Type.Object(
  { name: name('Read by policies/authzen.json, else by the lexicon.', 'can_read'), properties },
  { $id: 'AuthzenAction', description: 'What is done.', ...open },
);
const Resource = Type.Object(
  {
    type: name('The first part of the resource, `<type>/<id>`.', 'record'),
    id: name('An asterisk is text, not a wildcard.', 'record-1'),
    properties,
  },
  { $id: 'AuthzenResource', description: 'What it is done to.', ...open },
);
const RequestContext = Type.Optional(
  JsonObject({
    description:
      'Facts of the request, which policies read as `context.env`. `approval.id` names the approval that an earlier answer asked for.',
    examples: [{ ip: '192.0.2.7' }],
  }),
);

export const EvaluationRequest = Type.Object(
  { subject: Subject, action: Action, resource: Resource, context: RequestContext },
  { $id: 'AuthzenEvaluationRequest', ...open },
);

export const SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const;
export type Semantic = (typeof SEMANTICS)[number];
export const MAX_EVALUATIONS = 100;

const anything = (description: string, example: unknown) =>
  Type.Optional(Type.Unsafe<unknown>({ description, examples: [example] }));

export const EvaluationsRequest = Type.Object(
  {
    subject: anything('The default of every member.', { type: 'user', id: 'alice' }),
    action: anything('The default of every member.', { name: 'can_read' }),
    resource: anything('The default of every member.', { type: 'record' }),
    context: anything('The default of every member.', { ip: '192.0.2.7' }),
    evaluations: Type.Optional(
      // Members are checked one by one: a wrong one is denied in its place.
      Type.Array(Type.Unsafe<unknown>({ description: 'An AuthzenEvaluationRequest without what is a default.' }), {
        maxItems: MAX_EVALUATIONS,
        description: 'Absent or empty: the request is a single evaluation.',
        examples: [[{ resource: { id: 'record-1' } }, { resource: { id: 'record-2' } }]],
      }),
    ),
    options: Type.Optional(
      Type.Object(
        {
          evaluations_semantic: Type.Optional(
            Type.Unsafe<Semantic>({
              type: 'string',
              enum: SEMANTICS,
              description:
                'Whether all members are evaluated (the default), or in order until the first that is denied, or permitted. Members after it are neither evaluated nor recorded, and have no answer.',
            }),
          ),
        },
        { ...open, description: 'How the members are evaluated.' },
      ),
    ),
  },
  { $id: 'AuthzenEvaluationsRequest', ...open },
);

export const EvaluationResponse = Type.Object(
  {
    decision: Type.Boolean({
      description: 'Whether the subject may go on. DEGRADE is true only for a key that keeps all of its obligations.',
    }),
    context: JsonObject({
      description:
        'verdict, decision_id, reasons, obligations, and for ESCALATE approval and access_request; in a batch `error` when a member could not be evaluated.',
    }),
  },
  { $id: 'AuthzenEvaluationResponse', additionalProperties: false },
);
export const EvaluationsResponse = Type.Object(
  { evaluations: Type.Array(EvaluationResponse, { description: 'In the order of the request.' }) },
  { $id: 'AuthzenEvaluationsResponse', additionalProperties: false },
);

const Page = Type.Optional(
  Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({ minimum: 1, description: 'The most results of a page. Default 50, at most 200.' }),
      ),
      token: Type.Optional(Type.String({ description: 'The next_token of the page before.' })),
    },
    { ...open, description: 'Which page of the results.' },
  ),
);
const subjectSought = Type.Object(
  { type: name('The type that is looked for.', 'user'), properties },
  { ...open, description: 'The subjects that are looked for.' },
);

export const SubjectSearchRequest = Type.Object(
  { subject: subjectSought, action: Action, resource: Resource, context: RequestContext, page: Page },
  { $id: 'AuthzenSubjectSearchRequest', ...open },
);
const resourceSought = Type.Object(
  { type: name('The type that is looked for: the first segment of the names.', 'db'), properties },
  { ...open, description: 'The resources that are looked for.' },
);
export const ResourceSearchRequest = Type.Object(
  { subject: Subject, action: Action, resource: resourceSought, context: RequestContext, page: Page },
  { $id: 'AuthzenResourceSearchRequest', ...open },
);
export const ActionSearchRequest = Type.Object(
  { subject: Subject, resource: Resource, context: RequestContext, page: Page },
  { $id: 'AuthzenActionSearchRequest', ...open },
);

const NextPage = Type.Object(
  { next_token: Type.String({ description: 'Empty: there are no more results.' }) },
  { additionalProperties: false, description: 'How to get the next page.' },
);
const found = (result: ReturnType<typeof Type.Object>, id: string) =>
  Type.Object(
    { results: Type.Array(result, { description: 'One page of them.' }), page: NextPage },
    { $id: id, additionalProperties: false },
  );
const text = (description: string) => Type.String({ description });
export const SubjectSearchResponse = found(
  Type.Object({ type: text('Its type.'), id: text('Its id among them.') }, { additionalProperties: false }),
  'AuthzenSubjectSearchResponse',
);
export const ResourceSearchResponse = found(
  Type.Object({ type: text('Its type.'), id: text('The rest of its name.') }, { additionalProperties: false }),
  'AuthzenResourceSearchResponse',
);
export const ActionSearchResponse = found(
  Type.Object({ name: text('The name of the action.') }, { additionalProperties: false }),
  'AuthzenActionSearchResponse',
);

const endpoint = (description: string) => Type.String({ description });
export const AuthzenConfiguration = Type.Object(
  {
    policy_decision_point: endpoint('The address of this service.'),
    access_evaluation_endpoint: endpoint('POST /access/v1/evaluation'),
    access_evaluations_endpoint: endpoint('POST /access/v1/evaluations'),
    search_subject_endpoint: endpoint('POST /access/v1/search/subject'),
    search_action_endpoint: endpoint('POST /access/v1/search/action'),
    search_resource_endpoint: endpoint('POST /access/v1/search/resource'),
  },
  { $id: 'AuthzenConfiguration', additionalProperties: false },
);
