// Arguments as people may see them: what looks like a secret is masked, everything else stays.
import { holdsPrivateKey, isSecret } from '../intent/text/secrets.ts';

export const MASK = '[secret]';
/** Names of members that hold secrets, whatever these look like. */
const NAMES =
  /^(?:.*[_-])?(?:password|passwd|pwd|passphrase|secret|token|credentials?|authorization|(?:api|access|private|secret)[_-]?key)$/i;

const kebab = (name: string): string => name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, '_');

/** Why a value is masked: the name of its member is one of secrets, it holds a private key, or a part of it is a credential. */
export const MASK_REASONS = ['name', 'private_key', 'credential'] as const;
type MaskReason = (typeof MASK_REASONS)[number];

/** One masked value. */
export interface Masked {
  /** Its place in the arguments, an RFC 6901 pointer. */
  readonly pointer: string;
  readonly reason: MaskReason;
}

type Found = (at: string, reason: MaskReason) => void;

function maskedText(text: string, at: string, found: Found): string {
  if (holdsPrivateKey(text)) {
    found(at, 'private_key');
    return MASK;
  }
  const shown = text.replaceAll(/[^\s"'`,;()<>]+/g, (token) => (isSecret(token) ? MASK : token));
  if (shown !== text) found(at, 'credential');
  return shown;
}

function masked(value: unknown, at: string, found: Found): unknown {
  if (typeof value === 'string') return maskedText(value, at, found);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => masked(item, `${at}/${index}`, found));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const place = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const isNamed = NAMES.test(kebab(name)) && (typeof member === 'string' || typeof member === 'number');
      if (!isNamed || member === '') return [name, masked(member, place, found)];
      found(place, 'name');
      return [name, MASK];
    }),
  );
}

type Arguments = Readonly<Record<string, unknown>>;

/** The same arguments with each secret as `[secret]`, and which values are masked. */
export function maskArguments(args: Arguments): { readonly arguments: Arguments; readonly masked: readonly Masked[] } {
  const places: Masked[] = [];
  const shown = masked(args, '', (pointer, reason) => places.push({ pointer, reason }));
  // An object gives an object.
  return { arguments: shown as Arguments, masked: places };
}

/** What a condition found at a path below `tool.arguments` (`arguments.items[].token`: a list of values), masked likewise. */
export function maskedAt(path: string, found: unknown): unknown {
  if (Array.isArray(found)) return found.map((value) => maskedAt(path, value));
  const name = (path.split('.').at(-1) ?? '').replace('[]', '');
  return maskArguments({ [name]: found }).arguments[name];
}
