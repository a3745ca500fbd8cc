// What makes statements find every row by an index: settings of the planner for the rest of a transaction, and bounds of pages.

/**
 * SQL of settings, for a SELECT list. Without JIT, too: up to PostgreSQL 17 a plan that still sorts or scans, because it must, counts as very
 * expensive when that is off, and where LLVM is installed PostgreSQL compiled it at each execution: a second for each batch of a log.
 */
export const BY_INDEX_ONLY = "set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)";

/** The highest bigint: before it the first page of a list begins, so that every page is a range of an index. */
export const HIGHEST_SEQ = '9223372036854775807';
