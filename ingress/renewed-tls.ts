// Uses a renewed certificate without a restart: looks at the files of HTTPS and gives new ones to the server.
import type https from 'node:https';
import { readTlsFiles, type TlsFiles, tlsEndMs } from '../shared/platform/config/tls-files.ts';
import type { Config } from '../shared/platform/config/table.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';

export interface RenewedTlsOptions {
  readonly config: Pick<Config, 'tlsCertFile' | 'tlsKeyFile'>;
  /** What the server uses now. */
  readonly inUse: TlsFiles;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Shorter in tests. */
  readonly everyMs?: number;
}

/** By content: a mounted secret is replaced as a whole, and a watch would lose its files. */
const LOOK_EVERY_MS = 10_000;

/**
 * New connections get the new certificate; open ones continue. While the files can't be used, such as a certificate whose key is not written yet,
 * the earlier ones stay in use, and a warning says why, once.
 * @returns stops it
 */
export function followTlsFiles(server: https.Server, options: RenewedTlsOptions): () => void {
  const { config, logger, everyMs = LOOK_EVERY_MS } = options;
  let { inUse } = options;
  let warned: string | undefined;
  const look = (): void => {
    try {
      const read = readTlsFiles(config);
      warned = undefined;
      if (read === undefined || (read.cert.equals(inUse.cert) && read.key.equals(inUse.key))) return;
      server.setSecureContext(read);
      inUse = read;
      logger.info({ validTo: new Date(tlsEndMs(read)).toISOString() }, 'the renewed certificate is in use');
    } catch (error) {
      const { message } = error as Error;
      if (message === warned) return;
      warned = message;
      logger.warn(
        { reason: message },
        'the files of HTTPS changed and can not be used; the earlier certificate stays in use',
      );
    }
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
