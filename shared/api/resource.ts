// Schemas of registered resources.
import { type Static, Type } from 'typebox';
import { ENTRY_MEMBERS } from '../core/resources/schema.ts';
import { closed, JsonObject, listOf, named, Nullable, PAGE, Timestamp } from './common.ts';

/** Longer names do not fit into an index. */
export const MAX_NAME_BYTES = 1_000;

export const ResourceParams = closed({
  name: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description:
      'The resource or a pattern with `*` as its last segment, percent-encoded as one segment of the path: `db%2Fcustomers%2F*`. Brought to canonical form.',
    examples: ['db/customers/*'],
  }),
});

export const ResourcePut = named(
  'ResourcePut',
  {
    class: Type.Optional(ENTRY_MEMBERS.class),
    owner: Type.Optional(ENTRY_MEMBERS.owner),
    attributes: Type.Optional(ENTRY_MEMBERS.attributes),
  },
  { description: 'All that the entry says: what is left out is not kept.' },
);

export const Resource = named('Resource', {
  name: Type.String({ description: 'The canonical name.' }),
  class: Nullable(Type.String({ description: 'The fact `resource.attributes.class`.' })),
  owner: Nullable(Type.String({ description: 'The fact `resource.attributes.owner`.' })),
  attributes: JsonObject({ description: 'The other attributes, facts `resource.attributes.<name>`.' }),
  attributesIgnored: Type.Optional(
    Type.Array(
      closed({
        name: Type.String({ description: 'The attribute.' }),
        message: Type.String({ description: 'How it contradicts its declaration.' }),
      }),
      {
        description:
          'Attributes that contradict the declarations of the policy set in force: rules count them as missing. Absent: none.',
      },
    ),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type ResourceBody = Static<typeof Resource>;

export const ResourceList = listOf(Resource, 'ResourceList');
export const ResourceListQuery = closed({ ...PAGE });
