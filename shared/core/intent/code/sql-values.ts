// What the values do that SQL gives to columns and to settings.
import { firstOf } from '../first-of.ts';
import { gravest } from './code.ts';
import { disablesSomething, doingOfSetting, doingOfValues, emptiesSetting, EMPTIES } from './settings.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';
import { partsAt, plain, type Statement, withinAt } from './sql-statement.ts';
import type { SqlToken } from './sql-lexer.ts';

/** Whether a setting is emptied, or something is ended or disabled. */
export const says = (text: string, lexicon: Lexicon): boolean =>
  emptiesSetting(text, lexicon) || disablesSomething(text, lexicon);

/** What naming a setting and giving it a value does. */
function doingOfPair(name: SqlToken, value: SqlToken, lexicon: Lexicon): Doing | undefined {
  if (says(`${plain(name)}=${plain(value)}`, lexicon)) return EMPTIES;
  return doingOfSetting({ name: plain(name).toLowerCase(), value: plain(value).toLowerCase() }, lexicon);
}

const MAX_PAIRS = 400;

/** `SET value = '0' WHERE name = 'retention_days'`: what it does, and whether there are more pairs of a name and a value than are read. */
export function doingOfNamed(
  values: readonly SqlToken[],
  lexicon: Lexicon,
): { readonly does: Doing | undefined; readonly isCut: boolean } {
  const where = values.findIndex(({ lower }) => lower === 'where');
  if (where < 0) return { does: undefined, isCut: false };
  const names = values.slice(where).filter(({ kind }) => kind === 'string');
  const set = values.slice(0, where).filter((_, at) => values[at - 1]?.lower === '=');
  const { kept, isCut } = firstOf(names, Math.ceil(MAX_PAIRS / Math.max(set.length, 1)));
  return { does: gravest(kept.flatMap((name) => set.map((value) => doingOfPair(name, value, lexicon)))), isCut };
}

/** Tables whose rows name a setting and its value. */
const OF_SETTINGS =
  /(?:^|_)(?:settings?|configs?|configuration|flags?|preferences|parameters|options|policies|switches)$/;

/** What the values of new rows do: `INSERT INTO users (name, is_admin) VALUES ('eve', true)`. */
export function doingOfRows({ tokens, lexicon }: Statement, table: string): Doing | undefined {
  const values = tokens.findIndex(({ lower }) => lower === 'values');
  const into = tokens.findIndex(({ lower }) => lower === '(');
  const found: (Doing | undefined)[] = [];
  const seen = new Set<string>();
  const isNew = (pair: string): boolean => !seen.has(pair) && seen.add(pair) !== undefined;
  const columns = into > 0 && (values < 0 || into < values) ? partsAt(withinAt(tokens, into)) : [];
  for (let at = values + 1; values > 0 && at < tokens.length; at += 1) {
    if (tokens[at]?.lower !== '(') continue;
    const row = withinAt(tokens, at);
    const cells = partsAt(row);
    for (const [index, [value]] of cells.entries()) {
      const before = OF_SETTINGS.test(table) ? cells[index - 1]?.[0] : undefined;
      for (const name of [columns[index]?.[0], before])
        if (name && value && isNew(`${name.text}=${value.text}`)) found.push(doingOfPair(name, value, lexicon));
    }
    at += row.length;
  }
  // ON CONFLICT DO UPDATE SET, ON DUPLICATE KEY UPDATE, USING TTL
  const rest = tokens
    .slice(Math.max(values, 0))
    .map(({ text }) => text)
    .join(' ');
  const set = rest.search(/\b(?:update|using)\b/i);
  if (set >= 0) {
    found.push(doingOfValues(rest.slice(set), true, lexicon));
  }
  return gravest(found);
}
