// Recognizes SQL statements and MongoDB shell calls.
import type { ActionClass, Trait } from '../../../kernel/vocabulary.ts';
import type { OpenFragment, Piece } from './code.ts';
import { effectOfAction } from '../lexicon/lexicon.ts';
import { wordSet } from '../text/word-set.ts';

const NAME = /^["'`[]?[a-z_][a-z0-9_$.\]["'`-]{0,127}$/i;

/** The last part of `schema.table` as a snake_case name. */
function tableName(text: string | undefined): string {
  const last =
    (text ?? '')
      .replace(/["'`[\],;]/g, '')
      .split('.')
      .at(-1) ?? '';
  return last
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .slice(0, 64);
}

const CAPITAL = /[A-Z]/;
const isUpper = (piece: Piece | undefined) =>
  piece !== undefined && piece.text === piece.text.toUpperCase() && CAPITAL.test(piece.text);
const SQL_OBJECTS = wordSet(
  'table database schema index view user role column function procedure trigger tables keyspace sequence',
);
/** Functions that a SELECT calls for their side effects (PostgreSQL, SQL Server, MySQL). */
const ACTING_FUNCTION =
  /^(?:pg_(?:terminate|cancel)_backend|pg_reload_conf|pg_rotate_logfile|pg_(?:promote|switch_wal|logical_emit_message)|pg_drop_replication_slot|lo_(?:export|import|unlink|put)|dblink_exec|xp_cmdshell|sp_executesql|sys_exec|sys_eval|setval)$/;
const SQL_NOISE = wordSet('if not exists table only materialized temporary unique into or replace cascade external');

/** The number of words of a statement that are read. */
const MAX_STATEMENT = 60;

/** The SQL statement that begins at `pieces[at]`, or undefined. Plain English uses the same verbs, so further evidence is required. */
export function sqlAt(pieces: readonly Piece[], at: number): OpenFragment | undefined {
  const head = pieces[at];
  if (!head) return undefined;
  const word = (offset: number) => pieces[at + offset]?.lower ?? '';
  const upper = isUpper(head);
  const statement = (
    verb: string,
    action: ActionClass,
    object: string,
    more: Partial<OpenFragment> = {},
  ): OpenFragment => ({
    verb,
    action,
    effect: effectOfAction(action),
    traits: [],
    object: object || 'table',
    domain: 'db',
    extent: 'one',
    at: head.at,
    language: 'sql',
    disguised: false,
    ...more,
  });
  let seen: string[] | undefined;
  const tail = () => {
    seen ??= pieces.slice(at, at + MAX_STATEMENT).map((piece) => piece.lower);
    return seen;
  };
  const endsLikeSql = () =>
    tail().some((text) => text === ';' || text === 'where' || text === '*' || text.includes('='));
  const unbounded = () => {
    const words = tail();
    const where = words.indexOf('where');
    return (
      where < 0 ||
      /^(?:1=1|true|1)$/.test(words[where + 1] ?? '') ||
      (words[where + 1] === '1' && words[where + 2] === '=')
    );
  };
  const gone = { effect: 'destructive', traits: ['irreversible'], extent: 'all' } as const;
  switch (head.lower) {
    case 'select': {
      const words = tail();
      const acting = words.findIndex((text) => ACTING_FUNCTION.test(text));
      if (acting > 0 && words[acting + 1] === '(') return statement('select', 'execute', tableName(words[acting]));
      const from = words.indexOf('from');
      const into = words.indexOf('into');
      if (into > 0 && (upper || endsLikeSql()) && /^(?:outfile|dumpfile)$/.test(words[into + 1] ?? ''))
        return statement('select', 'create', 'file');
      if (into > 1 && into < from && upper)
        return statement('select', 'create', tableName(pieces[at + into + 1]?.text));
      if (from < 2 || !(upper || endsLikeSql())) return undefined;
      if (!upper && !(word(1) === '*' || words.includes(';') || words.includes('where'))) return undefined;
      return statement('select', 'read', tableName(pieces[at + from + 1]?.text), { extent: 'many' });
    }
    case 'delete':
      if (word(1) !== 'from' || !(isUpper(pieces[at + 1]) || endsLikeSql()) || !NAME.test(pieces[at + 2]?.text ?? ''))
        return undefined;
      return statement(
        'delete',
        'delete',
        tableName(pieces[at + 2]?.text),
        unbounded() ? { ...gone, traits: ['irreversible', 'bulk'] } : { extent: 'many' },
      );
    case 'drop':
    case 'truncate': {
      if (!SQL_OBJECTS.has(word(1)) && !(upper && head.lower === 'truncate')) return undefined;
      let next = 1;
      while (SQL_NOISE.has(word(next)) || SQL_OBJECTS.has(word(next))) next += 1;
      const name = pieces[at + next]?.text ?? '';
      if (!upper && (!NAME.test(name) || /^(?:in|of|from|for|is|the|a|and)$/i.test(name))) return undefined;
      return statement(head.lower, 'delete', tableName(name), gone);
    }
    case 'alter': {
      if (!SQL_OBJECTS.has(word(1)) || !upper) return undefined;
      const drops = tail().slice(2, 8).includes('drop');
      return statement('alter', drops ? 'delete' : 'update', tableName(pieces[at + 2]?.text));
    }
    case 'insert':
    case 'merge':
      if (word(1) !== 'into' || !(upper || tail().includes('values'))) return undefined;
      return statement(head.lower, head.lower === 'insert' ? 'create' : 'update', tableName(pieces[at + 2]?.text));
    case 'update': {
      if (word(2) !== 'set' || !tail().some((text) => text.includes('='))) return undefined;
      const privileged = tail().some((text) => /role|admin|privilege|permission/.test(text));
      const traits: Trait[] = [
        ...(privileged ? (['privileged'] as const) : []),
        ...(unbounded() ? (['bulk'] as const) : []),
      ];
      return statement('update', 'update', tableName(pieces[at + 1]?.text), {
        extent: unbounded() ? 'all' : 'many',
        traits,
      });
    }
    case 'create':
      if (!upper || !isUpper(pieces[at + 1]) || !(SQL_OBJECTS.has(word(1)) || SQL_NOISE.has(word(1)))) return undefined;
      return statement('create', 'create', tableName(pieces[at + (SQL_OBJECTS.has(word(1)) ? 2 : 3)]?.text));
    case 'grant':
    case 'revoke':
      if (
        !upper ||
        !tail()
          .slice(1, 12)
          .some((text) => text === 'on' || text === 'to' || text === 'from')
      )
        return undefined;
      return statement(head.lower, head.lower, 'privilege', { traits: ['privileged'], domain: 'identity' });
    default: {
      const mongo =
        /^db\.([a-z0-9_-]{1,64}\.)?(drop|dropdatabase|deletemany|deleteone|remove|insertone|insertmany|updateone|updatemany|find|aggregate|findone|countdocuments)$/i.exec(
          head.text.slice(0, 120),
        );
      if (!mongo || word(1) !== '(') return undefined;
      const method = mongo[2]?.toLowerCase() ?? '';
      const name = tableName(mongo[1]?.slice(0, -1)) || 'database';
      if (/^drop|^delete|^remove/.test(method))
        return statement(
          method.startsWith('drop') ? 'drop' : 'delete',
          'delete',
          name,
          method === 'deleteone' ? {} : gone,
        );
      if (method.startsWith('insert')) return statement('insert', 'create', name);
      return method.startsWith('update')
        ? statement('update', 'update', name)
        : statement('find', 'read', name, { extent: 'many' });
    }
  }
}

/** Words that may begin a statement. */
export const SQL_HEADS = wordSet('select delete drop truncate alter insert merge update create grant revoke');
