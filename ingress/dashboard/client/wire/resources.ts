// The answer of the page of resources. Types only, which the server imports as well.
import type { AttributeDeclaration } from '#shared/core/attributes/schema.js';
import type { ResourceFile } from '#shared/core/resources/schema.js';
import type { Shape } from '#shared/kernel/schema.js';
import type { Resource } from '#shared/api/resource.js';
import type { ListPage } from '../wire.ts';

export type Registered = Shape<typeof Resource>;
export type InFolder = Omit<ResourceFile, '$schema'>;

/** What is known under one name. At the same name the registered entry overrides the file, attribute by attribute. */
export interface KnownResource {
  readonly name: string;
  readonly registered: Registered | null;
  readonly inFolder: InFolder | null;
}

/** GET /dashboard/api/resources: by name. */
export interface ListedResources extends ListPage<KnownResource> {
  /** The attributes that the set in force declares. */
  readonly declared: Readonly<Record<string, AttributeDeclaration>>;
  /** Whether the entries of the policy folder are among the items; only the operator sees them. */
  readonly hasFolder: boolean;
}
