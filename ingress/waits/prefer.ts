// The preference `wait` of the Prefer header (RFC 7240 section 4.3).

/** A longer wait is shortened to this; proxies close connections that are silent for a minute. */
const MAX_WAIT_SECONDS = 30;

/** Beyond any real header, and short enough for the expressions below. */
const MAX_HEADER = 1_024;
const BALANCED = /^(?:[^"]|"(?:[^"\\]|\\.)*")*$/;
/** What stands between commas outside of quoted strings. */
const PREFERENCE = /(?:[^",]|"(?:[^"\\]|\\.)*")+/g;
const IS_WAIT = /^[ \t]*wait[ \t]*(?:[=;]|$)/i;
/** The value, in quotes or not; parameters after it are ignored. */
const SECONDS = /^[^=]*=[ \t]*("?)(\d+)\1[ \t]*(?:;|$)/;

/**
 * Whole seconds from 1 to 30, or undefined when the header asks for no wait. The first `wait` counts, a longer one is shortened, and a
 * header or value of another form is ignored.
 */
export function preferredWaitSeconds(header: string | string[] | undefined): number | undefined {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  if (text.length > MAX_HEADER || !BALANCED.test(text)) return undefined;
  const wait = (text.match(PREFERENCE) ?? []).find((one) => IS_WAIT.test(one));
  const digits = SECONDS.exec(wait ?? '')?.[2];
  const seconds = Math.min(Number(digits ?? 0), MAX_WAIT_SECONDS);
  return seconds >= 1 ? seconds : undefined;
}
