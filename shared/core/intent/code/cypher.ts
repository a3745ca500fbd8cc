// Reads queries of Cypher, the language of graph databases: `MATCH (n:User) WHERE n.age > 3 RETURN n`.
import { accountingFor, type Fragment, gravest, type Span } from './code.ts';
import type { Effort } from './effort.ts';
import { doingOfSettings } from './settings.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { gone, make, makeDoing, notUnderstood, type Statement } from './sql-statement.ts';
import { tokensIn } from './sql-lexer.ts';
import { isRightsColumn } from './sql-rows.ts';
import { enclosureOf, type Place, type ReadAt } from './start.ts';

/** A pattern of a node after its clause: `MATCH (u:User {id: 3})`, `OPTIONAL MATCH p = (a)-[r]->(b)`. */
const OPENING =
  /(?:optional\s+)?match\s*(?:\w{1,40}\s*=\s*)?\(\s*\w{0,40}\s*(?::\s*`?\w[^(){}]{0,200})?(?:\{[^}]{0,400}\}\s*)?\)/iy;
const CLAUSES = /\b(?:return|set|detach|delete|remove|create|merge|call|with|where|match)\b/i;
/** What SET does: to a property, `u.role = 'admin'`, to all of them, `u = {}`, to the labels, `u:Admin`. */
function readSetting(statement: Statement, at: number): Fragment {
  const { tokens, lexicon } = statement;
  const end = tokens.findIndex(
    ({ lower }, place) => place > at && CLAUSES.test(lower) && tokens[place - 1]?.lower !== '.',
  );
  const own = tokens.slice(at + 1, end < 0 ? undefined : end);
  const replaces = own.some(({ lower }, place) => lower === '=' && (own[place - 2]?.lower ?? ',') === ',');
  if (replaces) return gone(statement, 'set', 'node');
  const doing = doingOfSettings(own.map(({ text }) => text).join(' '), lexicon);
  if (doing) return makeDoing(statement, 'set', doing, 'node');
  return own.some(({ lower }) => isRightsColumn(lower))
    ? make(statement, 'set', 'grant', { object: 'node', traits: ['privileged'] })
    : make(statement, 'set', 'update', { object: 'node' });
}

function readClause(statement: Statement, at: number): Fragment | undefined {
  const { tokens } = statement;
  const head = tokens[at]?.lower ?? '';
  if (/^(?:delete|remove|drop)$/.test(head)) return gone(statement, head, 'node');
  if (head === 'set') return readSetting(statement, at);
  if (head === 'create' || head === 'merge') return make(statement, head, 'create', { object: 'node' });
  const isUnseen = head === 'load' || (head === 'call' && !/^[{(]$/.test(tokens[at + 1]?.lower ?? ''));
  return isUnseen || (head === ';' && at < tokens.length - 1) ? notUnderstood(statement) : undefined;
}

/** What a query does: the gravest of its clauses. Functions of Cypher change nothing. */
function readQuery(statement: Statement): Fragment {
  const { tokens } = statement;
  const clauses = tokens.flatMap(({ kind }, at) => {
    // A label, a property or a variable is no clause.
    const before = tokens[at - 1]?.lower ?? '';
    return (kind === 'word' && !/^(?:[.:([]|as)$/.test(before)) || tokens[at]?.lower === ';'
      ? [readClause(statement, at)]
      : [];
  });
  const returns = tokens.some(({ lower }) => lower === 'return');
  return (
    gravest(clauses) ??
    (returns ? make(statement, 'match', 'read', { object: 'node', extent: 'many' }) : notUnderstood(statement))
  );
}

/** What a text does that is one query; undefined when it begins in another way. */
function cypherFragments(text: string, { at, end }: Span, lexicon: Lexicon, effort: Effort): Fragment[] | undefined {
  OPENING.lastIndex = at;
  const opening = OPENING.exec(text);
  if (opening === null || !CLAUSES.test(text.slice(at + opening[0].length, end))) return undefined;
  const tokens = tokensIn(text, at, end, 'cypher', effort);
  const span = { at, end };
  const read = readQuery({ tokens, span, lexicon });
  return effort.left > 0 ? [read] : [read, notUnderstood({ tokens, span, lexicon })];
}

/** A query within a text, to the end of its quotation, paragraph or sentence. */
export function cypherAt({ text, pieces, at, lexicon, effort }: Place): ReadAt | undefined {
  const piece = pieces[at];
  if (!piece || !(piece.lower === 'match' || (piece.lower === 'optional' && pieces[at + 1]?.lower === 'match')))
    return undefined;
  const until = enclosureOf(text, piece)?.until ?? text.length;
  const ends = /\n\s*\n|[.]\s/.exec(text.slice(piece.at, until));
  const span = { at: piece.at, end: ends ? piece.at + ends.index : until };
  const fragments = cypherFragments(text, span, lexicon, effort);
  return fragments && { fragments: accountingFor(fragments, span), end: span.end };
}
