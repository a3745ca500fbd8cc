// The registered resources in memory: one registry per organisation and environment, dropped when the change feed reports a change.
import type { ResourceRegistry } from '../../core/resources/registry.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Owner } from '../../kernel/owner.ts';
import type { ChangeFeed } from '../../platform/db/changes.ts';
import type { Database } from '../../platform/db/database.ts';
import { readRegistry } from './store.ts';

export interface ResourceDirectory {
  /** Synchronous when cached, which an empty registry is too. @throws {ApiError} E6002 */
  get(owner: Owner): ResourceRegistry | Promise<ResourceRegistry>;
}

const MAX_OWNERS = 1_000;

export function createResourceDirectory(deps: {
  readonly db: Database;
  readonly changes: Pick<ChangeFeed, 'subscribe'>;
}): ResourceDirectory {
  const cache = new BoundedCache<ResourceRegistry>({ max: MAX_OWNERS });
  const loading = new Map<string, Promise<ResourceRegistry>>();
  const idOf = (organisationId: string, environment: string): string => `${environment}\n${organisationId}`;

  deps.changes.subscribe((change) => {
    if (change === 'reset') {
      cache.clear();
      loading.clear();
    } else if (change.kind === 'resource') {
      const [organisationId = '', environment = ''] = change.subject;
      const id = idOf(organisationId, environment);
      cache.delete(id);
      // Those who wait get the result; whoever asks from now on starts another load.
      loading.delete(id);
    }
  });

  const load = (id: string, owner: Owner): Promise<ResourceRegistry> => {
    const isCurrent = (): boolean => loading.get(id) === promise;
    const promise: Promise<ResourceRegistry> = readRegistry(deps.db, owner)
      .then((registry) => {
        if (isCurrent()) cache.set(id, registry);
        return registry;
      })
      .finally(() => {
        if (isCurrent()) loading.delete(id);
      });
    loading.set(id, promise);
    return promise;
  };

  return {
    get(owner) {
      const id = idOf(owner.organisationId, owner.environment);
      return cache.get(id) ?? loading.get(id) ?? load(id, owner);
    },
  };
}
