// Reads an AuthZEN access evaluation (Authorization API 1.0, section 6) into a question: agent, action name, resource and context.
import { isCallerId } from '../../kernel/ids.ts';
import { memberOf } from '../../kernel/json.ts';
import { canonicalResource, isPattern } from '../intent/resource.ts';
import { fill, parseTemplate } from '../tools/template.ts';

/** The parts of a request, as far as they are given. */
export interface Entities {
  readonly subject?: unknown;
  readonly action?: unknown;
  readonly resource?: unknown;
  readonly context?: unknown;
}

export interface AuthzenSubject {
  readonly type: string;
  readonly id: string;
}

/** The facts of a request: `context.subject`, `context.action`, `context.resource` and `context.env`, its own context. */
export interface AuthzenContext {
  readonly subject: Readonly<Record<string, unknown>>;
  readonly action: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, unknown>>;
}

export interface AuthzenQuestion {
  /** `<subject type>:<subject id>` */
  readonly agentId: string;
  readonly actionName: string;
  /** Canonical: `<resource type>/<resource id>`. */
  readonly resource: string;
  readonly context: AuthzenContext;
  /** The approval that permits a repeat of an evaluation, from `context.approval.id`; not part of the context that policies see. */
  readonly approvalId: string | undefined;
}

export interface Wrong {
  /** RFC 6901, within the request. */
  readonly pointer: string;
  /** Continues "<pointer> ...". */
  readonly message: string;
}

type Read<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Wrong);

const wrong = (pointer: string, message: string): { readonly ok: false } & Wrong => ({ ok: false, pointer, message });

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of an entity that have a meaning; others are ignored (section 5 there). */
const MEMBERS = { subject: ['type', 'id'], action: ['name'], resource: ['type', 'id'] } as const;
type EntityName = keyof typeof MEMBERS;

/**
 * An entity with its required members.
 * @param optional a required member that may be absent, because a search looks for it
 */
export function readEntity(
  name: EntityName,
  given: unknown,
  optional?: string,
): Read<Readonly<Record<string, unknown>>> {
  const at = `/${name}`;
  if (given === undefined) return wrong(at, 'is required');
  if (!isObject(given)) return wrong(at, 'must be an object');
  const entity: Record<string, unknown> = {};
  for (const member of MEMBERS[name]) {
    if (member === optional) continue;
    const value = memberOf(given, member);
    if (value === undefined) return wrong(`${at}/${member}`, 'is required');
    if (typeof value !== 'string') return wrong(`${at}/${member}`, 'must be a string');
    if (value === '') return wrong(`${at}/${member}`, 'must not be empty');
    entity[member] = value;
  }
  const properties = memberOf(given, 'properties');
  if (properties !== undefined && !isObject(properties)) return wrong(`${at}/properties`, 'must be an object');
  // Always present, so that a rule about a property finds it absent instead of failing.
  return { ok: true, value: { ...entity, properties: properties ?? {} } };
}

/**
 * The entities of one member of a batch with the defaults of the request: each entity replaces its default as a whole, except that a
 * required member that it lacks comes from the default.
 */
export function withDefaults(member: Entities, defaults: Entities): Entities {
  const entity = (name: EntityName): unknown => {
    const [own, other] = [member[name], defaults[name]];
    if (own === undefined) return other;
    if (!isObject(own) || !isObject(other)) return own;
    const inherited = MEMBERS[name].flatMap((key) => (Object.hasOwn(other, key) ? [[key, other[key]] as const] : []));
    return { ...Object.fromEntries(inherited), ...own };
  };
  return {
    subject: entity('subject'),
    action: entity('action'),
    resource: entity('resource'),
    context: member.context ?? defaults.context,
  };
}

/** `type:id`. A colon in the type would let two subjects share one agent. */
export function agentIdOf({ type, id }: AuthzenSubject): Read<string> {
  if (type.includes(':')) return wrong('/subject/type', 'must not contain a colon: the agent is named <type>:<id>');
  const agentId = `${type}:${id}`;
  return isCallerId(agentId)
    ? { ok: true, value: agentId }
    : wrong(
        '/subject/id',
        'must have, with its type, at most 256 characters, no control characters and not the type "custos"',
      );
}

/** The agent's subject; undefined for an agent that no AuthZEN request can name. */
export function subjectOf(agentId: string): AuthzenSubject | undefined {
  const colon = agentId.indexOf(':');
  return colon < 1 || colon === agentId.length - 1
    ? undefined
    : { type: agentId.slice(0, colon), id: agentId.slice(colon + 1) };
}

const parsedId = parseTemplate('{id}');
/** Every name is a path below its type; only slashes name the type itself, as the path of a site's first page does. */
const ROOT = /^[\\/]+$/;

/** Canonical; an asterisk in the id is text, never a wildcard. */
export function resourceOf({ type, id }: { readonly type: string; readonly id: string }): Read<string> {
  const kind = canonicalResource(type);
  if (!kind.ok) return wrong('/resource/type', kind.message);
  if (isPattern(kind.resource)) return wrong('/resource/type', 'must not be a wildcard');
  if (ROOT.test(id)) return { ok: true, value: kind.resource };
  if (!parsedId.ok) throw new Error(`a template was refused: ${parsedId.message}`);
  const named = fill(parsedId.template, { id });
  // What is left of names such as `.` and `a/..` is the root.
  if (named.ok && named.resources.some(isPattern)) return wrong('/resource/id', 'names nothing below its type');
  const whole = named.ok ? canonicalResource([kind.resource, ...named.resources].join('/')) : named;
  return whole.ok
    ? { ok: true, value: whole.resource }
    : wrong('/resource/id', `can not be read as <type>/<id>: ${whole.message}`);
}

/** The request's context without the approval of an earlier evaluation. */
function contextOf(
  given: unknown,
): Read<{ readonly env: Readonly<Record<string, unknown>>; readonly approvalId: string | undefined }> {
  if (given === undefined) return { ok: true, value: { env: {}, approvalId: undefined } };
  if (!isObject(given)) return wrong('/context', 'must be an object');
  const { approval, ...env } = given;
  const approvalId = memberOf(approval, 'id');
  if (approval !== undefined && (typeof approvalId !== 'string' || !/^[0-9A-Za-z_-]{1,64}$/.test(approvalId)))
    return wrong('/context/approval', 'must be an object whose id names an approval');
  return { ok: true, value: { env, approvalId: typeof approvalId === 'string' ? approvalId : undefined } };
}

/** Type and id of an entity that has both: readEntity has checked that they are strings. */
const namedBy = ({ type, id }: Readonly<Record<string, unknown>>): AuthzenSubject => ({
  type: String(type),
  id: String(id),
});

/** Reads one access evaluation. Members that the specification does not name are ignored. */
export function readQuestion(given: Entities): Read<AuthzenQuestion> {
  const subject = readEntity('subject', given.subject);
  if (!subject.ok) return subject;
  const action = readEntity('action', given.action);
  if (!action.ok) return action;
  const entity = readEntity('resource', given.resource);
  if (!entity.ok) return entity;
  const context = contextOf(given.context);
  if (!context.ok) return context;
  const agentId = agentIdOf(namedBy(subject.value));
  if (!agentId.ok) return agentId;
  const resource = resourceOf(namedBy(entity.value));
  if (!resource.ok) return resource;
  const { env, approvalId } = context.value;
  return {
    ok: true,
    value: {
      agentId: agentId.value,
      actionName: String(action.value['name']),
      resource: resource.value,
      context: { subject: subject.value, action: action.value, resource: entity.value, env },
      approvalId,
    },
  };
}
