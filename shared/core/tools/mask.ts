// Arguments as people may see them: what looks like a secret is masked, everything else stays.
import { holdsPrivateKey, isSecret } from '../intent/text/secrets.ts';

const MASK = '[secret]';
/** Names of members that hold secrets, whatever these look like. */
const NAMES =
  /^(?:.*[_-])?(?:password|passwd|pwd|passphrase|secret|token|credentials?|authorization|(?:api|access|private|secret)[_-]?key)$/i;

const kebab = (name: string): string => name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, '_');

function maskedText(text: string): string {
  if (holdsPrivateKey(text)) return MASK;
  return text.replaceAll(/[^\s"'`,;()<>]+/g, (token) => (isSecret(token) ? MASK : token));
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(masked);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isNamed = NAMES.test(kebab(name)) && (typeof member === 'string' || typeof member === 'number');
      return [name, isNamed && member !== '' ? MASK : masked(member)];
    }),
  );
}

/** The same arguments, with each secret as `[secret]`. */
export function maskedArguments(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  // An object gives an object.
  return masked(args) as Readonly<Record<string, unknown>>;
}

/** What a condition found at a path below `tool.arguments` (`arguments.items[].token`: a list of values), masked likewise. */
export function maskedAt(path: string, found: unknown): unknown {
  if (Array.isArray(found)) return found.map((value) => maskedAt(path, value));
  const name = (path.split('.').at(-1) ?? '').replace('[]', '');
  return maskedArguments({ [name]: found })[name];
}
