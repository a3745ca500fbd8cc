// The routes of waiting approvals: groups of alike ones, and the members of one group, soonest expiry first.
import { Type } from 'typebox';
import type { ExpiryPlace } from '../../../shared/domain/approvals/waiting.ts';
import { CallerId, closed, Cursor, DEFAULT_LIMIT, IdParams, Limit } from '../../../shared/api/common.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import type { Route } from '../../route.ts';
import { agentsOf, decodeCursor, encodeCursor } from '../../routes/paging.ts';
import type { WaitingGroups, WaitingMembers, WordsRead } from '../client/wire/approvals.ts';
import type { WaitingReader } from '../waiting-approvals.ts';
import { pageRoute } from './page-route.ts';

const GROUP = '^(?:apr_[0-9a-z]{26}|[0-9a-f]{32})$';

const PAGE_OF_APPROVALS = {
  agentId: Type.Optional(CallerId),
  cursor: Type.Optional(Cursor),
  limit: Type.Optional(Limit),
};
const Query = closed(PAGE_OF_APPROVALS);
const MembersQuery = closed({ group: Type.String({ pattern: GROUP }), ...PAGE_OF_APPROVALS });

/** Milliseconds of an expiry, and the id of a group or an approval. */
const PLACE = /^\d{1,15} (?:apr_[0-9a-z]{26}|[0-9a-f]{32})$/;

const textOf = ({ expiresAt, id }: ExpiryPlace): string => `${expiresAt.getTime()} ${id}`;

/** @throws {ApiError} E2001 at ?cursor */
function placeOf(cursor: string | undefined): ExpiryPlace | undefined {
  const [ms = '', id = ''] = decodeCursor(cursor, PLACE)?.split(' ') ?? [];
  return id === '' ? undefined : { expiresAt: new Date(Number(ms)), id };
}

/** Of up to `limit + 1` rows: those of the page, and the cursor of the next one. */
function cut<Place extends ExpiryPlace>(rows: readonly Place[], limit: number): { page: Place[]; next: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: rows.length > limit && last !== undefined ? encodeCursor(textOf(last)) : null };
}

export function waitingApprovalRoutes(reader: WaitingReader): Route[] {
  return [
    pageRoute({
      path: '/approvals/waiting',
      summary: 'Waiting approvals in groups of alike ones, with what a person needs to decide them',
      request: { query: Query },
      answer: async ({ key, query: { agentId, cursor, limit = DEFAULT_LIMIT } }): Promise<WaitingGroups> => {
        const page = { agentIds: agentsOf(key, agentId), after: placeOf(cursor), limit: limit + 1 };
        const { groups, newest, show } = await reader.groups(key, page);
        const { page: shown, next } = cut(groups, limit);
        return { items: shown.flatMap((group) => show(group) ?? []), nextCursor: next, newest };
      },
    }),
    pageRoute({
      path: '/approvals/waiting/alike',
      summary: 'The members of one group of waiting approvals',
      request: { query: MembersQuery },
      answer: async ({ key, query: { group, agentId, cursor, limit = DEFAULT_LIMIT } }): Promise<WaitingMembers> => {
        const page = { agentIds: agentsOf(key, agentId), after: placeOf(cursor), limit };
        const { places, items } = await reader.members(key, group, page);
        const last = places.at(-1);
        return { items, nextCursor: places.length < limit || last === undefined ? null : encodeCursor(textOf(last)) };
      },
    }),
    pageRoute({
      path: '/approvals/{id}/words',
      summary: 'The words of which the intent of an approval was read, and what the reading leaves out',
      request: { params: IdParams },
      errors: ['E4001'],
      answer: async ({ key, params }): Promise<WordsRead> => {
        const words = await reader.words(key, params.id);
        if (words === undefined)
          throw new ApiError('E4001', 'There is no such approval in this organisation and environment.');
        return words;
      },
    }),
  ];
}
