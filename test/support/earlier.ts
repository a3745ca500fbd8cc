// Decisions of earlier versions of the service with all evidence: logs, facts and policy sets, as they were stored then.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { DecisionEvidence } from '../../shared/core/verification/decision.ts';
import { findRoot } from '../../shared/platform/config/root.ts';

export const EARLIER_DIR = path.join(findRoot(), 'test/unit/decisions/earlier');

/** The logs of `live` and `test` of one installation. */
export interface EarlierInstallation {
  readonly logs: Readonly<Record<'live' | 'test', EarlierLog>>;
  /** Canonical texts. */
  readonly policySets: readonly string[];
}

export interface EarlierLog {
  /** Canonical records, in the order of the log. */
  readonly records: readonly string[];
  /** The salt in base64. */
  readonly facts: readonly { readonly decisionId: string; readonly facts: string; readonly salt: string }[];
}

/** Versions by their day, which decided by the policies that they were shipped with. */
export const EARLIER_VERSIONS = ['2026-11-22', '2026-11-28'] as const;

const read = (name: string): unknown =>
  JSON.parse(
    brotliDecompressSync(readFileSync(path.join(EARLIER_DIR, `${name}.json.br`))).toString('utf8'),
    (_, value: unknown) => {
      const { bytes, utf8 } = (value ?? {}) as { readonly bytes?: unknown; readonly utf8?: unknown };
      if (typeof utf8 === 'string') return Buffer.from(utf8);
      return typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : value;
    },
  );

// Written by hand from `custos log export` and `custos decision export` of that version.
export const earlierInstallation = (day: (typeof EARLIER_VERSIONS)[number]): EarlierInstallation =>
  read(day) as EarlierInstallation;

const CORPUS = /^random-(\d+)\.json\.br$/;

/** The versions of the evaluation of which there is a corpus of random decisions. */
export const corpusVersions = (): number[] =>
  readdirSync(EARLIER_DIR).flatMap((file) => CORPUS.exec(file)?.slice(1).map(Number) ?? []);

// Written by writeCorpus.
export const readCorpus = (evaluation: number): DecisionEvidence[] =>
  read(`random-${evaluation}`) as DecisionEvidence[];

/** Texts stay texts, which are compressed better than base64. */
function encoded(bytes: Uint8Array): object {
  const utf8 = Buffer.from(bytes).toString('utf8');
  return Buffer.from(utf8).equals(bytes) ? { utf8 } : { bytes: Buffer.from(bytes).toString('base64') };
}

export function corpusText(decisions: readonly DecisionEvidence[]): Buffer {
  const text = JSON.stringify(decisions, (_, value: unknown) => {
    const { type, data } = (value ?? {}) as { readonly type?: unknown; readonly data?: unknown };
    if (value instanceof Uint8Array) return encoded(value);
    // What JSON.stringify makes of a Buffer before it calls this.
    return type === 'Buffer' ? encoded(Buffer.from(data as number[])) : value;
  });
  return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS } });
}
