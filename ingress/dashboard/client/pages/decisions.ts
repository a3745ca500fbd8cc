// The list of decisions as a log explorer: one search field, a histogram, rows to filter by, new decisions, and a drawer for one.
import { parseQuery, type QueryTerm, formatQuery } from '../query.ts';
import { api, type Pages, useApi, usePages } from '../api.ts';
import type { DecisionAnswer } from '../answers.ts';
import { moment, whole } from '../format.ts';
import { html, useEffect, useMemo, useRef, useState, type VNode } from '../html.ts';
import { Histogram } from '../components/histogram.ts';
import { QueryField } from '../components/query-field.ts';
import { LIST_PARAMETERS, listPlace, nextPage, withListPlace } from '../paging.ts';
import { href, navigate, usePlace } from '../router.ts';
import { isTyping } from '../shortcuts.ts';
import { Card, Download, Empty, List, PageHead, useNow } from '../ui.ts';
import type { DecisionHistogram, DecisionsFound, NewerDecisions } from '../wire/decisions.ts';
import { DecisionDrawer } from './decisions-drawer.ts';
import { DECISION_FIELDS } from './decisions-parts.ts';
import { RangePicker, type RangeValue } from './decisions-range.ts';
import { DecisionRows } from './decisions-rows.ts';
import { type DecisionView, neighbour, parametersOf, spanOf, termsOf, viewOf, withTerm } from './decisions-view.ts';

/** What is searched, as parameters of the dashboard's routes. */
interface Searched {
  readonly q: string;
  readonly from?: string;
  readonly to?: string;
}

interface Shown {
  readonly view: DecisionView;
  /** Goes to another view; a different search begins at its first page. */
  readonly change: (change: Partial<DecisionView>) => void;
}

function useView(): Shown {
  const { query, state } = usePlace();
  const view = viewOf(query);
  return {
    view,
    change(change) {
      const parameters = parametersOf({ ...view, ...change });
      const isSame = Object.keys(change).every((name) => name === 'open');
      const paging = isSame ? LIST_PARAMETERS.map((name) => [name, query.get(name) ?? undefined] as const) : [];
      const to = href('decisions', undefined, { ...parameters, ...Object.fromEntries(paging) });
      // From one decision to the next there is no new entry: Back closes the drawer.
      const replaces = isSame && view.open !== undefined && change.open !== undefined;
      navigate(to, replaces, isSame ? state : null, false);
    },
  };
}

export function DecisionList(): VNode {
  const { view, change } = useView();
  const { q, range, from, to, live, open } = view;
  const terms = termsOf(q);
  const span = useMemo(() => spanOf(view, new Date()), [q, range, from, to]);
  const parsed = parseQuery(q);
  const searched: Searched = { q: parsed.ok ? formatQuery(terms) : q, ...span };
  const pages = usePages<DecisionAnswer>('/decisions/search', { ...searched });
  const histogram = useApi<DecisionHistogram>('/decisions/histogram', { ...searched });
  const reload = (): void => {
    pages.reload();
    histogram.reload();
  };
  const openOne = (id: string | undefined): void => change({ open: id });
  const filter = (term: QueryTerm): void => {
    const allowed = pages.items.find(({ reasons }) => reasons[0]?.code === term.value)?.verdict === 'ALLOW';
    const added = withTerm(terms, term);
    // Reasons of ALLOW decisions are searched only when the search names that verdict.
    const needsVerdict = term.field === 'reason' && !term.negated && allowed;
    change({
      q: formatQuery(needsVerdict ? withTerm(added, { field: 'verdict', value: 'ALLOW', negated: false }) : added),
    });
  };
  useKeys({ items: pages.items, open, onOpen: openOne });
  const of = (step: 1 | -1): (() => void) | undefined => {
    const next = neighbour(pages.items, (each) => each.decision_id === open, step);
    return next && (() => openOne(next.decision_id));
  };
  return html`<${PageHead} title="Decisions" lead="What agents asked for, and why it was allowed or not." actions=${html`<${Download} of=${pages} name="decisions" fields=${DECISION_FIELDS} />`} />
    <div class="explorer-bar">
      <${QueryField} terms=${terms} wrong=${parsed.ok ? undefined : q} onChange=${(next: readonly QueryTerm[]) => change({ q: formatQuery(next) })} onId=${(id: string) => navigate(href('decisions', id))} />
      <${RangePicker} range=${range} from=${from} to=${to} onChange=${(value: RangeValue) => change(value)} />
      <button type="button" class="button live-button" aria-pressed=${live} onClick=${() => change({ live: !live })}><span class="live-dot" aria-hidden="true"></span>Live</button>
    </div>
    <${Counts} histogram=${histogram.data} onChoose=${(fromMs: number, toMs: number) => change({ range: undefined, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() })} onVerdict=${(value: string) => filter({ field: 'verdict', value, negated: false })} />
    <${NewDecisions} pages=${pages} searched=${searched} isClosed=${to !== undefined} live=${live} onShow=${reload} />
    <${List} pages=${pages} empty=${html`<${NoneFound} pages=${pages} isFiltered=${q !== '' || range !== undefined || from !== undefined || to !== undefined} onClear=${() => change({ q: '', range: undefined, from: undefined, to: undefined })} />`}
      table=${(items: readonly DecisionAnswer[]) => html`<${DecisionRows} decisions=${items} open=${open} onOpen=${openOne} onFilter=${filter} />`} />
    <${SearchedTo} pages=${pages} />
    ${open !== undefined && html`<${DecisionDrawer} id=${open} known=${pages.items.find((each) => each.decision_id === open)} onNext=${of(1)} onPrevious=${of(-1)} onClose=${() => openOne(undefined)} />`}`;
}

/** j and k move along the rows, and through the decisions while the drawer is open. */
function useKeys({
  items,
  open,
  onOpen,
}: {
  readonly items: readonly DecisionAnswer[];
  readonly open: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}): void {
  const latest = useRef({ items, open, onOpen });
  latest.current = { items, open, onOpen };
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isTyping(event) || document.querySelector('dialog[open]') !== null) return;
      const now = latest.current;
      if (event.key === 'Escape' && now.open !== undefined) now.onOpen(undefined);
      else if (event.key === 'j' || event.key === 'k') {
        const step = event.key === 'j' ? 1 : -1;
        if (now.open === undefined) focusRow(step);
        else {
          const next = neighbour(now.items, (each) => each.decision_id === now.open, step);
          if (next !== undefined) now.onOpen(next.decision_id);
        }
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

function focusRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('.decisions-table .row-link')];
  const row = document.activeElement?.closest('tr');
  const at = links.findIndex((link) => link.closest('tr') === row);
  links[at < 0 ? 0 : at + step]?.focus();
}

const LAYERS = [
  ['ALLOW', 'allow'],
  ['DEGRADE', 'degrade'],
  ['ESCALATE', 'escalate'],
  ['DENY', 'deny'],
] as const;

function Counts({
  histogram,
  onChoose,
  onVerdict,
}: {
  readonly histogram: DecisionHistogram | undefined;
  readonly onChoose: (fromMs: number, toMs: number) => void;
  readonly onVerdict: (verdict: string) => void;
}): VNode {
  const now = useNow();
  // The bars of the search before stay until the new ones are there.
  const last = useRef(histogram);
  if (histogram !== undefined) last.current = histogram;
  const shown = last.current;
  if (shown === undefined) return html`<${Card} class="explorer-counts"><div class="histogram-wait"></div><//>`;
  const { startMs, stepMs, counts, countedTo } = shown;
  const layers = LAYERS.map(([label, name]) => ({ label, name, counts: counts[label] }));
  const totalOf = (of: readonly number[]): number => of.reduce((sum, value) => sum + value, 0);
  const total = layers.reduce((sum, layer) => sum + totalOf(layer.counts), 0);
  return html`<${Card} class="explorer-counts">
    <div class="counts-head">
      <p><strong class="num">${whole(total)}</strong> ${total === 1 ? 'decision' : 'decisions'}${countedTo !== null && html` <span class="muted">since ${moment(new Date(countedTo), now)}; older ones are not counted for this search</span>`}</p>
      <ul class="counts-legend">${layers.map(({ label, name, counts: of }) => html`<li key=${name}><button type="button" class="filter-value" title=${`Filter by verdict ${label}`} onClick=${() => onVerdict(label)}><span class=${`swatch layer-${name}`}></span>${label} <span class="num">${whole(totalOf(of))}</span></button></li>`)}</ul>
    </div>
    <${Histogram} title="Decisions over time" startMs=${startMs} stepMs=${stepMs} layers=${layers} completeFromMs=${countedTo === null ? undefined : Date.parse(countedTo)} onChoose=${onChoose} />
  <//>`;
}

function NoneFound({
  pages,
  isFiltered,
  onClear,
}: {
  readonly pages: Pages<DecisionAnswer>;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}): VNode {
  if (pages.data?.nextCursor) return html`<${Empty} title="Searching further back…" />`;
  if (!isFiltered)
    return html`<${Empty} title="No decisions yet">Decisions appear here as soon as an agent sends a request.<//>`;
  return html`<${Empty} title="No decision matches this search"><p>Remove a filter or choose a longer time range.</p><p><button type="button" class="button" onClick=${onClear}>Clear the search</button></p><//>`;
}

/** A search without an index answers in steps: how far it came. With no match so far it goes on by itself. */
function SearchedTo({ pages }: { readonly pages: Pages<DecisionAnswer> }): VNode | null {
  const place = usePlace();
  const now = useNow();
  // The route answers this list with one more member.
  const found = pages.data as DecisionsFound | undefined;
  const next = found?.nextCursor ?? null;
  const goesOn = found !== undefined && !pages.loading && found.items.length === 0 && next !== null;
  useEffect(() => {
    if (!goesOn || next === null) return;
    const to = nextPage(listPlace(place.query, place.state), next);
    navigate(href('decisions', undefined, withListPlace(place.query, to)), true, { trail: to.trail });
  }, [goesOn, next]);
  if (found?.searchedTo === null || found?.searchedTo === undefined) return null;
  return html`<p class="searched-to muted" role="status">Searched back to ${moment(new Date(found.searchedTo), now)}.${found.items.length > 0 && ' Older decisions are on the next page.'}</p>`;
}

const POLL_MS = 2_500;

/** The number of new decisions, with a button that shows them. The list moves by itself only when it is live. */
function NewDecisions({
  pages,
  searched,
  isClosed,
  live,
  onShow,
}: {
  readonly pages: Pages<DecisionAnswer>;
  readonly searched: Searched;
  /** Whether the time range has ended. */
  readonly isClosed: boolean;
  readonly live: boolean;
  readonly onShow: () => void;
}): VNode {
  const { data, page, loading } = pages;
  const after = data === undefined || isClosed || page > 1 ? undefined : (data.items[0]?.decision_id ?? '');
  const asked = JSON.stringify(searched);
  const [found, setFound] = useState<NewerDecisions & { readonly after: string }>();
  const latest = useRef({ live, onShow });
  latest.current = { live, onShow };
  useEffect(() => {
    if (after === undefined) return undefined;
    const abort = new AbortController();
    const poll = (): void => {
      if (document.hidden) return;
      const query = { ...(JSON.parse(asked) as Searched), after: after === '' ? undefined : after };
      api<NewerDecisions>('/decisions/newer', { query, signal: abort.signal }).then(
        (newer) => {
          if (latest.current.live && newer.newer > 0) latest.current.onShow();
          else setFound({ ...newer, after });
        },
        // The next poll tries again; the list shows errors.
        () => undefined,
      );
    };
    const timer = window.setInterval(poll, POLL_MS);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }, [after, asked]);
  const isNew = !live && found !== undefined && found.after === after && found.newer > 0;
  const text = isNew ? `${found.more ? 'over ' : ''}${whole(found.newer)} new` : '';
  return html`<div class="news" role="status">${isNew && html`<button type="button" class="button button-small" disabled=${loading} onClick=${onShow}>${text}, show</button>`}</div>`;
}
