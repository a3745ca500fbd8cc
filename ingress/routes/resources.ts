// Registered resources: their attributes are facts for policies.
import {
  MAX_NAME_BYTES,
  Resource,
  type ResourceBody,
  ResourceList,
  ResourceListQuery,
  ResourceParams,
  ResourcePut,
} from '../../shared/api/resource.ts';
import { entryName, entryProblems } from '../../shared/core/policy/check-resources.ts';
import { attributeProblems } from '../../shared/core/policy/attribute-values.ts';
import type { Declarations } from '../../shared/core/policy/declarations.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { attributesOfEntry } from '../../shared/core/resources/registry.ts';
import { assertUnbound } from '../../shared/domain/keys/bound.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import {
  listResources,
  putResource,
  readResource,
  type ResourceEntry,
  type StoredResource,
} from '../../shared/domain/resources/store.ts';
import { ApiError, invalidField } from '../../shared/kernel/errors.ts';
import type { Owner } from '../../shared/kernel/owner.ts';
import { changedFields, type RecordedChange } from '../../shared/kernel/recorded-change.ts';
import type { EntitySql } from '../../shared/platform/db/database.ts';
import { defineRoute, type Reply, type RequestContext, type Route } from '../route.ts';
import { readPage } from './paging.ts';

export interface ResourceDeps {
  readonly db: EntitySql;
  readonly nowMs: () => number;
  readonly policies: Pick<ActivePolicySet, 'installation'>;
  /** Resolves when the caches of this process have the committed change: read-your-writes for the caller. */
  readonly settle: () => Promise<void>;
}

/** The sort keys in cursors are names. */
export const RESOURCE_CURSOR = /^[^\u0000]{1,2048}$/u;

const ownerOf = ({ organisationId, environment }: AuthenticatedKey): Owner => ({ organisationId, environment });

/** The canonical name of the path. @throws {ApiError} E2001 at {name} */
function nameOf({ name }: { readonly name: string }): string {
  const canonical = entryName(name);
  if (!canonical.ok) throw invalidField('{name}', canonical.message);
  if (Buffer.byteLength(canonical.resource) > MAX_NAME_BYTES)
    throw invalidField('{name}', `must have at most ${MAX_NAME_BYTES} bytes in UTF-8`);
  return canonical.resource;
}

/** No entry belongs to an agent, so a bound key reads none either. @throws {ApiError} E1004 */
export const assertNotBound = (key: AuthenticatedKey): void =>
  assertUnbound(key, 'read or change the registry of resources');

/** @throws {ApiError} E2001 with a pointer for each attribute that contradicts the declarations */
function assertDeclared(entry: ResourceEntry, declarations: Declarations): void {
  const errors = entryProblems(entry, declarations);
  const [first] = errors;
  if (first === undefined) return;
  throw new ApiError('E2001', `The request is invalid: ${first.pointer} ${first.message}.`, { errors });
}

/** A stored entry as the API shows it. */
export function bodyOf(
  { name, entry, createdAt, updatedAt }: StoredResource,
  declarations: Declarations,
): ResourceBody {
  const attributesIgnored = attributeProblems('resource', attributesOfEntry(entry), declarations);
  return {
    name,
    class: entry.class ?? null,
    owner: entry.owner ?? null,
    attributes: { ...entry.attributes },
    ...(attributesIgnored.length === 0 ? {} : { attributesIgnored }),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** An entry before and after a request, for the operator trail. */
function changeOf(name: string, before: ResourceEntry | undefined, after: ResourceEntry | undefined): RecordedChange {
  const members = (entry: ResourceEntry | undefined) => ({
    class: entry?.class,
    owner: entry?.owner,
    attributes: entry?.attributes && canonicalize(entry.attributes),
  });
  return { subject: 'resource', id: name, fields: changedFields(before && members(before), members(after)) };
}

const notFound = (): ApiError =>
  new ApiError('E4001', 'There is no resource with this name in this organisation and environment.');

export function resourceRoutes({ db, nowMs, policies, settle }: ResourceDeps): Route[] {
  const declarations = (): Declarations => policies.installation().set.declarations;

  const change = async (
    { key, commit }: Pick<RequestContext<unknown, unknown, unknown>, 'key' | 'commit'>,
    name: string,
    entry: ResourceEntry | undefined,
  ): Promise<Reply> => {
    const reply = await commit(async (sql) => {
      const owner = ownerOf(key);
      const { before, after } = await putResource(sql, owner, { name, entry, keyId: key.keyId, nowMs: nowMs() });
      const shown = after ?? before;
      if (shown === undefined) throw notFound();
      return {
        status: after !== undefined && before === undefined ? 201 : 200,
        body: bodyOf(shown, declarations()),
        change: changeOf(name, before?.entry, after?.entry),
      };
    });
    await settle();
    return reply;
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/v1/resources',
      operationId: 'listResources',
      access: ['agents:read'],
      tag: 'Resources',
      summary: 'List registered resources by name',
      description: 'Those of the policy folder are not among them: they are part of the policy set.',
      request: { query: ResourceListQuery },
      responses: { 200: { description: 'One page of resources.', schema: ResourceList } },
      handler: async ({ key, query }) => {
        assertNotBound(key);
        const page = await readPage(query, {
          cursor: RESOURCE_CURSOR,
          read: (after, count) => listResources(db, ownerOf(key), { after: after ?? '', count }),
          sortKey: ({ name }) => name,
        });
        return { status: 200, body: { ...page, items: page.items.map((one) => bodyOf(one, declarations())) } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/resources/{name}',
      operationId: 'getResource',
      access: ['agents:read'],
      tag: 'Resources',
      summary: 'Read a registered resource',
      description: 'The entry with exactly this name, not those of patterns that cover it.',
      request: { params: ResourceParams },
      responses: { 200: { description: 'The resource.', schema: Resource } },
      errors: ['E4001'],
      handler: async ({ key, params }) => {
        assertNotBound(key);
        const found = await readResource(db, ownerOf(key), nameOf(params));
        if (found === undefined) throw notFound();
        return { status: 200, body: bodyOf(found, declarations()) };
      },
    }),
    defineRoute({
      method: 'PUT',
      path: '/v1/resources/{name}',
      operationId: 'putResource',
      access: ['agents:write'],
      tag: 'Resources',
      summary: 'Register a resource, or replace what is registered',
      description:
        'Facts of the next decision. The most specific entry decides for each attribute, before a file of the same name. Keys that are bound to agents may neither read nor change the registry.',
      request: { params: ResourceParams, body: ResourcePut },
      responses: {
        200: { description: 'The resource, replaced.', schema: Resource },
        201: { description: 'The resource, registered.', schema: Resource },
      },
      handler: (request) => {
        const { key, params, body } = request;
        assertNotBound(key);
        const name = nameOf(params);
        assertDeclared(body, declarations());
        return change(request, name, body);
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/resources/{name}',
      operationId: 'deleteResource',
      access: ['agents:write'],
      tag: 'Resources',
      summary: 'Remove a registered resource',
      description: 'Entries of patterns that cover it, and of the policy folder, stay.',
      request: { params: ResourceParams },
      responses: { 200: { description: 'The resource that was removed.', schema: Resource } },
      errors: ['E4001'],
      handler: (request) => {
        const { key, params } = request;
        assertNotBound(key);
        return change(request, nameOf(params), undefined);
      },
    }),
  ];
}
