// Route of the page of resources: registered ones, and for the operator those of the policy folder.
import { Type } from 'typebox';
import { closed, DEFAULT_LIMIT, PAGE } from '../../../shared/api/common.ts';
import type { ResourceFile } from '../../../shared/core/resources/schema.ts';
import { isOperatorsKey } from '../../../shared/domain/keys/operator.ts';
import type { ActivePolicySet } from '../../../shared/domain/policy-sets/active-set.ts';
import { listResources } from '../../../shared/domain/resources/store.ts';
import { ownerOf } from '../../../shared/kernel/owner.ts';
import type { EntitySql } from '../../../shared/platform/db/database.ts';
import type { Route } from '../../route.ts';
import { decodeCursor, pageOf } from '../../routes/paging.ts';
import { assertNotBound, bodyOf, RESOURCE_CURSOR } from '../../routes/resources.ts';
import type { KnownResource, ListedResources } from '../client/wire/resources.ts';
import { pageRoute } from './page-route.ts';

export interface ResourcePageDeps {
  readonly db: EntitySql;
  readonly policies: Pick<ActivePolicySet, 'installation'>;
}

const Query = closed({ prefix: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })), ...PAGE });

/** As PostgreSQL sorts names with the collation "C". */
const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));

/** Two sorted lists as one, each name once. */
function joined(registered: readonly KnownResource[], inFolder: readonly KnownResource[]): KnownResource[] {
  const byKnownName = new Map(inFolder.map((one) => [one.name, one]));
  for (const one of registered)
    byKnownName.set(one.name, { ...one, inFolder: byKnownName.get(one.name)?.inFolder ?? null });
  return [...byKnownName.values()].sort(byName);
}

const ofFolder = (entry: ResourceFile): KnownResource => ({ name: entry.name, registered: null, inFolder: entry });

export function resourcePageRoutes({ db, policies }: ResourcePageDeps): Route[] {
  return [
    pageRoute({
      path: '/resources',
      summary: 'Registered resources by name; for the operator also those of the policy folder',
      request: { query: Query },
      errors: ['E1004', 'E6002'],
      answer: async ({ key, query: { prefix = '', cursor, limit = DEFAULT_LIMIT } }): Promise<ListedResources> => {
        assertNotBound(key);
        const after = decodeCursor(cursor, RESOURCE_CURSOR) ?? '';
        const { declarations, attributes, resources } = policies.installation().set;
        const stored = await listResources(db, ownerOf(key), { after, prefix, count: limit + 1 });
        const registered = stored.map((one) => ({
          name: one.name,
          registered: bodyOf(one, declarations),
          inFolder: null,
        }));
        const hasFolder = isOperatorsKey(key);
        const inFolder = hasFolder
          ? resources
              .filter(({ name }) => name.startsWith(prefix) && byName({ name }, { name: after }) > 0)
              .sort(byName)
              .slice(0, limit + 1)
          : [];
        const page = pageOf(
          joined(registered, inFolder.map(ofFolder)),
          limit,
          (one) => one,
          ({ name }) => name,
        );
        return { ...page, declared: attributes?.resource ?? {}, hasFolder };
      },
    }),
  ];
}
