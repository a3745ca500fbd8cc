// All that a list has under its filters, as a file: CSV for spreadsheets, JSON as the API gives it.
import { api, type ListPage, type Pages, useAction } from '../api.ts';
import { type CsvField, csvOf } from '../csv.ts';
import { whole } from '../format.ts';
import { html, useState, type VNode } from '../html.ts';
import { save } from '../save.ts';
import { FormError } from './states.ts';

/** More than this is for `custos` and the API; a browser holds it all at once. */
const MAX_ROWS = 5_000;
const ROWS_A_PAGE = 200;

export interface DownloadProps<Row> {
  /** From usePages. */
  readonly of: Pages<Row>;
  /** What the file is called, without its ending. */
  readonly name: string;
  readonly fields: readonly CsvField<Row>[];
}

export function Download<Row>({ of: { asked, items }, name, fields }: DownloadProps<Row>): VNode {
  const [said, setSaid] = useState('');
  const download = useAction(async (kind: 'csv' | 'json') => {
    const rows: Row[] = [];
    let cursor: string | null = null;
    do {
      setSaid(`Reading, ${whole(rows.length)} so far…`);
      const query: typeof asked.query = { ...asked.query, limit: ROWS_A_PAGE, cursor: cursor ?? undefined };
      // One page after the other: each names the next.
      // oxlint-disable-next-line no-await-in-loop
      const page: ListPage<Row> = await api<ListPage<Row>>(asked.path, { query });
      rows.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null && rows.length < MAX_ROWS);
    const file = `custos-${name}.${kind}`;
    if (kind === 'csv') save(file, 'text/csv;charset=utf-8', csvOf(fields, rows));
    else save(file, 'application/json', `${JSON.stringify(rows, null, 2)}\n`);
    setSaid(cursor === null ? '' : `The file has the first ${whole(rows.length)}; filters make the list shorter.`);
  });
  const button = (kind: 'csv' | 'json', text: string): VNode =>
    html`<button type="button" class="button" disabled=${download.busy || items.length === 0} onClick=${() => download.run(kind)}>${text}</button>`;
  return html`<span class="download">${button('csv', 'Download CSV')} ${button('json', 'Download JSON')}<span class="muted" role="status">${download.error === undefined ? said : ''}</span><${FormError} error=${download.error} /></span>`;
}
