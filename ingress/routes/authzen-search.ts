// The searches of the AuthZEN Authorization API 1.0: which registered subjects may do something, and what one may do.
import {
  ActionSearchRequest,
  ActionSearchResponse,
  ResourceSearchRequest,
  ResourceSearchResponse,
  SubjectSearchRequest,
  SubjectSearchResponse,
} from '../../shared/api/authzen.ts';
import { type DecisionMembers, isPermitted } from '../../shared/core/authzen/answer.ts';
import { type AuthzenQuestion, type Entities, readQuestion, subjectOf } from '../../shared/core/authzen/question.ts';
import type { ActivePolicies, ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import { readStatuses } from '../../shared/domain/agents/agents.ts';
import { canonicalResource, isPattern } from '../../shared/core/intent/resource.ts';
import { readRegistry } from '../../shared/domain/resources/store.ts';
import { mayName } from '../../shared/domain/keys/bound.ts';
import { assertNotBound } from './resources.ts';
import { invalidField } from '../../shared/kernel/errors.ts';
import { endOfPrefix } from '../../shared/kernel/prefix.ts';
import { ACTION_CLASSES } from '../../shared/kernel/vocabulary.ts';
import type { EntitySql } from '../../shared/platform/db/database.ts';
import { allInSlices } from '../../shared/platform/process/slices.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../shared/api/common.ts';
import { defineRoute, type Route } from '../route.ts';
import type { Ask } from './authzen.ts';
import type { Asker } from './enforce-evaluate.ts';
import { decodeCursor, encodeCursor, pageOf } from './paging.ts';

export interface SearchDeps {
  readonly db: EntitySql;
  readonly policies: Pick<ActivePolicySet, 'current'>;
}

interface Page {
  readonly limit?: number;
  readonly token?: string;
}

/** One range scan of the index of agents by id. */
const AGENTS_OF_TYPE = `SELECT agent_id FROM agent WHERE organisation_id = $1 AND environment = $2
  AND agent_id COLLATE "C" > $3 AND agent_id COLLATE "C" < $4 ORDER BY agent_id COLLATE "C" LIMIT $5`;

const AFTER = /^[^\u0000]{1,256}$/u;
const AFTER_NAME = /^[^\u0000]{1,2048}$/u;

export function authzenSearchRoutes({ db, policies }: SearchDeps, ask: Ask): Route[] {
  /** Whether the question would be permitted. Nothing is recorded. @throws {ApiError} E2001, E6002 */
  const isAllowed = async (active: ActivePolicies, asker: Asker, given: Entities): Promise<boolean> => {
    const { dryRun } = await ask(active, asker, questionOf(given), { isSearch: true });
    // A dry run has a text; the service has just written it.
    return isPermitted(JSON.parse(dryRun ?? '{}') as DecisionMembers, asker.key.keepsObligations);
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/access/v1/search/subject',
      changesNothing: true,
      operationId: 'authzenSearchSubject',
      access: ['admin:*'],
      dialect: 'authzen',
      tag: 'AuthZEN',
      summary: 'Which subjects may perform an action on a resource (AuthZEN)',
      description:
        'Among the registered agents whose id begins with `<subject type>:`. Like a dry run it records nothing and needs admin:*. A page may have fewer results than its limit, and none, while there are more.',
      request: { body: SubjectSearchRequest },
      responses: { 200: { description: 'One page of subjects.', schema: SubjectSearchResponse } },
      errors: ['E6002'],
      cost: ({ page }) => Math.ceil(limitOf(page) / 10),
      handler: async (request) => {
        const { subject, page, ...rest } = request.body;
        const { key } = request;
        const first = `${subject.type}:`;
        const limit = limitOf(page);
        const after = afterOf(page, AFTER);
        const rows = await db.query<{ readonly agent_id: string }>(AGENTS_OF_TYPE, [
          key.organisationId,
          key.environment,
          after?.startsWith(first) === true ? after : first,
          endOfPrefix(first),
          limit + 1,
        ]);
        const { items, nextCursor } = pageOf(
          rows,
          limit,
          (row) => row.agent_id,
          (row) => row.agent_id,
        );
        const active = await policies.current(key.organisationId);
        // A wrong question is refused also when there is nobody of this type.
        questionOf({ ...rest, subject: { ...subject, id: 'nobody' } });
        const mayBeShown = items.filter((agentId) => mayName(key, agentId));
        const allowed = await allInSlices(mayBeShown, async (agentId) => {
          const found = subjectOf(agentId);
          if (found === undefined || found.type !== subject.type) return [];
          return (await isAllowed(active, request, { ...rest, subject: { ...subject, ...found } })) ? [found] : [];
        });
        return { status: 200, body: { results: allowed.flat(), page: { next_token: nextCursor ?? '' } } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/access/v1/search/resource',
      changesNothing: true,
      operationId: 'authzenSearchResource',
      access: ['admin:*'],
      dialect: 'authzen',
      tag: 'AuthZEN',
      summary: 'On which resources a subject may perform an action (AuthZEN)',
      description:
        'Among the resources of the registry whose name begins with `<type>/`, without patterns. Like a dry run it records nothing and needs admin:*.',
      request: { body: ResourceSearchRequest },
      responses: { 200: { description: 'One page of resources.', schema: ResourceSearchResponse } },
      errors: ['E6002'],
      cost: ({ page }) => Math.ceil(limitOf(page) / 10),
      handler: async (request) => {
        const { resource, page, ...rest } = request.body;
        const { key } = request;
        assertNotBound(key);
        const limit = limitOf(page);
        const after = afterOf(page, AFTER_NAME) ?? '';
        const active = await policies.current(key.organisationId);
        // A wrong question is refused also when there is nothing of this type.
        questionOf({ ...rest, resource: { ...resource, id: 'nothing' } });
        const type = canonicalResource(resource.type);
        const stem = type.ok ? `${type.resource}/` : undefined;
        const registered = await readRegistry(db, key);
        const names = [...new Set([...active.set.registry.names, ...registered.names])]
          .filter((name) => stem !== undefined && name.startsWith(stem) && !isPattern(name) && name > after)
          .sort()
          .slice(0, limit + 1);
        const { items, nextCursor } = pageOf(
          names,
          limit,
          (name) => name,
          (name) => name,
        );
        const allowed = await allInSlices(items, async (name) => {
          const found = { type: resource.type, id: name.slice(stem?.length) };
          return (await isAllowed(active, request, { ...rest, resource: { ...resource, ...found } })) ? [found] : [];
        });
        return { status: 200, body: { results: allowed.flat(), page: { next_token: nextCursor ?? '' } } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/access/v1/search/action',
      changesNothing: true,
      operationId: 'authzenSearchAction',
      access: ['admin:*'],
      dialect: 'authzen',
      tag: 'AuthZEN',
      summary: 'Which actions a subject may perform on a resource (AuthZEN)',
      description:
        'Among the nine action classes and the names of policies/authzen.json; for a registered agent. Like a dry run it records nothing and needs admin:*.',
      request: { body: ActionSearchRequest },
      responses: { 200: { description: 'The names of the actions.', schema: ActionSearchResponse } },
      errors: ['E6002'],
      handler: async (request) => {
        const { page, ...rest } = request.body;
        const { key } = request;
        const active = await policies.current(key.organisationId);
        const names = [...new Set([...ACTION_CLASSES, ...Object.keys(active.set.authzenActions)])].sort();
        const agentId = `${rest.subject.type}:${rest.subject.id}`;
        const known = mayName(key, agentId) && (await readStatuses(db, key, [agentId])).has(agentId);
        const start = Number(afterOf(page, /^\d{1,5}$/) ?? 0);
        const limit = limitOf(page);
        const asked = known ? names.slice(start, start + limit) : [];
        const allowed = await allInSlices(asked, async (name) =>
          (await isAllowed(active, request, { ...rest, action: { name } })) ? [{ name }] : [],
        );
        const next = known && start + limit < names.length ? encodeCursor(String(start + limit)) : '';
        return { status: 200, body: { results: allowed.flat(), page: { next_token: next } } };
      },
    }),
  ];
}

/** @throws {ApiError} E2001 */
export function questionOf(given: Entities): AuthzenQuestion {
  const read = readQuestion(given);
  if (!read.ok) throw invalidField(read.pointer, read.message);
  return read.value;
}

/** Limits above the maximum are lowered to it. */
function limitOf(page: Page | undefined): number {
  return Math.min(page?.limit ?? DEFAULT_LIMIT, MAX_LIMIT);
}

/** @throws {ApiError} E2001 at /page/token */
function afterOf(page: Page | undefined, pattern: RegExp): string | undefined {
  // An empty token means the first page (section 8 there).
  if (page?.token === undefined || page.token === '') return undefined;
  try {
    return decodeCursor(page.token, pattern);
  } catch {
    throw invalidField('/page/token', 'is not a token of this search');
  }
}
