// What a program writes into files and sends with requests, as far as it is written out.
import type { Sent } from './acts.ts';
import { Clients } from './clients.ts';
import { ANY, hasGap } from './gaps.ts';
import { Occurrences } from './occurrences.ts';
import type { Part, Place } from './parts.ts';
import { Texts } from './texts.ts';
import { Variables } from './variables.ts';

const EMPTY: Part = { kind: 'block', parts: [], isScope: false, from: 0, to: 0 };
const NOTHING: Sent = { text: '', isOpen: false, isUnseen: false };
export const UNSEEN_BODY: Sent = { text: '', isOpen: true, isUnseen: true };
const MAX_DEPTH = 8;

/** What is cut so that nothing is left of it: `[0:0]`, `.head(0)`. */
const NO_ROWS = /\[\s*0?\s*:\s*0\s*\]$|\.(?:head|tail|sample|limit|truncate|nlargest)\(\s*(?:n\s*=\s*)?0\s*\)$/;

const nameIn = (part: Part): string => (part.kind === 'name' || part.kind === 'member' ? part.name : '');

export abstract class Contents extends Variables {
  #texts: Texts | undefined;
  #found: Occurrences | undefined;
  protected root: Part | undefined;

  protected get found(): Occurrences {
    return (this.#found ??= new Occurrences(this.root ?? EMPTY, this.names));
  }

  #clients: Clients | undefined;
  protected get clients(): Clients {
    return (this.#clients ??= new Clients(this.root ?? EMPTY, this.names, this.found));
  }

  protected get constants(): Texts {
    return (this.#texts ??= new Texts(this.text, this.names, this.found));
  }

  /** What is written out of an object or a text: keys, and values as far as they are known. */
  protected sent(part: Part | undefined, depth = 0): Sent {
    if (part === undefined) return NOTHING;
    if (depth > MAX_DEPTH) return UNSEEN_BODY;
    if (part.kind === 'call' && this.names.serializers.has(this.found.nameOf(part.callee) ?? ''))
      return this.sent(part.given[0]?.part, depth + 1);
    const container = this.constants.containers(part)?.[0];
    if (container?.kind === 'values')
      return this.#allSent(
        container.parts.map((one) => [undefined, one]),
        '[]',
        depth,
      );
    if (container?.kind === 'object') {
      const members = container.members.map(({ name, key, value }): [string | undefined, Part] => [
        this.constants.of(key).length === 1 && key ? this.constants.of(key)[0] : name,
        value,
      ]);
      return this.#allSent(members, '{}', depth);
    }
    if (part.kind === 'literal' && part.text === undefined)
      return { ...NOTHING, text: this.text.slice(part.from, part.to) };
    const texts = this.constants.of(part);
    const text = texts.map((one) => JSON.stringify(one.replaceAll(/[\0\x01]/g, 'x'))).join(' ');
    return { text, isOpen: texts.some(hasGap), isUnseen: depth === 0 && texts.includes(ANY) };
  }

  #allSent(
    parts: readonly (readonly [string | undefined, Part])[],
    [open = '', close = '']: string,
    depth: number,
  ): Sent {
    const all = parts.map(([name, part]) => ({ name, sent: this.sent(part, depth + 1) }));
    const named = ({ name, sent }: (typeof all)[number]) =>
      name === undefined ? sent.text : `${JSON.stringify(name)}: ${sent.text}`;
    return {
      text: `${open}${all.map(named).join(', ')}${close}`,
      isOpen: all.some(({ name, sent }) => sent.isOpen || (open === '{' && (name === undefined || hasGap(name)))),
      isUnseen: all.some(({ name, sent }) => sent.isUnseen || (open === '{' && name === undefined)),
    };
  }

  /** Whether an expression is surely empty: `""`, `[]`, `pd.DataFrame()`. */
  protected isNothing(part: Part | undefined, ifNone = false): boolean {
    if (part === undefined) return ifNone;
    if (part.kind === 'index') return part.isCut && NO_ROWS.test(this.text.slice(part.from, part.to));
    if (part.kind === 'call') {
      const [first] = part.given;
      if (this.names.serializers.has(this.found.nameOf(part.callee) ?? '')) return this.isNothing(first?.part);
      if (first) return NO_ROWS.test(this.text.slice(part.from, part.to));
      return /^[A-Z]|^(?:bytes|list|dict|str)$/.test(nameIn(part.callee));
    }
    const { bindings, shared } = this.found;
    const given = (part.kind === 'name' && bindings.get(part.name)) || [];
    const isMade = ({ kind }: Part) => kind === 'call' || kind === 'index';
    if (part.kind === 'name' && given.some((one) => one.kind === 'value' && isMade(one.part)))
      return !shared.has(part.name) && given.some((one) => one.kind === 'value' && this.isNothing(one.part));
    const all = this.constants.containers(part);
    if (all === undefined)
      return this.constants.of(part).every((text) => /^\s*(?:\{\s*\}|\[\s*\]|null)?\s*$/.test(text));
    return all.every((one) => (one.kind === 'object' ? one.members : one.parts).length === 0);
  }

  /** Whether something is written into a file that a call opens: right there, or by its name, until that is given to another. */
  protected isWritten(place: Place): boolean {
    const { bindings, contents } = this.found;
    const isOpen = (part: Part) => part.from === place.from && part.to === place.to;
    const opened = [...bindings].flatMap(([name, all]) =>
      all.flatMap((one) => (one.kind === 'value' && isOpen(one.part) ? name : [])),
    );
    const until = Math.min(
      ...opened.flatMap((name) =>
        (bindings.get(name) ?? []).flatMap((one) =>
          one.kind === 'value' && one.part.from > place.from ? one.part.from : [],
        ),
      ),
      this.text.length,
    );
    return contents.some(({ into, part, isOther }) => {
      const isNamed =
        into.kind === 'name' && opened.includes(into.name) && into.from > place.from && into.from <= until;
      return (isNamed || isOpen(into)) && (isOther || !this.isNothing(part, true));
    });
  }
}
