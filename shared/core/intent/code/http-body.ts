// Reads the bodies of HTTP requests: operations, states, settings, and the operations of GraphQL.
import { gravest, WRITES } from './code.ts';
import { settingsNamedIn } from './found-settings.ts';
import { doingOfSetting, doingOfValues } from './settings.ts';
import { doingOfField, graphDocument } from './graphql.ts';
import { doingOfName, withNouns } from './names.ts';
import { parsed } from './tool-calls.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';

const OPERATION =
  /["']?_?(?:op|operation|operationName|action|act|do|cmd|command|method|type)["']?\s{0,3}[:=]\s{0,3}["']([a-z_.-]{2,})["']/gi;
/** What something becomes: `"status": "deleted"`. */
const STATE = /["']?(?:status|state|lifecycle|phase)["']?\s{0,3}[:=]\s{0,3}["']?([a-z]{3,40})/gi;
export const GRANT: Doing = { action: 'grant', effect: 'write', traits: ['privileged'] };
/** `<contents of .env>` */
export const CONTENTS = /\bcontents? of\b/i;
export const EXPANDS = /\$(?:\{|\(|[A-Z_a-z])|`/;
export const AMOUNT = /["']?(?:amount|sum|total|value)["']?\s{0,3}[:=]/i;

/**
 * What a body asks for, whatever the method: `{"op":"destroy"}`, a GraphQL mutation, a setting that empties. `names`: those in the path of
 * the request.
 */
export function actOfBody(
  body: string,
  isUpdate: boolean,
  lexicon: Lexicon,
  names: readonly string[] = [],
): Doing | undefined {
  const named = [...body.matchAll(OPERATION)].flatMap(([, name = '']) => doingOfName(name, lexicon) ?? []);
  for (const [, state = ''] of body.matchAll(STATE)) {
    const become = lexicon.participles.get(state.toLowerCase());
    if (become?.effect === 'destructive') named.push(become);
    // `{"status": "closed"}` of an account
    else if (become) named.push(withNouns(become, [become.verb, ...names], lexicon));
  }
  const graph = graphOperation(body, lexicon);
  if (graph) named.push(graph);
  const set = settingsNamedIn(body).map((setting) => doingOfSetting(setting, lexicon));
  return gravest([...named, ...set, doingOfValues(body, isUpdate, lexicon)]);
}

const STRING = /"(?:[^"\\]|\\.)*"/g;
/** A document has braces, which may be escaped. */
const MAY_BRACE = /[{\\]/;
/** An operation that changes something, perhaps cut or not whole. */
const MUTATES = /\bmutation\b[^{}]{0,2000}\{/;
const FIELD = /\b([A-Za-z_]\w{1,60})\s{0,3}(?=[({:])/g;

/** What the operations of GraphQL in a body do: a document, or strings of JSON that are one, whatever their members are called. */
export function graphOperation(body: string, lexicon: Lexicon): Doing | undefined {
  const doings = [graphDocument(body, lexicon)?.doing];
  const rest = body.replaceAll(STRING, (literal) => {
    const document = MAY_BRACE.test(literal) ? graphDocument(String(parsed(literal)), lexicon) : undefined;
    if (document === undefined) return literal;
    doings.push(document.doing);
    return ' ';
  });
  if (doings[0] === undefined && MUTATES.test(rest))
    doings.push(WRITES, ...Array.from(rest.matchAll(FIELD), ([, name = '']) => doingOfField(name, lexicon)));
  const doing = gravest(doings);
  return doing && withSettings(doing, body, lexicon);
}

/** What an operation does that is not only a query, with what its arguments and variables set. */
export function withSettings(doing: Doing, text: string, lexicon: Lexicon): Doing {
  const set = doing.effect === 'read' ? undefined : doingOfValues(text, true, lexicon);
  return gravest([set, doing]) ?? doing;
}
