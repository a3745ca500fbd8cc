// Globs, patterns and hosts: checked and compiled when a policy is loaded, matched in linear time.
import { isIP } from 'node:net';
import { RE2JS } from 're2js';
import { plainHost } from '../intent/text/addresses.ts';
import { withoutDots } from '../tools/paths.ts';

const CONTROL = /\p{Cc}/u;

/** Single slashes, none at the end: `/srv//app/` is `/srv/app`. */
const plainSlashes = (path: string): string => path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');

/** A path as globs see it; undefined when it is ambiguous, or leads out of its root. */
function globText(text: string): string | undefined {
  if (CONTROL.test(text) || (text.includes('/') && text.includes('\\'))) return undefined;
  const resolved = withoutDots(text)?.replaceAll('\\', '/');
  return resolved === undefined ? undefined : plainSlashes(resolved).normalize('NFC');
}

const MAX_PATTERN_LENGTH = 500;

export function globProblem(glob: string): string | undefined {
  if (glob.length > MAX_PATTERN_LENGTH) return `must have at most ${MAX_PATTERN_LENGTH} characters`;
  if (/[?[\]{}\\]/.test(glob)) return 'has a sign that no glob knows here: "*" within a segment and "**" over segments';
  if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(glob)) return 'has "." or ".." as a segment, and paths are compared without them';
  if (/\*\*[^/]|[^/]\*\*/.test(glob)) return 'has "**" within a segment: it must be a whole segment';
  return undefined;
}

/**
 * An RE2 pattern: `*` stays within a segment, `**` stands for any number of segments, at the end for at least one. At the beginning
 * it includes the root, so that a DENY on a folder wherever it is also holds for absolute paths.
 */
function globPattern(glob: string): string {
  const segments = plainSlashes(glob).normalize('NFC').split('/');
  let pattern = '';
  for (const [at, segment] of segments.entries()) {
    const isLast = at === segments.length - 1;
    if (segment === '**') pattern += isLast ? '.+' : `${at === 0 ? '/?' : ''}(?:[^/]+/)*`;
    else
      pattern +=
        segment
          .split('*')
          .map((part) => RE2JS.quote(part))
          .join('[^/]*') + (isLast ? '' : '/');
  }
  return `(?s)^${pattern}$`;
}

export interface CompiledGlob {
  test(text: string): boolean | undefined;
  /** Instructions. */
  readonly size: number;
}

/** Compiles a valid glob. */
export function compileGlob(glob: string): CompiledGlob {
  const pattern = RE2JS.compile(globPattern(glob));
  return {
    test: (text) => {
      const path = globText(text);
      return path === undefined ? undefined : pattern.test(path);
    },
    size: pattern.programSize(),
  };
}

/** Instructions of a compiled pattern; a step of a match takes up to this many. */
const MAX_PROGRAM = 1_000;

export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return `must have at most ${MAX_PATTERN_LENGTH} characters`;
  try {
    const size = RE2JS.compile(pattern).programSize();
    return size <= MAX_PROGRAM ? undefined : `is too large once it is compiled: ${size} instructions of ${MAX_PROGRAM}`;
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'is no pattern';
    return `is no RE2 pattern: ${why}`;
  }
}

export interface CompiledPattern {
  test(text: string): boolean;
  readonly size: number;
}

/** Compiles a valid pattern, which matches any part of a text. */
export function compilePattern(pattern: string): CompiledPattern {
  const compiled = RE2JS.compile(pattern);
  return { test: (text) => compiled.test(text), size: compiled.programSize() };
}

const BELOW = '*.';

/** A host as policies name it; `*.` before a name stands for one or more labels. */
function writtenHost(written: string): { readonly isBelow: boolean; readonly host: string } | undefined {
  const isBelow = written.startsWith(BELOW);
  const host = plainHost(isBelow ? written.slice(BELOW.length) : written);
  // No host lies below an address.
  return host === undefined || (isBelow && isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0)
    ? undefined
    : { isBelow, host };
}

export function hostProblem(written: string): string | undefined {
  if (writtenHost(written) !== undefined) return undefined;
  if (isIP(written) === 6) return `is an IPv6 address, which hosts have in brackets: write "[${written}]"`;
  if (written.startsWith('[') && isIP(written.slice(1, -1)) === 6)
    return 'is an IPv6 address that stands for an IPv4 host in some networks only: write the IPv4 address';
  return /[:/]/.test(written)
    ? 'is more than a host: write it without scheme, port and path'
    : 'is no host such as "example.com", or "*.example.com" for all hosts below it';
}

/** Compiles a valid host. */
export function compileHost(written: string): (host: string) => boolean {
  const { isBelow = false, host = '' } = writtenHost(written) ?? {};
  return isBelow ? (other) => other.endsWith(`.${host}`) : (other) => other === host;
}

/**
 * The host of a URL. Undefined for anything that is no URL with a host, and for URLs that programs read differently: with user
 * information, backslashes, white space, control characters, or an IPv6 address that only some networks translate to an IPv4 host.
 */
export function urlHost(text: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\\\s]*$/i.test(text) || CONTROL.test(text) || text.length > 8_192) return undefined;
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return undefined;
  try {
    const { hostname, username, password } = new URL(text);
    if (username !== '' || password !== '') return undefined;
    return plainHost(hostname);
  } catch {
    return undefined;
  }
}
