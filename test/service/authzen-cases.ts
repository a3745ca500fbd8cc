// Requests that the certification scenario of the AuthZEN Authorization API 1.0 describes, and the gateway interop vectors: facts only.

const user = (id: string, properties?: object) => ({ type: 'user', id, ...(properties && { properties }) });
const record = (id: string, properties?: object) => ({ type: 'record', id, ...(properties && { properties }) });
const action = (name: string, properties?: object) => ({ name, ...(properties && { properties }) });

const ARCHIVED = { status: 'archived' };
const ADMIN = { role: 'admin' };
const BASE = { subject: user('alice'), action: action('read'), resource: record('record-1') };
const { subject, resource } = BASE;

export interface EvaluationCase {
  readonly name: string;
  readonly body: object;
  /** undefined: any boolean. */
  readonly decision: boolean | undefined;
}

export const EVALUATIONS: readonly EvaluationCase[] = [
  { name: 'alice reads', body: BASE, decision: true },
  { name: 'alice writes', body: { ...BASE, action: action('write') }, decision: true },
  { name: 'bob reads', body: { ...BASE, subject: user('bob') }, decision: true },
  { name: 'bob may not write', body: { ...BASE, subject: user('bob'), action: action('write') }, decision: false },
  {
    name: 'with a context',
    body: { ...BASE, context: { time: '2025-06-27T18:03-07:00', ip: '192.0.2.1' } },
    decision: true,
  },
  {
    name: 'alice may not write what is archived',
    body: { subject, action: action('write'), resource: record('record-2', ARCHIVED) },
    decision: false,
  },
  {
    name: 'an administrator writes what is archived',
    body: { subject: user('bob', ADMIN), action: action('write'), resource: record('record-2', ARCHIVED) },
    decision: true,
  },
  { name: 'a soft deletion', body: { ...BASE, action: action('delete', { soft: true }) }, decision: true },
  { name: 'a hard deletion', body: { ...BASE, action: action('delete', { soft: false }) }, decision: false },
  {
    name: 'with further properties',
    body: {
      subject: user('alice', { department: 'Sales', role: 'manager' }),
      action: action('read', { method: 'GET' }),
      resource: record('record-1', { status: 'active', owner: 'bob' }),
    },
    decision: true,
  },
  {
    name: 'with members that nobody knows',
    body: { ...BASE, foo: 'bar', futureField: { nested: true } },
    decision: true,
  },
];

/** Each is answered 400. */
export const WRONG: readonly { readonly name: string; readonly body: object }[] = [
  { name: 'no subject', body: { action: BASE.action, resource } },
  { name: 'no action', body: { subject, resource } },
  { name: 'no resource', body: { subject, action: BASE.action } },
  { name: 'a subject without type', body: { ...BASE, subject: { id: 'alice' } } },
  { name: 'a subject without id', body: { ...BASE, subject: { type: 'user' } } },
  { name: 'an action without name', body: { ...BASE, action: {} } },
  { name: 'a resource without type', body: { ...BASE, resource: { id: 'record-1' } } },
  { name: 'a resource without id', body: { ...BASE, resource: { type: 'record' } } },
  { name: 'a subject that is a text', body: { ...BASE, subject: 'alice' } },
  { name: 'a name that is a number', body: { ...BASE, action: { name: 123 } } },
  { name: 'properties that are a list', body: { ...BASE, resource: { ...resource, properties: [] } } },
  { name: 'a context that is a text', body: { ...BASE, context: 'now' } },
  { name: 'a subject type with a colon', body: { ...BASE, subject: { type: 'a:b', id: 'c' } } },
  { name: "a subject of the service's own", body: { ...BASE, subject: { type: 'custos', id: 'keys' } } },
  { name: 'a resource outside of its type', body: { ...BASE, resource: { type: 'record', id: '../secret' } } },
];

export interface BatchCase {
  readonly name: string;
  readonly body: object;
  readonly decisions: readonly (boolean | undefined)[];
}

export const BATCHES: readonly BatchCase[] = [
  {
    name: 'two resources',
    body: { subject, action: action('read'), evaluations: [{ resource }, { resource: record('record-2') }] },
    decisions: [true, true],
  },
  {
    name: 'two actions, in their order',
    body: { subject: user('bob'), resource, evaluations: [{ action: action('read') }, { action: action('write') }] },
    decisions: [true, false],
  },
  {
    name: 'properties of each resource',
    body: {
      subject,
      action: action('write'),
      evaluations: [{ resource: record('record-1', { status: 'active' }) }, { resource: record('record-2', ARCHIVED) }],
    },
    decisions: [true, false],
  },
  {
    name: 'properties of each subject',
    body: {
      action: action('write'),
      resource: record('record-2', ARCHIVED),
      evaluations: [{ subject }, { subject: user('bob', ADMIN) }],
    },
    decisions: [false, true],
  },
  {
    name: 'without defaults',
    body: { evaluations: [BASE, { subject: user('bob'), action: action('write'), resource }] },
    decisions: [true, false],
  },
  {
    name: 'a context for all and one of its own',
    body: {
      subject,
      action: action('read'),
      context: { time: '2025-06-27T18:03-07:00' },
      evaluations: [{ resource }, { resource: record('record-2'), context: { source: 'override' } }],
    },
    decisions: [undefined, undefined],
  },
  {
    name: 'a type from the defaults',
    body: {
      subject,
      action: action('write'),
      resource: { type: 'record', properties: ARCHIVED },
      evaluations: [
        { resource: { id: 'record-1', properties: { status: 'active' } } },
        { resource: record('record-2', ARCHIVED) },
      ],
    },
    decisions: [true, false],
  },
  {
    name: 'a member without what it needs is denied in its place',
    body: { subject, action: action('read'), evaluations: [{ resource }, {}, 7, { resource }] },
    decisions: [true, false, false, true],
  },
];

/** Subjects of the gateway interop scenario, abbreviated: whether each may change something. */
const EDITS: Readonly<Record<string, boolean>> = { rick: true, morty: true, summer: true, beth: false, jerry: false };
const ROUTES: readonly (readonly [string, string])[] = [
  ['GET', '/users/{userId}'],
  ['GET', '/todos'],
  ['POST', '/todos'],
  ['PUT', '/todos/{todoId}'],
  ['DELETE', '/todos/{todoId}'],
];

export const GATEWAY: readonly EvaluationCase[] = Object.entries(EDITS).flatMap(([id, edits]) =>
  ROUTES.map(([name, route]) => ({
    name: `${id} ${name} ${route}`,
    body: { subject: { type: 'identity', id }, action: action(name), resource: { type: 'route', id: route } },
    decision: name === 'GET' || edits,
  })),
);

const fact = (path: string, operator: string, value: unknown) => ({ fact: 'context', path, operator, value });
const allow = (name: string, all: readonly object[]) => ({
  name,
  conditions: { all },
  event: { type: 'ALLOW', params: { code: name.toUpperCase().replaceAll('-', '_'), message: `${name} is allowed` } },
});
const policy = (id: string, actions: readonly string[], resources: string, rules: readonly object[]) => ({
  id,
  description: `fixture ${id}`,
  stage: 'enforce',
  target: { actions, resources: [resources] },
  rules,
});
const isAlice = { fact: 'agent', path: 'id', operator: 'equal', value: 'user:alice' };

export const FIXTURE = {
  'record-reads.json': policy('record-reads', ['read'], 'record/*', [
    allow('users-read', [fact('subject.type', 'equal', 'user')]),
  ]),
  'record-writes.json': policy('record-writes', ['update'], 'record/*', [
    allow('alice-writes-active', [isAlice, fact('resource.properties.status', 'equal', 'active')]),
    allow('alice-writes-unmarked', [isAlice, fact('resource.properties.status', 'isPresent', false)]),
    allow('administrators-write', [fact('subject.properties.role', 'equal', 'admin')]),
  ]),
  'record-deletes.json': policy('record-deletes', ['delete'], 'record/*', [
    allow('alice-deletes-softly', [isAlice, fact('action.properties.soft', 'equal', true)]),
  ]),
  'route-reads.json': policy('route-reads', ['read'], 'route/*', [
    allow('identities-read', [fact('subject.type', 'equal', 'identity')]),
  ]),
  'route-writes.json': policy('route-writes', ['create', 'update', 'delete'], 'route/*', [
    allow('editors-write', [
      fact(
        'subject.id',
        'in',
        Object.keys(EDITS).filter((id) => EDITS[id]),
      ),
    ]),
  ]),
  'masked.json': policy('masked', ['read'], 'masked/*', [
    {
      name: 'names-are-hidden',
      conditions: { all: [fact('subject.type', 'equal', 'user')] },
      event: {
        type: 'DEGRADE',
        params: {
          code: 'NAMES_HIDDEN',
          message: 'names are hidden',
          obligations: [{ type: 'redact_fields', fields: ['name'] }],
        },
      },
    },
  ]),
  'asked.json': policy('asked', ['read'], 'asked/*', [
    {
      name: 'a-human-decides',
      conditions: { all: [fact('subject.type', 'equal', 'user')] },
      event: { type: 'ESCALATE', params: { code: 'HUMAN_NEEDED', message: 'a human decides' } },
    },
  ]),
  'authzen.json': { actions: { GET: 'read', POST: 'create', PUT: 'update', DELETE: 'delete', write: 'update' } },
};

export { BASE, record, user };
