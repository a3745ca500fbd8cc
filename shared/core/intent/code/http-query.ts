// Reads the parameters of an address that is only asked for: what they order all the same, and the data that they carry.
import { gravest, NOT_UNDERSTOOD } from './code.ts';
import { doingOfName, partsOf } from './names.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';

/** The parameters of a query that are read; more are not understood. */
const MAX_PARAMETERS = 100;
const MAX_VALUE = 500;

/** A value that a request gives with its address. */
export interface Parameter {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
}

function decoded(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/** Those of a query: `a=1&b=2`. */
export function parametersOf(query: string): readonly Parameter[] {
  return query
    .split(/[&;]/, MAX_PARAMETERS + 1)
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', value = ''] = pair.split(/=(.*)/s, 2);
      return { name: decoded(name).toLowerCase(), value: decoded(value.slice(0, MAX_VALUE)).trim() };
    });
}

const SCRIPT_ENDING = String.raw`\.(?:php\d?|cgi|pl|aspx?|ashx|jspx?|do|action)/?$`;
/** A program that is run when its address is opened: `/cron.php`, `/cgi-bin/ctl`, `/hooks/9`. */
const SCRIPT = new RegExp(`${SCRIPT_ENDING}|(?:^|/)(?:cgi-bin|cron|maintenance|hooks?|webhooks?)(?:/|$)`, 'i');
/** A script that is named as what it does: `/delete_user.php`. */
const NAMED_SCRIPT = new RegExp(String.raw`([\w-]{1,60})${SCRIPT_ENDING}`, 'i');
/** What has no other use than to begin something. */
const BEGINS = /(?:^|\/)(?:cron|trigger|invoke|execute|fire)(?:\.\w{1,6})?\/?$/i;
const YES = /^(?:|1|true|yes|y|on|ok|go|now|confirm(?:ed)?)$/i;

/** What one parameter orders: `action=frobnicate`, `confirm=1`. Undefined for what only chooses what is shown. */
function orderOf(
  { name, value }: Parameter,
  isScript: boolean,
  lexicon: Lexicon,
): Doing | typeof NOT_UNDERSTOOD | undefined {
  const { orderFields, taskFields, goAheadFields, shownOrders } = lexicon.codeWords;
  if (goAheadFields.has(name) && YES.test(value)) return NOT_UNDERSTOOD;
  if (!orderFields.has(name) && !(isScript && taskFields.has(name))) return undefined;
  const parts = partsOf(value);
  // A number chooses no act that could be told, and `action=user.created` looks for one that was done.
  if (
    !/[a-z]/i.test(value) ||
    lexicon.participles.get(parts.at(-1) ?? '') !== undefined ||
    parts.some((part) => shownOrders.has(part))
  )
    return undefined;
  return doingOfName(value, lexicon) ?? NOT_UNDERSTOOD;
}

/**
 * What the address of a request orders whose method only reads. `/trigger?event=go_live` and `?task=reinit` act, whatever the method
 * promises, and which act it is need not be known.
 */
export function orderOfQuery(
  path: string,
  parameters: readonly Parameter[],
  lexicon: Lexicon,
): Doing | typeof NOT_UNDERSTOOD | undefined {
  const isScript = SCRIPT.test(path);
  const [, script = ''] = NAMED_SCRIPT.exec(path) ?? [];
  const named = doingOfName(script, lexicon);
  // `/invoice.aspx` may show one.
  const mayBeThing =
    named?.effect === 'write' && named.action !== 'execute' && lexicon.verbs.get(script)?.alsoNoun === true;
  return gravest([
    named?.effect === 'read' || mayBeThing ? undefined : named,
    BEGINS.test(path) || parameters.length > MAX_PARAMETERS ? NOT_UNDERSTOOD : undefined,
    ...parameters.map((parameter) => orderOf(parameter, isScript, lexicon)),
  ]);
}

const BASE64 = /^[A-Za-z0-9+/_-]{12,}={0,2}$/;
const HEX = /^(?:[\da-f]{2}){8,}$/i;
const TEXT = /^[\x20-\x7e\r\n\t]+$/;

/** Whether a value is a text in another alphabet; random bytes are hardly ever one. */
function isEncodedText(value: string): boolean {
  const bytes = HEX.test(value)
    ? Buffer.from(value, 'hex')
    : BASE64.test(value)
      ? Buffer.from(value, 'base64')
      : undefined;
  const text = bytes?.toString('latin1') ?? '';
  return text.length >= 8 && TEXT.test(text) && /[a-z]{2}/i.test(text);
}

/** Whether an address takes a text with it that nobody reads in passing: `/p.png?d=am9obi5kb2U`. Cursors and tokens are made by who reads them. */
export function carriesEncodedText(parameters: readonly Parameter[], lexicon: Lexicon): boolean {
  const { opaqueFields } = lexicon.codeWords;
  return parameters.some(
    ({ name, value }) =>
      !partsOf(name).some((part) => opaqueFields.has(part)) && isEncodedText(value.replaceAll(/%3d/gi, '=')),
  );
}
