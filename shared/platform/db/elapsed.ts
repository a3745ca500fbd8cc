// SQL conditions on times that the service itself has stored, of which none can be later than its longest wait from now. One that is was
// stored while the database's clock was ahead, which has been set back since: it counts as past, or what it holds up would wait until then.

/** For times that are never ahead: so long a wait does no harm. */
export const NEVER_AHEAD = `interval '1 minute'`;

/** Stored times are rounded up to milliseconds, and a transaction that began earlier has an earlier `now()`. */
const SLACK = `interval '2 seconds'`;

/** Whether a time is further ahead than it can be. */
export const isAhead = (time: string, longest: string, now = 'now()'): string =>
  `${time} > ${now} + ${longest} + ${SLACK}`;

/** Whether a time has come. @param longest how far ahead it can be: an interval @param now the time to compare with */
export const hasCome = (time: string, longest: string = NEVER_AHEAD, now = 'now()'): string =>
  `(${time} <= ${now} OR ${isAhead(time, longest, now)})`;

/** Whether something happened at most `age` ago. */
export const isRecent = (time: string, age: string, now = 'now()'): string =>
  `${time} BETWEEN ${now} - ${age} AND ${now} + ${age}`;
