// The effect of a piece of code in a text, and the parts that all readers of code share.
import type { Action, Effect, Extent, Trait } from '../../../kernel/vocabulary.ts';
import type { Doing } from '../lexicon/types.ts';

/** What is done to what, by code or as requested in words. */
export interface Deed {
  readonly verb: string;
  /** `unknown`: code, or a text, that is not understood. */
  readonly action: Action;
  readonly effect: Effect;
  readonly traits: readonly Trait[];
  readonly object: string;
  readonly domain: string;
  readonly extent: Extent;
}

/** The effect of a piece of code. */
export interface Fragment extends Deed {
  /** Offset in the text. */
  readonly at: number;
  /** Offset after its last character. */
  readonly end: number;
  readonly language: 'sql' | 'shell' | 'http';
  /** Runs decoded or fetched code, which disguises its effect. */
  readonly disguised: boolean;
  /** Whether the reading accounts for every word from `at` to `end`. */
  readonly isWhole: boolean;
  /** It is in a comment of a script: only mentioned. */
  readonly inComment: boolean;
  /** Calls in it were read by their names, as those of tools are: nobody has seen what is behind these. */
  readonly byName: boolean;
}

/** Where a piece of code is. */
export type Span = Pick<Fragment, 'at' | 'end'>;

/** A fragment with usual members where none are given. Member by member, because spreading objects of many shapes is slow. */
export const fragmentOf = (
  { at, end }: Span,
  doing: Pick<Fragment, 'verb' | 'action' | 'effect'> & Partial<Fragment>,
): Fragment => ({
  verb: doing.verb,
  action: doing.action,
  effect: doing.effect,
  traits: doing.traits ?? [],
  object: doing.object ?? 'command',
  domain: doing.domain ?? 'infra',
  extent: doing.extent ?? 'one',
  language: doing.language ?? 'shell',
  disguised: doing.disguised ?? false,
  isWhole: doing.isWhole ?? doing.action !== 'unknown',
  inComment: doing.inComment ?? false,
  byName: doing.byName ?? false,
  at,
  end,
});

/** Fragments of code that is all understood account for everything in it, also for what is between them: `while`, `do`, `|`. */
export function accountingFor(fragments: readonly Fragment[], { at, end }: Span): readonly Fragment[] {
  const [first, ...others] = fragments;
  if (first === undefined || !fragments.every(({ isWhole }) => isWhole)) return fragments;
  const byName = fragments.some((one) => one.byName);
  return [fragmentOf({ at: Math.min(at, first.at), end: Math.max(end, first.end) }, { ...first, byName }), ...others];
}

/** Code that is not understood. It may write; a human decides. */
export const unknownCode = (span: Span, more: Partial<Fragment> = {}): Fragment =>
  fragmentOf(span, { verb: 'unknown', action: 'unknown', effect: 'write', ...more });

/** The mildest there is: it adds nothing to what else is meant. */
export const READS: Doing = { action: 'read', effect: 'read', traits: [] };
export const WRITES: Doing = { action: 'update', effect: 'write', traits: [] };

/** Code that reads and does nothing else. */
export const readsOnly = (span: Span, more: Partial<Fragment> = {}): Fragment =>
  fragmentOf(span, { verb: 'read', action: 'read', effect: 'read', ...more });

/** Something is deleted or emptied for good. */
export const destroys = (span: Span, more: Partial<Fragment> = {}): Fragment =>
  fragmentOf(span, { verb: 'delete', action: 'delete', effect: 'destructive', traits: ['irreversible'], ...more });

const GRAVE_ACTIONS: ReadonlySet<Action> = new Set(['transfer', 'grant', 'revoke']);

/** What is not understood may change anything. */
export const NOT_UNDERSTOOD = { action: 'unknown', effect: 'write', traits: [] } as const;

/** How grave an effect is: of two readings of the same code the graver one counts. */
export function gravity({ action, effect, traits }: Pick<Doing, 'effect' | 'traits'> & { action: Action }): number {
  if (effect === 'destructive') return 60 + traits.length;
  if (GRAVE_ACTIONS.has(action)) return 50;
  if (action === 'unknown') return 45;
  if (action === 'send') return 40 + traits.length;
  return effect === 'write' ? 30 + traits.length : 10;
}

/** The gravest of some readings or doings, the first one of several; undefined ones do not count. */
export const gravest = <One extends Parameters<typeof gravity>[0]>(
  some: readonly (One | undefined)[],
): One | undefined =>
  some.reduce<One | undefined>(
    (a, b) => (a !== undefined && (b === undefined || gravity(a) >= gravity(b)) ? a : b),
    undefined,
  );

/** Files and folders with these endings hold credentials, as do these files, and variables and files with these words in their names. */
const SECRET_ENDINGS = ['ssh', 'aws', 'kube', 'gnupg', 'env', 'pem', 'key', 'p12', 'netrc', 'pgpass'] as const;
const KEY_FILES = ['id_rsa', 'id_ed25519'] as const;
const SECRET_WORDS = ['credential', 'secret', 'token', 'passw'] as const;
const SECRET = new RegExp(
  String.raw`\.(?:${SECRET_ENDINGS.join('|')})\b|\b(?:${KEY_FILES.join('|')})|/etc/shadow|${SECRET_WORDS.join('|')}|\bvault\b`,
  'i',
);
/** What `isSecretName` looks for, but for the path of the shadow file. */
export const SECRET_PARTS: readonly string[] = [
  ...SECRET_ENDINGS.map((ending) => `.${ending}`),
  ...KEY_FILES,
  ...SECRET_WORDS,
  'vault',
];

export const isSecretName = (text: string): boolean => SECRET.test(text);

/**
 * Data that is sent to a host outside. It can not be taken back, and what a command sends is rarely one thing: `isMuch` for a directory, a
 * dump, the output of another command, or a file with credentials.
 */
export function sentOutside(fragment: Fragment, sources: string, isMuch: boolean): Fragment {
  const all = isMuch || SECRET.test(sources);
  const traits = [
    ...new Set([...fragment.traits, 'external' as const, ...(all ? (['irreversible', 'bulk'] as const) : [])]),
  ];
  return { ...fragment, action: 'send', effect: 'write', traits, extent: all ? 'all' : fragment.extent };
}

/** Operating system files. */
const SYSTEM_PATH = /^\/(?:etc|boot|usr|bin|root|dev|var\/lib)\b|^c:\\windows\b/i;
const DISK = /^\/dev\/(?:[shv]d|nvme|disk|mapper|xvd|mmcblk|md)/;
/** Files whose content nobody keeps. */
const NOWHERE = /^(?:\/dev\/(?:null|stdout|stderr|tty)|nul|\$null)$/i;

/** Media that somebody can carry away. */
const REMOVABLE = /^\/(?:media|Volumes|run\/media|mnt\/usb)\/|^\\\\[\w.-]+\\/i;

export const isRemovable = (path: string): boolean => REMOVABLE.test(path);
export const isDisk = (path: string): boolean => DISK.test(path);
export const isSystemPath = (path: string): boolean => SYSTEM_PATH.test(path);
export const isNowhere = (path: string): boolean => NOWHERE.test(path);

/** Writing into a file. `isEmptied`: nothing is left in it. */
export function fileWrite(target: string, span: Span, isEmptied = false): Fragment {
  const more: Partial<Fragment> = {
    object: 'file',
    domain: 'files',
    traits: isSystemPath(target) ? ['privileged'] : [],
  };
  if (DISK.test(target)) return destroys(span, { ...more, object: 'disk', traits: ['irreversible', 'privileged'] });
  if (isEmptied) return destroys(span, { ...more, verb: 'empty', traits: [...(more.traits ?? []), 'irreversible'] });
  return fragmentOf(span, { verb: 'write', action: 'update', effect: 'write', ...more });
}
