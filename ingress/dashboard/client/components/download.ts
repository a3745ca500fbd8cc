// Downloads all rows of a list under its filters: as CSV, or as JSON in the form of the API.
import { api, type Pages, useAction } from '../api.ts';
import { type CsvField, csvOf } from '../csv.ts';
import { whole } from '../format.ts';
import { html, useState, type VNode } from '../html.ts';
import { save } from '../save.ts';
import type { ListPage } from '../wire.ts';
import { FormError } from './states.ts';

/** Larger downloads need the API or `custos`: the browser holds all rows in memory. */
const MAX_ROWS = 5_000;
const ROWS_A_PAGE = 200;

export interface DownloadProps<Row> {
  /** From usePages. */
  readonly of: Pages<Row>;
  /** The file name without its extension. */
  readonly name: string;
  readonly fields: readonly CsvField<Row>[];
}

export function Download<Row>({ of: { asked, items }, name, fields }: DownloadProps<Row>): VNode {
  const [status, setStatus] = useState('');
  const download = useAction(async (kind: 'csv' | 'json') => {
    const rows: Row[] = [];
    let cursor: string | null = null;
    do {
      setStatus(`Reading, ${whole(rows.length)} so far…`);
      const query: typeof asked.query = { ...asked.query, limit: ROWS_A_PAGE, cursor: cursor ?? undefined };
      // oxlint-disable-next-line no-await-in-loop -- each page names the next
      const page: ListPage<Row> = await api<ListPage<Row>>(asked.path, { query });
      rows.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null && rows.length < MAX_ROWS);
    const file = `custos-${name}.${kind}`;
    if (kind === 'csv') save(file, 'text/csv;charset=utf-8', csvOf(fields, rows));
    else save(file, 'application/json', `${JSON.stringify(rows, null, 2)}\n`);
    setStatus(
      cursor === null ? '' : `The file has only the first ${whole(rows.length)} rows. Use filters to shorten the list.`,
    );
  });
  const button = (kind: 'csv' | 'json', text: string): VNode =>
    html`<button type="button" class="button" disabled=${download.busy || items.length === 0} onClick=${() => download.run(kind)}>${text}</button>`;
  return html`<span class="download">${button('csv', 'Download CSV')} ${button('json', 'Download JSON')}<span class="muted" role="status">${download.error === undefined ? status : ''}</span><${FormError} error=${download.error} /></span>`;
}
