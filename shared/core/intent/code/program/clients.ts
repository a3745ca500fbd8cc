// Follows clients of HTTP that a program makes: the address that their requests begin with, and credentials that are sent in their headers.
import type { ProgramNames } from '../../lexicon/programs.ts';
import { textIn } from './language.ts';
import { addTo, type Occurrences } from './occurrences.ts';
import { type Member, type Part, partsWithin, type Place } from './parts.ts';

type Call = Part & { readonly kind: 'call' };
/** Headers that say who asks, and in which form. Others may say what is done: `X-HTTP-Method-Override`. */
const PLAIN_HEADER = /^(?:authorization|accept|user-agent|content-type|(?:x-)?api-key|(?:[a-z]+-){1,2}token)$/i;
const BASE = /^(?:baseURL|base_url)$/;
/** Words of the name of a variable that do not say whose credentials it holds. */
const NO_SERVICE = /^(?:token|key|api|secret|access|auth|pat|password|bot|personal|read|ro)$/i;
const HOST = /^(?:[a-z]+:)?\/\/([^/?#]*)/i;
/** A part of an address that something else is added to: `https:`, `//`, `https://ev`. */
const CUT_ADDRESS = /^(?:(?:https?)?:?\/\/?|https?:?|https?:\/\/[^/?#.:]*)$/i;

const keyOf = ({ key, name }: Member): string => textIn(key) ?? name ?? '';

export class Clients {
  /** What the addresses of requests may begin with. */
  readonly bases: Part[] = [];
  readonly #above = new Map<Part, Part>();
  readonly #byPlace = new Map<string, Part>();
  readonly #uses = new Map<string, Part[]>();
  /** It asks for what was sent, by a name that clients have for that. */
  #asksBack = false;
  readonly #names: ProgramNames;
  readonly #found: Occurrences;

  constructor(root: Part, names: ProgramNames, found: Occurrences) {
    this.#names = names;
    this.#found = found;
    this.#visit(root);
  }

  #visit(part: Part): void {
    // Of parts at one place the outermost.
    const key = `${part.from} ${part.to}`;
    if (!this.#byPlace.has(key)) this.#byPlace.set(key, part);
    if (part.kind === 'member' && /^(?:_?request|config|defaults)$/.test(part.name)) this.#asksBack = true;
    if (part.kind === 'name') addTo(this.#uses, part.name, part);
    if (part.kind === 'call' && this.#names.sessions.has(this.#nameOf(part)))
      for (const { name, value } of optionsOf(part)) if (BASE.test(name)) this.bases.push(value);
    for (const one of partsWithin(part)) {
      if (!this.#above.has(one)) this.#above.set(one, part);
      this.#visit(one);
    }
  }

  #nameOf = ({ callee }: Call): string => this.#found.nameOf(callee) ?? '';

  /** Whether the options of a client only say where its requests go, how long they may take, and who asks. */
  isPlain(place: Place): boolean {
    const call = this.#byPlace.get(`${place.from} ${place.to}`);
    if (call?.kind !== 'call') return false;
    const options = optionsOf(call);
    const isKnown = call.given.every(({ keyword, part }) => keyword !== undefined || part.kind === 'object');
    return (
      isKnown &&
      options.every(({ name, value }) => {
        if (name === 'headers') return arePlain(value);
        return BASE.test(name) || this.#names.requestOptions.has(name);
      })
    );
  }

  /** Whether credentials are only sent in headers, and by requests to their own service or inside. `hosts`: those outside that the program names. */
  sends(place: Place, variable: string, hosts: readonly string[]): boolean {
    const words = variable.toLowerCase().split('_');
    const isOwn = (host: string) =>
      words.some((word) => word.length > 2 && !NO_SERVICE.test(word) && host.split('.').includes(word)) &&
      this.#names.apiHosts.has(host);
    const part = this.#byPlace.get(`${place.from} ${place.to}`);
    const isCut = this.#found.texts.some((text) => CUT_ADDRESS.test(text));
    return part !== undefined && !isCut && !this.#asksBack && hosts.every(isOwn) && this.#isSent(part, new Set());
  }

  #isSent(part: Part, seen: Set<string>, isHeader = false): boolean {
    const above = this.#above.get(part);
    switch (above?.kind) {
      case 'values':
        return above.makes === 'answer' || this.#isSent(above, seen, isHeader);
      case 'block':
        // A condition before what depends on it.
        return above.parts.length > 1 && above.parts[0] === part;
      case 'object': {
        const member = above.members.find(({ value }) => value === part);
        if (!member) return false;
        return this.#isSent(above, seen, isHeader || keyOf(member) === 'headers' || arePlain(above));
      }
      case 'call':
        return this.#isGiven(above, part, isHeader);
      case 'bind':
        return above.value === part && above.targets.every((target) => this.#isKept(target, seen, isHeader));
      default:
        return false;
    }
  }

  #isGiven(call: Call, part: Part, isHeader: boolean): boolean {
    const name = this.#nameOf(call);
    const given = call.given.find((one) => one.part === part);
    if (given === undefined) return false;
    if (isHeadersOf(call.callee) && name.endsWith('.update')) return isHeader;
    const isRequest = this.#names.requests.has(name) || this.#names.sessions.has(name) || this.#isSession(call.callee);
    return isRequest && isHeader && (given.keyword === undefined || given.keyword === 'headers');
  }

  /** A method of a client: `session.get(url, headers=headers)`. */
  #isSession(callee: Part): boolean {
    if (callee.kind !== 'member' || callee.object.kind !== 'name') return false;
    const [only, ...others] = this.#found.bindings.get(callee.object.name) ?? [];
    const made = only?.kind === 'value' && others.length === 0 ? only.part : undefined;
    return made?.kind === 'call' && this.#names.sessions.has(this.#nameOf(made));
  }

  #isKept(target: Part, seen: Set<string>, isHeader: boolean): boolean {
    if (target.kind === 'index') return isHeadersOf(target) && PLAIN_HEADER.test(textIn(target.keys[0]) ?? '');
    if (target.kind !== 'name' || (this.#found.bindings.get(target.name)?.length ?? 0) > 1) return false;
    if (seen.has(target.name)) return true;
    seen.add(target.name);
    return (this.#uses.get(target.name) ?? []).every((use) => use === target || this.#isSent(use, seen, isHeader));
  }
}

/** Whether all headers that are written out are plain ones. */
export const arePlain = (part: Part): boolean =>
  part.kind === 'object' && part.members.length > 0 && part.members.every((one) => PLAIN_HEADER.test(keyOf(one)));

export const isPlainHeader = (key: string | undefined): boolean => PLAIN_HEADER.test(key ?? '');

/** `session.headers`, and a member or an element of it. */
const isHeadersOf = (part: Part): boolean =>
  (part.kind === 'member' || part.kind === 'index') && part.object.kind === 'member' && part.object.name === 'headers';

/** The options of a call by their names: `httpx.Client(base_url=url)`, `axios.create({ baseURL: url })`. */
const optionsOf = ({ given }: Call): { readonly name: string; readonly value: Part }[] =>
  given.flatMap(({ keyword, part }) => {
    if (keyword !== undefined) return [{ name: keyword, value: part }];
    return part.kind === 'object' ? part.members.map((one) => ({ name: keyOf(one), value: one.value })) : [];
  });

/** The hosts of addresses in texts. */
export const hostsIn = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => HOST.exec(text)?.[1]?.toLowerCase() ?? []);
