// Reads the bodies of HTTP requests: operations, states, settings, and the operations of GraphQL.
import { doingOfState } from './call-effects.ts';
import { gravest, READS, WRITES } from './code.ts';
import { disablesSomething, doingOfSettings, EMPTIES, emptiesSetting } from './settings.ts';
import { graphDocument } from './graphql.ts';
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
  const set = doingOfSettings(body, lexicon);
  if (set) named.push(set);
  for (const [, state = ''] of body.matchAll(STATE)) {
    const become = lexicon.participles.get(state.toLowerCase());
    if (become?.effect === 'destructive') named.push(become);
    // `{"status": "closed"}` of an account
    else if (become) named.push(withNouns(become, [become.verb, ...names], lexicon));
  }
  const graph = graphOperation(body, lexicon);
  if (graph) named.push(graph);
  if (emptiesSetting(body, lexicon) || (isUpdate && disablesSomething(body, lexicon))) named.push(EMPTIES);
  return gravest(named);
}

const GRAPH_FIELD = /[{}]|\b([A-Za-z_]\w{1,60})\s{0,3}(?=[({:])/g;

const QUERY_MEMBER = /"query"\s{0,3}:\s{0,3}("(?:[^"\\]|\\.)*")/g;

/** The documents of GraphQL in a body: members named `query`, or all of it. `rest` is what stands beside them. */
function documentsIn(body: string): { readonly documents: readonly string[]; readonly rest: string } {
  const documents = [...body.matchAll(QUERY_MEMBER)]
    .map(([, literal = '']) => parsed(literal))
    .filter((text) => typeof text === 'string');
  return documents.length > 0
    ? { documents, rest: body.replaceAll(QUERY_MEMBER, ' ') }
    : { documents: [body], rest: '' };
}

/** What an operation of GraphQL in a body does. One that is cut, or not whole, is searched for the names of fields. */
export function graphOperation(body: string, lexicon: Lexicon): Doing | undefined {
  const { documents, rest } = documentsIn(body);
  const doings = documents.map((text) => graphDocument(text, lexicon)?.doing);
  if (doings.includes(undefined)) return namedInOperation(body, lexicon);
  // The server may carry out a member that is named in another way: `"\\u0071uery"`.
  return withSettings(gravest([...doings, namedInOperation(rest, lexicon)]) ?? READS, body, lexicon);
}

/** What an operation does that is not only a query, with what its arguments and variables set. */
export function withSettings(doing: Doing, text: string, lexicon: Lexicon): Doing {
  if (doing.effect === 'read') return doing;
  if (emptiesSetting(text, lexicon) || disablesSomething(text, lexicon)) return EMPTIES;
  return gravest([doing, doingOfSettings(text, lexicon)]) ?? doing;
}

/** What an operation does by the names in it. */
function namedInOperation(text: string, lexicon: Lexicon): Doing | undefined {
  // First, because a body names its operation `query` whatever it is.
  const head =
    /\b(mutation)\b(?=[^{}]{0,2000}\{)/.exec(text) ?? /\b(query|subscription)\b(?=[^{}]{0,2000}\{)/.exec(text);
  if (!head) return undefined;
  const fields = [...text.slice(head.index + 5).matchAll(GRAPH_FIELD)];
  const found = fields.flatMap(([, name = '']) => {
    const named = doingOfName(name, lexicon);
    const state = doingOfState(name, '', lexicon);
    return [...(named ? [withNouns(named, [name], lexicon)] : []), ...(state ? [state] : [])];
  });
  if (head[1] !== 'mutation')
    return (head[1] === 'subscription' ? found.find(({ effect }) => effect === 'destructive') : undefined) ?? READS;
  return withSettings(gravest([WRITES, ...found]) ?? WRITES, text, lexicon);
}
