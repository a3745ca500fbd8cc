// The names of Python that act, and the calls whose arguments decide what they do.
import { type Acts, type Argument, type Called, type Language, SPREAD, textIn } from './language.ts';
import type { Part } from './parts.ts';
import {
  ANYTHING,
  BLIND,
  isFree,
  isNameless,
  LIBRARY,
  MADE,
  MEMORY,
  OUTSIDE,
  STORE,
  UNKNOWN,
  type Value,
} from './values.ts';

/** Names with two lines around them that only tell of something. */
const PLAIN_HIDDEN =
  /^__(?:name|doc|file|version|author|all|slots|annotations|main|init|str|repr|len|eq|ne|lt|le|gt|ge|add|radd|sub|mul|truediv|floordiv|mod|neg|abs|hash|bool|int|float|iter|next|contains|enter|exit|post_init)__$/;
/** Members of functions, generators and errors that hold the variables of a running program. */
const FRAMES =
  /^(?:(?:gi|cr|ag|tb)_(?:frame|code|next)|f_(?:globals|builtins|locals|back|code)|func_(?:globals|code)|mro)$/;
/** Functions of Python itself that do more than compute. A name that is theirs may be theirs wherever it is not surely another. */
const ACTING =
  /^(?:open|type|getattr|exec|eval|compile|setattr|delattr|globals|locals|vars|breakpoint|help|dir|reload|execfile|file|unicode|apply)$/;
/** Arguments that make a function load a module, write a file, or run what it reads. */
const GRAVE_KEYWORDS = /^(?:backend|memory|out_file|data_home|usetex|allow_pickle|eval_str|opener)$/;
/** What a file is opened for, to read it. */
const READ_MODE = /^r?[bt]?$/;
/** To write it anew, to add to it, or to make it. */
const WRITE_MODE = /^[wax][bt]?$/;
const TEMPORARY = /^(?:mode|suffix|delete|encoding|newline|buffering)$/;
const FRAME_NAMES = /^(?:columns|index|mapper|axis|inplace|level|errors|copy)$/;
/** Arguments that hold names of columns, and no function. */
const PLAIN_KEYWORDS = /^(?:index|columns|values|axis|raw|result_type|margins|fill_value|dropna|normalize|na_action)$/;
/** Calls about which their arguments decide. */
const TREATED =
  /^(?:type|getattr|json\.dump|yaml\.(?:safe_)?dump|os\.getenv|os\.environ\.get|logging\.basicConfig|(?:pandas)?\.(?:rename|replace|query|to_\w+|apply|agg|aggregate|transform|map|pipe|pivot_table|plot|hist|boxplot)|pandas\.crosstab|inspect\.signature|functools\.wraps|pandas\.(?:set_option|option_context)|sklearn\..*)$/;
const OPENS = /^(?:open|io\.open|codecs\.open|gzip\.open|bz2\.open|lzma\.open)$/;
/** Methods that give a table as a text, or write it. */
const GIVES_TEXT = /^\.to_(?:csv|json|string|markdown|html|latex)$/;
const APPLIES = /^(?:\.(?:apply|agg|aggregate|transform|map|pipe|pivot_table)|pandas\.(?:pivot_table|crosstab))$/;

const isInMemory = (object: Value | undefined): boolean => ((object?.bits ?? ANYTHING) & ANYTHING) === MADE;

/** What a table applies to its columns: a function that is listed, or written here; never a text that names another. */
function isPlainFunction(part: Part, { value, keyword }: Partial<Argument>, judge: Acts): boolean {
  const text = textIn(part);
  const isPlain = (one: Part) => isPlainFunction(one, {}, judge);
  if (PLAIN_KEYWORDS.test(keyword ?? '')) return true;
  if (text !== undefined) return judge.names.methods.has(text) || judge.names.makers.has(`.${text}`);
  // Of a pair of a column and a function only the second is one, and of a dictionary the values.
  if (part.kind === 'values' && part.makes === 'list')
    return part.parts.every((one, at) => (at === 0 && judge.text.charAt(part.from) !== '[') || isPlain(one));
  if (part.kind === 'object') return part.members.every(({ key, value: one }) => key !== undefined && isPlain(one));
  if (part.kind === 'literal' || part.kind === 'function') return true;
  const of = value ?? judge.evaluate(part);
  // An expression of columns: `pl.col("price").sum()`.
  const isColumns = of.origins.length > 0 && of.origins.every((one) => one.startsWith('polars.'));
  return of.own !== undefined || isColumns || (of.name !== undefined && judge.isListed(of.name));
}

function opened({ name, object, of, given, place, args }: Called, judge: Acts): Value {
  const [first, second] = given.filter(({ keyword }) => keyword === undefined);
  const named = (wanted: string) => given.find(({ keyword }) => keyword === wanted);
  const mode = named('mode') ?? (object === undefined ? second : first);
  // In Ruby it is a command: `open("|ls")`.
  const isCommand = /^\s*\|/.test(textIn(first?.part) ?? '');
  const path = of ?? first ?? named('file');
  const how = mode === undefined ? 'r' : (textIn(mode.part) ?? '-');
  if (isCommand || !READ_MODE.test(how)) {
    const isKnown = !isCommand && WRITE_MODE.test(how) && path !== undefined && judge.writes(path, how, place);
    if (!isKnown) judge.act(place, object === undefined ? name : 'path.open', args);
    return MEMORY;
  }
  judge.opens(path, place);
  return object === undefined || !isFree(object.bits) ? MEMORY : judge.act(place);
}

function special(called: Called, judge: Acts): Value | undefined {
  const { name, object, given, place } = called;
  const [first, second] = given.filter(({ keyword }) => keyword === undefined);
  const named = (wanted: string) => given.find(({ keyword }) => keyword === wanted);
  const isOpen = OPENS.test(name) || name === '.open';
  // What decides is among them.
  if (named(SPREAD) && (isOpen || TREATED.test(name))) return judge.act(place);
  if (given.some(({ keyword }) => GRAVE_KEYWORDS.test(keyword ?? ''))) return judge.act(place);
  // What nothing defines opens files of its own.
  const isOther = object && isFree(object.bits) && !isNameless(object.origins);
  if (isOpen) return isOther ? undefined : opened(called, judge);
  /** Treated as listed if the condition holds. */
  const only = (isPlain: boolean): Value | undefined => (isPlain ? undefined : judge.act(place));
  // Functions may be given by their names.
  if (APPLIES.test(name)) return only(given.every((one) => isPlainFunction(one.part, one, judge)));
  if (GIVES_TEXT.test(name))
    return first === undefined && !named('path_or_buf') && !named('buf') && isInMemory(object) ? MEMORY : undefined;
  switch (name) {
    case 'type':
      return given.length === 1 ? UNKNOWN : undefined;
    case 'getattr': {
      const property = textIn(second?.part);
      if (first === undefined || property === undefined || !/^[a-z]\w*$/i.test(property)) return undefined;
      return judge.member(first.value, property, place);
    }
    case 'os.getenv':
    case 'os.environ.get':
      return judge.mayReadVariable(textIn(first?.part), place) ? (second?.value ?? MEMORY) : undefined;
    case '.add_argument': {
      const preset = named('default');
      if (preset) judge.opens(preset, place);
      return undefined;
    }
    case 'super':
      return { ...MEMORY, bits: judge.baseOfClass() };
    case '.format':
    case '.format_map': {
      // Members of what is put into a text can be asked for: `"{0.__class__}"`.
      const asks = object?.texts.some((text) => /\{[^}]*[.[]/.test(text) || /^_|_$/.test(text)) ?? false;
      return only(!asks && ((object?.bits ?? MADE) & BLIND) === 0);
    }
    case '.read':
      // `ConfigParser().read(path)`
      if ((first?.value.texts.length ?? 0) > 0) judge.opens(first, place);
      return undefined;
    case 'json.dump':
    case 'yaml.dump':
    case 'yaml.safe_dump':
      return only(given.length < 2 || (second !== undefined && isInMemory(second.value)));
    case 'sqlite3.connect':
      return given.length === 1 && textIn(first?.part) === ':memory:'
        ? { ...MEMORY, bits: LIBRARY | STORE }
        : undefined;
    case 'zipfile.ZipFile':
      return only(READ_MODE.test(textIn((named('mode') ?? second)?.part) ?? ((named('mode') ?? second) ? '-' : 'r')));
    case 'iter':
      return given.length === 1 ? first?.value : undefined;
    case 'tempfile.NamedTemporaryFile':
    case 'tempfile.TemporaryDirectory':
    case 'tempfile.mkdtemp':
      return only(
        given.every(({ keyword, part }) => TEMPORARY.test(keyword ?? 'mode') && !/[\\/]/.test(textIn(part) ?? '')),
      );
    case 'functools.wraps':
      return only(given.length === 1);
    case 'unittest.main':
      // By its arguments it loads modules.
      return only(given.every(({ keyword }) => /^(?:verbosity|exit|failfast|buffer|catchbreak)$/.test(keyword ?? '')));
    case 'pytest.mark.skipif':
    case 'pytest.mark.xfail':
      // A text is run to know whether it is true.
      return only(first === undefined || isBoolean(first.part));
    case 'pandas.set_option':
    case 'pandas.option_context':
      // Other options name modules to be loaded.
      return only(given.every((one, at) => at % 2 === 1 || (textIn(one.part) ?? '').startsWith('display.')));
    case 'logging.basicConfig':
      return named('filename') || named('handlers') ? judge.act(place) : MEMORY;
    case '.rename': {
      const keywords = given.filter(({ keyword }) => keyword !== undefined);
      const areNames = keywords.length > 0 && keywords.every(({ keyword }) => FRAME_NAMES.test(keyword ?? ''));
      return areNames && object !== undefined && (object.bits & OUTSIDE) === 0 ? MEMORY : undefined;
    }
    case '.query': {
      const text = textIn(first?.part);
      return text !== undefined && !/[@(`]|__/.test(text) && isInMemory(object) ? MEMORY : undefined;
    }
    case '.replace':
      // Of a text two, of a table a dictionary; of a path it is one, and the file is moved.
      return replaced(object, second !== undefined || first?.part.kind === 'object', given);
    default:
      return undefined;
  }
}

function replaced(object: Value | undefined, isPlain: boolean, given: readonly Argument[]): Value | undefined {
  if (!isPlain || isFree(object?.bits ?? ANYTHING)) return undefined;
  const bits = object?.bits ?? ANYTHING;
  if ((object?.texts.length ?? 0) > 0) return { ...MEMORY, bits: bits | BLIND };
  return { ...MEMORY, bits, texts: given.flatMap(({ value }) => value.texts) };
}

/** `sys.version_info < (3, 9)`, `True`, never a text. */
const isBoolean = (part: Part): boolean =>
  part.kind === 'values'
    ? part.makes === 'answer'
    : part.kind === 'literal'
      ? part.text === undefined
      : part.kind === 'asked';

export const PYTHON: Language = {
  treated: new Set(['open', 'type', 'getattr']),
  environment: 'os.environ',
  keysAreMembers: false,
  isHidden: (name) =>
    FRAMES.test(name) || (name.startsWith('__') ? !PLAIN_HIDDEN.test(name) : name !== name.normalize('NFKC')),
  isActing: (name) => ACTING.test(name),
  isKept: (name) => ACTING.test(name),
  isOfHost: () => false,
  isDecided: (name) => TREATED.test(name) && !name.startsWith('sklearn.'),
  special,
};
