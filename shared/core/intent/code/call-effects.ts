// What the name and the arguments of a call say that it does.
import { argumentsIn } from './call-syntax.ts';
import { gravest, WRITES } from './code.ts';
import { singular } from '../lexicon/inflection.ts';
import {
  disablesSomething,
  doingOfSetting,
  doingOfSettings,
  EMPTIES,
  ruledDoing,
  type Setting,
  settingsOf,
} from './settings.ts';
import { doingOfName, partsOf, withNouns } from './names.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';
import { wordSet } from '../text/word-set.ts';

/** Stages and operators of MongoDB that change more than the name of their call says. */
export function stageOf(args: string): Doing | undefined {
  if (/[{,]\s{0,3}["']?\$out\b/.test(args) || (/^\s*\{\s*\}/.test(args) && /\$unset\b/.test(args))) return EMPTIES;
  return /\$merge\b/.test(args) ? WRITES : undefined;
}

const KEY = /[{[,]\s{0,3}["']?([A-Za-z]\w{1,40})["']?\s{0,3}:/g;
/** The gravest of what the keys of a command in an object say: `runCommand({ drop: "users" })`; undefined when none is known. */
export function doingOfKeys(args: string, lexicon: Lexicon): Doing | undefined {
  return gravest(Array.from(args.matchAll(KEY), ([, name = '']) => doingOfName(name, lexicon)));
}

const WRITES_WHOLE = /^(?:write\w*|output\w*|put\w*|set_contents|file_put_contents|createfile|dump)$/;
const NOTHING = /^(?:b?""|b?''|``|nil|null|None|new byte\[0\]|\[\]|\{\}|Buffer\.alloc\(0\)|Vec::new\(\))$/;

/** `Path("ledger").write_text("")`, `fs.writeFile("ledger", "", done)`: the content is all of it, and nothing. */
export const writesNothing = (lower: string, args: string): boolean => {
  const given = argumentsIn(args);
  const content = /^(?:write_text|write_bytes|set_contents)$/.test(lower) ? given[0] : given[1];
  return WRITES_WHOLE.test(lower) && content !== undefined && NOTHING.test(content);
};

/** Domains in which a verb means of a thing what it means in a sentence: `order.cancel()`. */
const OF_BUSINESS = wordSet('payments identity calendar comms travel tasks health');

/** What a sentence with the verb of a call and the thing that it is called on asks for: `payment.capture()`, `cart.checkout()`. */
export function doingOfThing(name: string, of: string, lexicon: Lexicon): Doing | undefined {
  const [verb = '', ...rest] = partsOf(name);
  const noun = singular(rest.at(-1) ?? partsOf(of).at(-1) ?? '', lexicon.plurals);
  const refined = lexicon.refinements
    .get(verb)
    ?.find(({ objects, prepositions }) => !prepositions && objects?.has(noun));
  if (refined) return refined;
  return OF_BUSINESS.has(lexicon.domainOfNoun.get(noun) ?? '') ? lexicon.verbs.get(verb) : undefined;
}

/** A state in the name of a call: `invoice.markAsPaid()`. */
const STATE = /(?:^|_)(?:mark|flag|set|make)_(?:([a-z]{2,30})_)??(?:(?:as|to|is)_)?([a-z0-9]{2,30})$/;

/** What the state does that a call gives a thing by its name. */
export function doingOfState(name: string, of: string, lexicon: Lexicon): Doing | undefined {
  const [, inName, value] = STATE.exec(partsOf(name).join('_')) ?? [];
  if (value === undefined) return undefined;
  const thing = inName ?? partsOf(of).join('_');
  return disablesSomething(`status=${value}`, lexicon)
    ? EMPTIES
    : ruledDoing({ name: `${thing}_status`, value }, lexicon);
}

const DOES_NOT_SAY =
  /^(?:on|is|has|can|should|before|after|pre|post|will|did|no|not|undo|handle|add|assert|expect|mock)$/;

/** What a destroying word at the end of a name says, whatever the name begins with: `ExecuteDelete`, `queue_purge`. */
export function doingOfCall(name: string, of: string, lexicon: Lexicon): Doing | undefined {
  const own = doingOfName(name, lexicon);
  const parts = partsOf(name);
  if (parts.length < 2) return own && withNouns(own, [of], lexicon);
  // `team.addMember("x")`
  if (own !== undefined && parts[0] === 'add' && parts.length === 2) return withNouns(own, parts, lexicon);
  if (own !== undefined && (own.effect === 'read' || own.effect === 'destructive')) return own;
  if (DOES_NOT_SAY.test(parts[0] ?? '')) return own;
  const last = lexicon.commandVerbs.get(parts.at(-1) ?? '');
  return last?.effect === 'destructive' ? last : own && withNouns(own, [name, of], lexicon);
}

/** Calls after which something is as they say. */
const SETS_WHOLE =
  /^(?:set|save|put|write|store|update|overwrite|replace|sync|edit|patch|modify|upsert|configure|change|load|reset)/;

/** Whether a call is given nothing as what something is to hold: `{"items": []}`, `content=""`. */
const empties = (args: string, settings: () => readonly Setting[], { codeWords }: Lexicon): boolean =>
  /["'`]{2}|\[\s*\]|\{\s*\}|\b(?:null|nil|None)\b/.test(args) &&
  settings().some(
    ({ name, value }) =>
      /^(?:empty|null|none|nil)$/.test(value) && codeWords.contentFields.has(name.split('_').at(-1) ?? ''),
  );

/** What the values that a call is given do: `update(is_admin=True)`, `config_set("maxmemory", 1)`. */
export function doingOfArguments(
  last: string,
  args: string,
  lexicon: Lexicon,
  settings = settingsOf(args),
): Doing | undefined {
  const lower = last.toLowerCase();
  const set = doingOfSettings(args, lexicon, settings);
  const [name = '', value = ''] = argumentsIn(args).map((one) =>
    one.replace(/^\w{1,20}\s?=>\s?/, '').replace(/^:|^["'`]|["'`]$/g, ''),
  );
  const isPair =
    /set|config|attribute|put|update|define|assign/.test(lower) && /^[\w.-]{2,40}$/.test(name) && value !== '';
  // `setBalance(90000)`
  const setter =
    /^set_?\w/.test(lower) && name !== '' && value === ''
      ? { name: partsOf(last).slice(1).join('_'), value: name.toLowerCase() }
      : undefined;
  const disables = setter && disablesSomething(`${setter.name}=${setter.value}`, lexicon);
  const own = disables ? EMPTIES : setter && doingOfSetting(setter, lexicon);
  const pair = isPair
    ? doingOfSetting({ name: partsOf(name).join('_'), value: value.toLowerCase() }, lexicon)
    : undefined;
  const forced = lower.startsWith('sync') && /\bforce\W{1,4}true\b|^\s*true\s*$/i.test(args) ? EMPTIES : undefined;
  const ends =
    SETS_WHOLE.test(lower) && (disablesSomething(args, lexicon) || empties(args, settings, lexicon))
      ? EMPTIES
      : undefined;
  return gravest([set, pair, forced, own, ends]);
}
