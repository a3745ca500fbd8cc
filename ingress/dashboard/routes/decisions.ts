// Routes of the decision pages: the search with its histogram and suggestions, how many decisions are new, and the explanation of one.
import { type Static, Type } from 'typebox';
import { MAX_QUERY_LENGTH, parseQuery, type QueryTerm } from '../../../shared/core/decision/query.ts';
import { type DecisionSearch, type DecisionSearcher } from '../../../shared/domain/decisions/decision-search.ts';
import { readReasonTexts, readTools } from '../../../shared/domain/decisions/known-values.ts';
import { readVerdictBuckets, type VerdictBuckets } from '../../../shared/domain/decisions/verdict-buckets.ts';
import { assertMayName } from '../../../shared/domain/keys/bound.ts';
import type { AuthenticatedKey } from '../../../shared/domain/keys/types.ts';
import type { EntitySql } from '../../../shared/platform/db/database.ts';
import { ApiError, invalidField } from '../../../shared/kernel/errors.ts';
import { idTimeMs } from '../../../shared/kernel/ids.ts';
import { ownerColumns, ownerOf } from '../../../shared/kernel/owner.ts';
import { timeBuckets } from '../../../shared/kernel/time-buckets.ts';
import { type Verdict, VERDICTS } from '../../../shared/kernel/vocabulary.ts';
import { closed, DEFAULT_LIMIT, IdParams, Instant, PAGE, StringEnum } from '../../../shared/api/common.ts';
import type { ShowDecisions } from '../../routes/decision-view.ts';
import { decodeCursor, encodeCursor, instant } from '../../routes/paging.ts';
import type { Route } from '../../route.ts';
import type { AgentLister } from '../agents.ts';
import type { DecisionAnswer } from '../client/answers.ts';
import type { DecisionHistogram, DecisionsFound, NewerDecisions, Suggestions } from '../client/wire/decisions.ts';
import type { Explanations } from '../explanations.ts';
import { pageRoute } from './page-route.ts';

/** New decisions are counted up to this number. */
const MAX_NEWER = 1_000;
/** Bars of the histogram: as many as a wide window shows well. */
const BUCKETS = 90;
const MAX_SUGGESTIONS = 12;
const DECISION_ID = /^dec_[0-9a-z]{26}$/;

const SEARCH = {
  q: Type.Optional(Type.String({ maxLength: MAX_QUERY_LENGTH })),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
};
const SearchQuery = closed({ ...SEARCH, ...PAGE });
const HistogramQuery = closed(SEARCH);
/** Without `after`: all decisions. */
const NewerQuery = closed({ ...SEARCH, after: Type.Optional(Type.String({ pattern: DECISION_ID.source })) });
const SuggestionsQuery = closed({
  field: StringEnum(['agent', 'reason', 'tool', 'server']),
  prefix: Type.Optional(Type.String({ maxLength: 256 })),
});

export interface DecisionPagesDeps {
  readonly db: EntitySql;
  readonly nowMs: () => number;
  readonly searcher: DecisionSearcher;
  readonly agents: AgentLister;
  readonly shown: ShowDecisions;
  readonly explanations: Explanations;
}

type Searched = Pick<Static<typeof SearchQuery>, 'q' | 'from' | 'to'>;

/** @throws {ApiError} E2001 at ?q; E1004 for an agent that the key is not bound to */
function searchOf(key: AuthenticatedKey, { q = '', from, to }: Searched): DecisionSearch {
  const parsed = parseQuery(q);
  if (!parsed.ok) throw invalidField('?q', parsed.message);
  for (const { field, value, negated } of parsed.terms)
    if (field === 'agent' && !negated) assertMayName(key, value, '?q');
  return {
    ...ownerOf(key),
    agentIds: key.agentIds === null ? undefined : [...key.agentIds],
    terms: parsed.terms,
    from: instant(from),
    to: instant(to),
  };
}

const timeOf = (id: string): string => new Date(idTimeMs(id)).toISOString();

/** Whether the verdicts alone are searched: these are counted as they are made. */
const isCounted = ({ terms, agentIds }: DecisionSearch): boolean =>
  agentIds === undefined && terms.every(({ field }) => field === 'verdict');

function matchesVerdict(terms: readonly QueryTerm[], verdict: Verdict): boolean {
  const wanted = terms.filter(({ field, negated }) => field === 'verdict' && !negated);
  const isRefused = terms.some(({ field, negated, value }) => field === 'verdict' && negated && value === verdict);
  return !isRefused && (wanted.length === 0 || wanted.some(({ value }) => value === verdict));
}

type Counts = VerdictBuckets['counts'];

const countsOf = (of: (verdict: Verdict) => readonly number[]): Counts =>
  // VERDICTS has every verdict once.
  Object.fromEntries(VERDICTS.map((verdict) => [verdict, of(verdict)])) as Record<Verdict, readonly number[]>;

const OLDEST =
  'SELECT decision_id AS id FROM decision WHERE organisation_id = $1 AND environment = $2 ORDER BY decision_id LIMIT 1';

function createHistogram({ db, nowMs, searcher }: DecisionPagesDeps) {
  return async (search: DecisionSearch): Promise<DecisionHistogram> => {
    const toMs = search.to?.getTime() ?? nowMs() + 1;
    const [oldest] = search.from === undefined ? await db.query<{ id: string }>(OLDEST, ownerColumns(search)) : [];
    const fromMs = Math.min(toMs, search.from?.getTime() ?? (oldest === undefined ? toMs : idTimeMs(oldest.id)));
    if (isCounted(search)) {
      const { counts, ...buckets } = await readVerdictBuckets(db, search, fromMs, toMs, BUCKETS);
      const shown = countsOf((verdict) =>
        matchesVerdict(search.terms, verdict) ? counts[verdict] : counts[verdict].map(() => 0),
      );
      return { ...buckets, counts: shown, countedTo: null };
    }
    const { startMs, stepMs, length } = timeBuckets(fromMs, toMs, BUCKETS);
    const { counts: found, completeAfter } = await searcher.count(search, startMs, stepMs);
    const counts = countsOf((verdict) => {
      const all = Array.from({ length }, () => 0);
      for (const each of found) if (each.verdict === verdict) all[each.bucket] = (all[each.bucket] ?? 0) + each.count;
      return all;
    });
    return { startMs, stepMs, counts, countedTo: completeAfter === undefined ? null : timeOf(completeAfter) };
  };
}

function createSuggestions({ db, agents }: DecisionPagesDeps) {
  return async (key: AuthenticatedKey, field: string, prefix: string): Promise<string[]> => {
    const lower = prefix.toLowerCase();
    const matching = (values: Iterable<string>): string[] =>
      [...new Set(values)].filter((value) => value.toLowerCase().includes(lower)).slice(0, MAX_SUGGESTIONS);
    if (field === 'agent') {
      const { organisationId, environment, agentIds } = key;
      const query = { organisationId, environment, agentIds, status: undefined, cursor: undefined };
      const limited = { ...query, limit: MAX_SUGGESTIONS };
      const { items } = await (prefix === '' ? agents.newest(limited) : agents.byPrefix(limited, prefix));
      return items.map(({ agentId }) => agentId);
    }
    // A bound key must not learn what other agents did.
    if (key.agentIds !== null) return [];
    if (field === 'reason') return matching((await readReasonTexts(db, key)).flatMap((text) => text.split(' ')).sort());
    const tools = await readTools(db, key);
    return matching(tools.map(({ server, name }) => (field === 'server' ? server : `${server}/${name}`)));
  };
}

export function decisionPageRoutes(deps: DecisionPagesDeps): Route[] {
  const { searcher, shown, explanations } = deps;
  const histogram = createHistogram(deps);
  const suggestions = createSuggestions(deps);
  return [
    pageRoute({
      path: '/decisions/search',
      summary: 'Decisions that match a search, newest first',
      request: { query: SearchQuery },
      answer: async ({ key, query }): Promise<DecisionsFound> => {
        const limit = query.limit ?? DEFAULT_LIMIT;
        const { rows, next } = await searcher.page(
          searchOf(key, query),
          decodeCursor(query.cursor, DECISION_ID),
          limit,
        );
        const texts = await shown(
          key,
          rows.map(({ record }) => record),
        );
        return {
          // Written by this service.
          items: texts.map((text) => JSON.parse(text) as DecisionAnswer),
          nextCursor: next === undefined ? null : encodeCursor(next),
          searchedTo: next === undefined || rows.length === limit ? null : timeOf(next),
        };
      },
    }),
    pageRoute({
      path: '/decisions/histogram',
      summary: 'How many decisions match a search, by verdict and time',
      request: { query: HistogramQuery },
      answer: ({ key, query }) => histogram(searchOf(key, query)),
    }),
    pageRoute({
      path: '/decisions/newer',
      summary: 'How many decisions that match a search are newer than one',
      request: { query: NewerQuery },
      answer: async ({ key, query }): Promise<NewerDecisions> => {
        const found = await searcher.newer(searchOf(key, query), query.after ?? '', MAX_NEWER);
        return { newer: found.length, more: found.length === MAX_NEWER };
      },
    }),
    pageRoute({
      path: '/decisions/suggestions',
      summary: 'Values of a field of the search',
      request: { query: SuggestionsQuery },
      answer: async ({ key, query: { field, prefix = '' } }): Promise<Suggestions> => ({
        values: await suggestions(key, field, prefix),
      }),
    }),
    pageRoute({
      path: '/decisions/{id}/explanation',
      summary: 'Every rule that applied to a recorded decision, with the values it was evaluated with',
      request: { params: IdParams },
      errors: ['E4001'],
      answer: async ({ key, params }) => {
        const explanation = await explanations.read(key, params.id);
        if (explanation !== undefined) return explanation;
        throw new ApiError('E4001', 'There is no such decision in this organisation and environment.');
      },
    }),
  ];
}
