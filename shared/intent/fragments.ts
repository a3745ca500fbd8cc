// Finds code in a text: SQL statements, shell commands, HTTP requests. What such code does outweighs the words around it.
import type { ActionClass, Effect, Extent, Trait } from '../vocabulary.ts';
import { effectOfAction, type CommandEntry, type Lexicon } from './lexicon.ts';

/** What a piece of code would do. */
export interface Fragment {
  readonly verb: string;
  readonly action: ActionClass;
  readonly effect: Effect;
  readonly traits: readonly Trait[];
  readonly object: string;
  readonly domain: string;
  readonly extent: Extent;
  /** Offset in the text. */
  readonly at: number;
  readonly language: 'sql' | 'shell' | 'http';
  /** Decoded or fetched code is run: a disguise. */
  readonly disguised: boolean;
}

interface Piece {
  readonly text: string;
  readonly lower: string;
  readonly at: number;
}

const MAX_FRAGMENTS = 40;
const NAME = /^["'`[]?[a-z_][a-z0-9_$.\]["'`-]{0,127}$/i;

/** Words of a text with their offsets: split at white space, `;`, `|`, parentheses, quotes and `&&`. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const match of text.matchAll(/[^\s;|()`'"]+|[;|()`'"]/g)) {
    pieces.push({ text: match[0], lower: match[0].toLowerCase(), at: match.index });
  }
  return pieces;
}

/** A snake_case name from the last part of `schema.table`. */
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

const isUpper = (piece: Piece | undefined) =>
  piece !== undefined && piece.text === piece.text.toUpperCase() && /[A-Z]/.test(piece.text);
const SQL_OBJECTS = new Set([
  'table',
  'database',
  'schema',
  'index',
  'view',
  'user',
  'role',
  'column',
  'function',
  'procedure',
  'trigger',
  'tables',
  'keyspace',
  'sequence',
]);
const SQL_NOISE = new Set([
  'if',
  'not',
  'exists',
  'table',
  'only',
  'materialized',
  'temporary',
  'unique',
  'into',
  'or',
  'replace',
  'cascade',
  'external',
]);

/** The SQL statement that begins at `pieces[at]`, or undefined. Plain English uses the same verbs: evidence is asked for. */
function sqlAt(pieces: readonly Piece[], at: number): Fragment | undefined {
  const head = pieces[at];
  if (!head) return undefined;
  const word = (offset: number) => pieces[at + offset]?.lower ?? '';
  const upper = isUpper(head);
  const statement = (verb: string, action: ActionClass, object: string, more: Partial<Fragment> = {}): Fragment => ({
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
  const tail = () => pieces.slice(at, at + 60).map((piece) => piece.lower);
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
      const from = words.indexOf('from');
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

const METHODS: Readonly<Record<string, ActionClass>> = {
  GET: 'read',
  HEAD: 'read',
  OPTIONS: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

function lastPathName(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, '').split(/[?#]/, 1)[0] ?? '';
  const names = path.split('/').filter((part) => /^[a-z_][a-z_-]{1,40}$/i.test(part));
  return (names.at(-1) ?? 'url').toLowerCase().replace(/-/g, '_');
}

const isUrl = (text: string) => /^["']?https?:\/\//i.test(text);

/** An HTTP request line: `DELETE /v1/users/7`. */
function httpAt(pieces: readonly Piece[], at: number): Fragment | undefined {
  const head = pieces[at];
  const action = METHODS[head?.text ?? ''];
  const target = pieces[at + 1]?.text ?? '';
  if (!head || action === undefined || !(target.startsWith('/') || isUrl(target))) return undefined;
  return {
    verb: head.lower,
    action,
    effect: effectOfAction(action),
    traits: isUrl(target) && action !== 'read' ? ['external'] : [],
    object: lastPathName(target),
    domain: 'web',
    extent: 'one',
    at: head.at,
    language: 'http',
    disguised: false,
  };
}

const SHELLS = new Set([
  'sh',
  'bash',
  'zsh',
  'dash',
  'ksh',
  'python',
  'python3',
  'perl',
  'ruby',
  'node',
  'php',
  'iex',
  'powershell',
  'source',
  'eval',
  'exec',
  'xargs',
  'invoke-expression',
]);
/** Commands that are no English words: their name alone is evidence. */
const UNMISTAKABLE = new Set([
  'rm',
  'sudo',
  'chmod',
  'chown',
  'mkfs',
  'kubectl',
  'wget',
  'curl',
  'rmdir',
  'usermod',
  'useradd',
  'userdel',
  'dropdb',
  'killall',
  'pkill',
  'scp',
  'rsync',
  'systemctl',
  'iptables',
  'visudo',
  'wipefs',
  'flushall',
  'flushdb',
  'remove-item',
  'netcat',
  'ncat',
  'vssadmin',
  'diskpart',
]);
const SUBCOMMANDS = new Set([
  'git',
  'docker',
  'kubectl',
  'helm',
  'terraform',
  'npm',
  'systemctl',
  'pulumi',
  'aws',
  'gcloud',
  'az',
  'heroku',
  'gem',
  'twine',
  'service',
]);

/** The shell command that begins at `pieces[at]`, or undefined. `opens`: whether a command may begin here. */
function shellAt(pieces: readonly Piece[], at: number, opens: boolean, lexicon: Lexicon): Fragment | undefined {
  const head = pieces[at];
  if (!head) return undefined;
  const name = commandName(head.lower);
  const base = lexicon.commands.get(name) ?? lexicon.commands.get(name.split('.')[0] ?? '');
  const next = pieces[at + 1];
  const sub = next && SUBCOMMANDS.has(name) ? lexicon.commands.get(`${name} ${next.lower}`) : undefined;
  const entry: CommandEntry | undefined = sub ?? base;
  if (!entry || (!sub && !base)) return undefined;
  const args = argumentsOf(pieces, at + 1);
  const flagged = args.some(
    (arg, index) =>
      index < 6 &&
      (/^-{1,2}[a-z]/i.test(arg.text) ||
        /^(?:\/|~|\.\/|\*|\$|https?:\/\/)/i.test(arg.text) ||
        /^(?:if|of)=/.test(arg.text)),
  );
  const evident =
    sub !== undefined ||
    (UNMISTAKABLE.has(name) && (args.length > 0 || pieces.length === 1)) ||
    (opens &&
      flagged &&
      !/^(?:make|find|top|less|more|history|id|service|format|go|head|tail|type|tree|node)$/.test(name)) ||
    (opens && flagged && args[0]?.text.startsWith('-') === true) ||
    (opens && SHELLS.has(name) && args[0]?.lower === '-c');
  if (!evident || (!opens && sub === undefined && !UNMISTAKABLE.has(name))) return undefined;
  return refineCommand(entry, name, head, args, pieces, at);
}

/** Arguments up to the end of the command: a separator, or forty words. */
function argumentsOf(pieces: readonly Piece[], from: number): Piece[] {
  const args: Piece[] = [];
  for (const piece of pieces.slice(from, from + 40)) {
    if (piece.text === '|' || piece.text === ';' || piece.text === '&&' || piece.text === '`' || piece.text === '||')
      break;
    if (!/^[()'"]$/.test(piece.text)) args.push(piece);
  }
  return args;
}

function refineCommand(
  entry: CommandEntry,
  name: string,
  head: Piece,
  args: readonly Piece[],
  pieces: readonly Piece[],
  at: number,
): Fragment | undefined {
  let { action, effect } = entry;
  const traits = new Set<Trait>(entry.traits);
  let object = entry.object ?? 'command';
  let extent: Extent =
    (entry.object === 'database' && effect === 'destructive') ||
    args.some((arg) => arg.text.includes('*') || arg.text === '/' || arg.lower === '--all')
      ? 'all'
      : 'one';
  const flags = args.filter((arg) => arg.text.startsWith('-')).map((arg) => arg.text);
  const fetches = name === 'curl' || name === 'wget' || name === 'http' || name === 'invoke-webrequest';
  if (name === 'sudo' || name === 'doas') return undefined;
  if (flags.some((flag) => /^-[a-z]*r/i.test(flag) || flag === '--recursive') && effect === 'destructive')
    extent = 'all';
  if (name === 'git' && entry.command === 'git push' && flags.some((flag) => /^(?:-f|--force)/.test(flag))) {
    effect = 'destructive';
    traits.add('irreversible');
  }
  if (entry.command === 'git reset' && !flags.includes('--hard')) [action, effect] = ['update', 'write'];
  if (/^(?:aws|gcloud|az|heroku)$/.test(name)) {
    const verb = args
      .slice(0, 4)
      .map((arg) => /^(delete|terminate|remove|rm|rb|destroy)/.exec(arg.lower))
      .find(Boolean);
    const reads = args.slice(0, 4).some((arg) => /^(?:describe|list|get|ls|show)/.test(arg.lower));
    if (verb) [action, effect] = ['delete', 'destructive'];
    else if (reads) [action, effect] = ['read', 'read'];
  }
  if (fetches) {
    const at = args.findIndex((arg) => arg.text === '-X' || arg.lower === '--request');
    const glued = flags.find((flag) => /^-X[A-Z]/.test(flag))?.slice(2);
    const method = METHODS[glued ?? args[at + 1]?.text.toUpperCase() ?? ''];
    const sends = flags.some((flag) => /^(?:-d|-F|-T|--data|--form|--upload)/.test(flag));
    const url = args.find((arg) => isUrl(arg.text))?.text;
    if (at >= 0 || glued !== undefined) action = method ?? 'execute';
    else if (sends) action = 'send';
    effect = effectOfAction(action);
    if (action !== 'read') traits.add('external');
    if (url !== undefined) object = lastPathName(url);
  }
  // What a pipe leads into decides: a download or a decoded text that is run.
  const end = pieces.slice(at, at + 60);
  const piped = end.some(
    (piece, index) =>
      piece.text === '|' &&
      SHELLS.has(
        (end[index + 1]?.lower ?? '').replace(/^.*\//, '') === 'sudo'
          ? (end[index + 2]?.lower ?? '')
          : (end[index + 1]?.lower ?? '').replace(/^.*\//, ''),
      ),
  );
  const decodes =
    end.some((piece) => /^base64$|^frombase64string$/.test(piece.lower)) &&
    end.some((piece) => /^(?:-d|--decode|-D)$/.test(piece.text));
  if (piped && (fetches || decodes || name === 'echo')) {
    return {
      verb: name,
      action: 'execute',
      effect: 'destructive',
      traits: ['external', 'irreversible'],
      object: 'remote_code',
      domain: 'infra',
      extent: 'one',
      at: head.at,
      language: 'shell',
      disguised: decodes,
    };
  }
  if (
    /^\/(?:etc|boot|usr|bin|root|dev|var\/lib)\b/.test(args.find((arg) => arg.text.startsWith('/'))?.text ?? '') &&
    effect !== 'read'
  )
    traits.add('privileged');
  if (pieces[at - 1]?.lower === 'sudo') traits.add('privileged');
  return {
    verb: name,
    action,
    effect,
    traits: [...traits],
    object,
    domain: entry.domain ?? 'infra',
    extent,
    at: head.at,
    language: 'shell',
    disguised: decodes && piped,
  };
}

const SQL_HEADS = new Set([
  'select',
  'delete',
  'drop',
  'truncate',
  'alter',
  'insert',
  'merge',
  'update',
  'create',
  'grant',
  'revoke',
]);

/** Cheap first look: whether a piece of code may begin with this word. */
function mayBegin(piece: Piece | undefined, lexicon: Lexicon): boolean {
  if (!piece) return false;
  const { text, lower } = piece;
  if (SQL_HEADS.has(lower) || METHODS[text] !== undefined || lower.startsWith('db.')) return true;
  return lexicon.commands.has(commandName(lower)) || lexicon.commands.has(commandName(lower).split('.', 1)[0] ?? '');
}

/** `/usr/bin/rm`, `$(rm` and `rm.exe` are all `rm`. */
function commandName(lower: string): string {
  if (lower.length > 200) return '';
  return lower
    .slice(lower.lastIndexOf('/') + 1)
    .replace(/\.exe$/, '')
    .replace(/^\$+/, '');
}

/** Code in a text, in its order. */
export function fragmentsOf(text: string, lexicon: Lexicon): Fragment[] {
  const pieces = piecesOf(text);
  const found: Fragment[] = [];
  let opens = true;
  const bomb = /:\s?\(\s?\)\s?\{/.exec(text);
  if (bomb) {
    found.push({
      verb: 'fork-bomb',
      action: 'execute',
      effect: 'destructive',
      traits: ['irreversible'],
      object: 'process',
      domain: 'infra',
      extent: 'all',
      at: bomb.index,
      language: 'shell',
      disguised: false,
    });
  }
  for (let at = 0; at < pieces.length && found.length < MAX_FRAGMENTS; at += 1) {
    if (!mayBegin(pieces[at], lexicon)) continue;
    const previous = pieces[at - 1]?.text ?? '';
    opens =
      at === 0 ||
      /^(?:[;|`(&$]|&&|\|\||sudo|doas|then|xargs|-c|-exec)$/.test(previous) ||
      /[:>$`]$/.test(previous) ||
      /^(?:run|execute|exec|eval|type|issue|command|do|and|with)$/i.test(previous) ||
      ((previous === "'" || previous === '"') && /[:]$|^(?:run|execute|exec|-c)$/i.test(pieces[at - 2]?.text ?? ''));
    const fragment = sqlAt(pieces, at) ?? httpAt(pieces, at) ?? shellAt(pieces, at, opens, lexicon);
    if (fragment) found.push(fragment);
  }
  return found;
}
