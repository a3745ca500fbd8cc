// Templates of resources in a catalogue, such as `file/{path}`: parsed when the catalogue is loaded, filled with the arguments of a call.
import { canonicalResource, decodeOnce, fold, type Refusal } from '../intent/resource.ts';
import { type Step, stepsOfPointer, valuesAt } from './arguments.ts';
import { withoutDots } from './paths.ts';

interface Placeholder {
  readonly pointer: string;
  readonly steps: readonly Step[];
  /** The argument is a whole number and not a text. */
  readonly integer: boolean;
}

export interface Template {
  readonly text: string;
  readonly parts: readonly (string | Placeholder)[];
}

export type ParsedTemplate = { readonly ok: true; readonly template: Template } | Refusal;

const MAX_TEMPLATE_LENGTH = 2_048;
/** The suffix of a placeholder for a whole number: `{issue_number:integer}`. */
const INTEGER = ':integer';

const refuse = (message: string): Refusal => ({ ok: false, message });

function placeholderOf(written: string): Placeholder | string {
  const integer = written.endsWith(INTEGER);
  const pointer = integer ? written.slice(0, -INTEGER.length) : written;
  if (pointer.startsWith('/')) return `"{${written}}" has a slash too many: write {${written.slice(1)}}`;
  const steps = stepsOfPointer(pointer);
  return steps === undefined ? `"{${written}}" names no argument` : { pointer, steps, integer };
}

/** Parses a template. A placeholder `{a/b}` is a JSON Pointer without its first slash; `{paths[]}` stands for each item of a list. */
export function parseTemplate(text: string): ParsedTemplate {
  if (text.length > MAX_TEMPLATE_LENGTH) return refuse(`must have at most ${MAX_TEMPLATE_LENGTH} characters`);
  const parts: (string | Placeholder)[] = [];
  for (const [at, piece] of text.split(/\{([^{}]*)\}/).entries()) {
    if (at % 2 === 1) {
      const placeholder = placeholderOf(piece);
      if (typeof placeholder === 'string') return refuse(placeholder);
      parts.push(placeholder);
      continue;
    }
    if (/[{}]/.test(piece)) return refuse('has a brace without its other half: a placeholder is written {path}');
    const decoded = decodeOnce(piece);
    if (decoded === undefined || decoded.includes('%')) return refuse('has a percent sign that starts no valid escape');
    if (decoded !== '') parts.push(decoded);
  }
  const lists = parts.filter((part) => typeof part !== 'string' && part.steps.some(({ every }) => every));
  if (lists.length > 1) return refuse('has two placeholders for lists: at most one of them can be filled');
  const example = parts.map((part) => (typeof part === 'string' ? part : 'x')).join('');
  const canonical = canonicalResource(example);
  return canonical.ok ? { ok: true, template: { text, parts } } : canonical;
}

/** Stands for `*` in an argument, where it is text. The asterisk operator: no policy means it, and nothing folds it to `*`. */
const TEXT_STAR = '\u2217';

type Filled = { readonly ok: true; readonly resources: readonly string[] } | Refusal;

/** The text of one argument, as a part of a resource; empty when it names the root. */
function textOf(value: unknown, { pointer, integer }: Placeholder): string | Refusal {
  const name = JSON.stringify(pointer);
  if (value === undefined || value === null) return refuse(`the argument ${name} is missing`);
  if (integer) {
    const isWhole = typeof value === 'number' && Number.isSafeInteger(value);
    return isWhole ? String(value) : refuse(`the argument ${name} is not a whole number`);
  }
  if (typeof value !== 'string') return refuse(`the argument ${name} is not a text`);
  if (value.trim() === '') return refuse(`the argument ${name} is empty`);
  if (value.length > MAX_TEMPLATE_LENGTH) return refuse(`the argument ${name} is too long for the name of a resource`);
  const resolved = withoutDots(value);
  if (resolved === undefined)
    return refuse(`the argument ${name} has a ".." that leads out of its root, or is ambiguous`);
  const decoded = decodeOnce(resolved);
  // Decoded here and not again with the whole resource: `%252e` must not become a dot.
  if (decoded === undefined || decoded.includes('%')) return refuse(`the argument ${name} has a stray percent sign`);
  return fold(decoded).replaceAll('*', TEXT_STAR);
}

/** A call with more items is unknown: the words of each item are read, which takes about 0.2 ms. */
const MAX_ITEMS = 100;
/** What separates names in a resource: a text of these alone names nothing. */
const SEPARATORS_ONLY = /^[\\/:.]*$/;
const ROOT = /^[\\/]*$/;

/**
 * The texts of a placeholder, one for each item of a list. The root stands for everything below it where the template ends: `/` in
 * `file/{path}` gives `file/*`.
 */
function textsOf(
  placeholder: Placeholder,
  args: object,
  isLast: boolean,
): { readonly ok: true; readonly texts: readonly string[] } | Refusal {
  const values = valuesAt(args, placeholder.steps);
  const name = JSON.stringify(placeholder.pointer);
  if (values.length === 0) return refuse(`the argument ${name} is an empty list`);
  if (values.length > MAX_ITEMS) return refuse(`the argument ${name} has more than ${MAX_ITEMS} items`);
  const texts: string[] = [];
  for (const value of values) {
    const text = textOf(value, placeholder);
    if (typeof text !== 'string') return text;
    if (SEPARATORS_ONLY.test(text) && !ROOT.test(text)) return refuse(`the argument ${name} names nothing`);
    texts.push(isLast && ROOT.test(text) ? '/*' : text);
  }
  return { ok: true, texts };
}

/** Fills the placeholders with the arguments of a call. @returns canonical resources, more than one only for a list */
export function fill({ parts }: Template, args: object): Filled {
  let texts: readonly string[] = [''];
  for (const [at, part] of parts.entries()) {
    const own =
      typeof part === 'string' ? ({ ok: true, texts: [part] } as const) : textsOf(part, args, at === parts.length - 1);
    if (!own.ok) return own;
    texts = texts.flatMap((text) => own.texts.map((one) => text + one));
  }
  const resources = new Set<string>();
  for (const text of texts) {
    const canonical = canonicalResource(text);
    if (!canonical.ok) return refuse(`the arguments name no resource: it ${canonical.message}`);
    resources.add(canonical.resource);
  }
  return { ok: true, resources: [...resources] };
}

/** One resource that covers all of several: itself, or the pattern of what is below the names that they share. */
export function coveringAll(resources: readonly string[]): string {
  const [first = '*', ...others] = resources;
  if (others.length === 0) return first;
  // The last segment is a star, or a name that the star of the result stands for.
  const above = resources.map((resource) => resource.split('/').slice(0, -1));
  const [names = []] = above;
  const differs = names.findIndex((name, at) => above.some((other) => other[at] !== name));
  const shared = Math.min(differs === -1 ? names.length : differs, ...above.map((other) => other.length));
  return [...names.slice(0, shared), '*'].join('/');
}
