// Lists: a table that becomes cards on narrow screens, its pager, and filters. The ARIA roles are explicit, because the styles of
// the cards remove the implicit ones.
import type { Pages } from '../api.ts';
import {
  type ComponentChildren,
  html,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type VNode,
} from '../html.ts';
import { timeZone } from '../format.ts';
import { type FilterValues, Link } from '../router.ts';
import { Icon } from '../icons.ts';
import { createStore, useStore } from '../store.ts';
import { Chip } from './chip.ts';
import { Notice } from './layout.ts';
import { Empty, ErrorState, Loading } from './states.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** For numbers: aligned right. */
  readonly align?: 'end';
  /** Hidden on narrow screens; the row's own page has it. */
  readonly minor?: boolean;
  /**
   * In a narrow window a row is a card of two lines: the first column above, the others below it. `lead`: at the right of the
   * first line, for a status. `labelled`: with its title before the value, for numbers.
   */
  readonly narrow?: 'lead' | 'labelled';
  /** The sort key, when the rows of the page can be sorted by this column. */
  readonly sortBy?: (row: Row) => string | number;
}

export interface TableProps<Row> {
  /** What the table lists; for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Makes the first column a link to the row's own page. */
  readonly hrefOf?: (row: Row) => string;
  /** Stays a table on narrow screens: for a few short columns. */
  readonly plain?: boolean;
  /** Shown instead of a table without rows. */
  readonly empty?: ComponentChildren;
}

/** Whether the content of an element is wider than the element. Then it scrolls, and must be reachable by keyboard. */
function useScrolls(): [RefObject<HTMLDivElement | null>, boolean] {
  const place = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const look = (): void => setScrolls(element.scrollWidth > element.clientWidth);
    const observer = new ResizeObserver(look);
    observer.observe(element);
    if (element.firstElementChild !== null) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, []);
  return [place, scrolls];
}

/** A horizontally scrolling area for wide content. */
export function Scroll({ label, children }: { readonly label: string; readonly children?: ComponentChildren }): VNode {
  const [place, scrolls] = useScrolls();
  return html`<div class="table-scroll" ref=${place} ...${scrolls ? { tabindex: 0, role: 'region', 'aria-label': label } : {}}>${children}</div>`;
}

function classOf<Row>({ align, minor, narrow }: Column<Row>, end: string): string | undefined {
  const names = [align === 'end' && end, minor === true && 'minor', narrow !== undefined && `narrow-${narrow}`];
  return names.filter(Boolean).join(' ') || undefined;
}

interface Sorting {
  readonly column: number;
  readonly down: boolean;
}

export function Table<Row>({ caption, columns, rows, keyOf, hrefOf, plain, empty }: TableProps<Row>): VNode {
  const [sorting, setSorting] = useState<Sorting | undefined>(undefined);
  const shown = useMemo(() => {
    const by = sorting === undefined ? undefined : columns[sorting.column]?.sortBy;
    if (by === undefined || sorting === undefined) return rows;
    const sign = sorting.down ? -1 : 1;
    return [...rows].sort((a, b) => {
      const [x, y] = [by(a), by(b)];
      return sign * (typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y)));
    });
  }, [rows, sorting, columns]);
  if (rows.length === 0) return html`${empty ?? html`<${Empty} title="Nothing here" />`}`;
  const head = (column: Column<Row>, at: number): VNode => {
    const sorted = sorting?.column === at ? (sorting.down ? 'descending' : 'ascending') : undefined;
    const name = classOf(column, 'end');
    if (column.sortBy === undefined)
      return html`<th role="columnheader" scope="col" class=${name}>${column.title}</th>`;
    const toggle = (): void =>
      setSorting(sorted === 'ascending' ? { column: at, down: true } : { column: at, down: false });
    return html`<th role="columnheader" scope="col" class=${name} aria-sort=${sorted}><button type="button" class="sort" onClick=${toggle}>${column.title}<span aria-hidden="true">${sorted === undefined ? '↕' : sorted === 'ascending' ? '↑' : '↓'}</span></button></th>`;
  };
  const cell = (row: Row, column: Column<Row>, at: number): VNode => {
    const content = column.cell(row);
    const name = classOf(column, 'end num');
    if (at > 0)
      return html`<td role="cell" class=${name} data-title=${column.title}><div class="cell">${content}</div></td>`;
    return html`<th role="rowheader" scope="row" class=${name} data-title=${column.title}><div class="cell">${hrefOf === undefined ? content : html`<${Link} to=${hrefOf(row)} class="row-link">${content}<//>`}</div></th>`;
  };
  return html`<${Scroll} label=${caption}><table role="table" class=${plain === true ? 'plain' : undefined}>
    <caption class="visually-hidden">${caption}</caption>
    <thead role="rowgroup"><tr role="row">${columns.map(head)}</tr></thead>
    <tbody role="rowgroup">${shown.map((row) => html`<tr role="row" key=${keyOf(row)}>${columns.map((column, at) => cell(row, column, at))}</tr>`)}</tbody>
  </table><//>`;
}

export type ListProps<Row> = (
  | Omit<TableProps<Row>, 'rows'>
  | {
      /** In place of the usual table. */
      readonly table: (rows: readonly Row[]) => VNode;
      readonly empty: ComponentChildren;
    }
) & {
  /** From usePages. */
  readonly pages: Pages<Row>;
  /** The labels of the pager's buttons. Default: Newer, Older. */
  readonly ways?: readonly [before: string, next: string];
};

/** The lists that are shown now. */
const listsShown = createStore(0);

/** Whether the page has a list, to which the frame then has a skip link: an element with the id `list` and the tabindex -1. */
export const useListOnPage = (): boolean => useStore(listsShown) > 0;

/** Reports that the calling component shows a list with the id `list`. */
export function useAsList(): void {
  useEffect(() => {
    listsShown.set(listsShown.get() + 1);
    return () => listsShown.set(listsShown.get() - 1);
  }, []);
}

/** A list of the API: its table, its states, and its pager. */
export function List<Row>({ pages, ways = ['Newer', 'Older'], ...table }: ListProps<Row>): VNode {
  const { data, error, loading, items, page, older, newer, newerIsFirst, reload } = pages;
  useAsList();
  if (data === undefined && error !== undefined)
    return html`<${ErrorState} error=${error} onRetry=${reload} more=${newer && html`<button type="button" class="button" onClick=${newer}>${newerIsFirst ? 'First page' : ways[0]}</button>`} />`;
  if (data === undefined) return html`<${Loading} />`;
  return html`${error && html`<div class="stack" role="status"><${Notice} tone="warn" title="This may be out of date">${error.message}<//></div>`}<div class="list" id="list" tabindex="-1" aria-busy=${loading}>
    ${'table' in table ? (items.length === 0 ? table.empty : table.table(items)) : html`<${Table} ...${table} rows=${items} />`}
    ${
      (older ?? newer) &&
      html`<nav class="pager" aria-label="Pages of the list">
      <button type="button" class="button" disabled=${newer === undefined} onClick=${newer}>${newerIsFirst ? 'First page' : ways[0]}</button>
      <span class="muted num" aria-live="polite">Page ${page}</span>
      <button type="button" class="button" disabled=${older === undefined} onClick=${older}>${ways[1]}</button>
    </nav>`
    }
  </div>`;
}

export type FilterField =
  | { readonly name: string; readonly label: string; readonly kind: 'text'; readonly placeholder?: string }
  | { readonly name: string; readonly label: string; readonly kind: 'moment' }
  | {
      readonly name: string;
      readonly label: string;
      readonly kind: 'choice';
      readonly options: readonly (string | readonly [value: string, label: string])[];
    };

export interface FiltersProps {
  readonly fields: readonly FilterField[];
  readonly values: FilterValues;
  /** From useFilters. Text filters are debounced. */
  readonly onChange: (change: FilterValues) => void;
}

const DEBOUNCE_MS = 350;

/** Filters above a list. A time is stored as RFC 3339 and shown in the reader's time zone. */
export function Filters({ fields, values, onChange }: FiltersProps): VNode {
  const id = useId();
  const used = fields.filter(({ name }) => values[name] !== undefined);
  const [isOpen, setOpen] = useState(false);
  const [clearings, setClearings] = useState(0);
  const clear = ({ currentTarget }: MouseEvent): void => {
    // The button disappears with the filters, so the focus moves to the first of them.
    const { form } = currentTarget as HTMLButtonElement;
    form?.querySelector<HTMLElement>('input, select')?.focus();
    setClearings(clearings + 1);
    onChange(Object.fromEntries(fields.map(({ name }) => [name, undefined])));
  };
  // The button and the chips are shown in narrow windows only, where the fields are folded.
  return html`<form class=${isOpen ? 'filters open' : 'filters'} role="search" onSubmit=${(event: Event) => event.preventDefault()}>
    <div class="filters-fold">
      <button type="button" class="button" aria-expanded=${isOpen} aria-controls=${id} onClick=${() => setOpen(!isOpen)}><${Icon} name="sliders-horizontal" /> Filters${used.length > 0 && html` <span class="filters-count">${used.length}<span class="visually-hidden"> active</span></span>`}</button>
      ${!isOpen && used.map(({ name, label }) => html`<${Chip} key=${name} label=${label} value=${values[name]} onRemove=${() => onChange({ [name]: undefined })} />`)}
    </div>
    <div class="filters-fields" id=${id}>
    ${fields.map((field) => html`<${Filter} key=${field.name} field=${field} clearings=${clearings} value=${values[field.name] ?? ''} onChange=${(value: string) => onChange({ [field.name]: value === '' ? undefined : value })} />`)}
    ${used.length > 0 && html`<button type="button" class="button button-quiet" onClick=${clear}>Clear filters</button>`}
    </div>
  </form>`;
}

interface FilterProps {
  readonly field: FilterField;
  /** Changes when all filters are cleared, which also drops debounced input. */
  readonly clearings: number;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Filter({ field, clearings, value, onChange }: FilterProps): VNode {
  const id = useId();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value, clearings]);
  // Another filter may change during the debounce: the latest callback must not undo it.
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    if (field.kind !== 'text' || typed === value) return undefined;
    const timer = window.setTimeout(() => latest.current(typed.trim()), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const zone = field.kind === 'moment' ? ` (${timeZone(value === '' ? new Date() : new Date(value))})` : '';
  const label = html`<label for=${id}>${field.label}${zone}</label>`;
  if (field.kind === 'choice') {
    const options = field.options.map((option) => (typeof option === 'string' ? ([option, option] as const) : option));
    return html`<div class="field">${label}<select id=${id} value=${value} onChange=${(event: Event) => onChange((event.currentTarget as HTMLSelectElement).value)}>
      <option value="">Any</option>
      ${options.map(([each, text]) => html`<option value=${each} selected=${each === value}>${text}</option>`)}
    </select></div>`;
  }
  if (field.kind === 'moment')
    return html`<div class="field">${label}<input id=${id} type="datetime-local" step="1" max="9999-12-31T23:59:59" value=${localOf(value)} onChange=${(event: Event) => onChange(instantOf((event.currentTarget as HTMLInputElement).value))} /></div>`;
  return html`<div class="field">${label}<input id=${id} type="search" autocomplete="off" spellcheck=${false} placeholder=${field.placeholder} value=${typed} onInput=${(event: Event) => setTyped((event.currentTarget as HTMLInputElement).value)} /></div>`;
}

/** The value of a `datetime-local` input: local time without a zone. */
function localOf(instant: string): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return '';
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function instantOf(local: string): string {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
