// The certificate and the private key with which ingress serves HTTPS.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { OperatorError } from '../../kernel/operator-error.ts';
import type { Config } from './table.ts';

/** PEM. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Undefined: HTTPS is not set up.
 * @throws {OperatorError} when a file can't be read, has no certificate or no key, or the key is that of another certificate
 */
export function readTlsFiles({
  tlsCertFile,
  tlsKeyFile,
}: Pick<Config, 'tlsCertFile' | 'tlsKeyFile'>): TlsFiles | undefined {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  const cert = read('CUSTOS_TLS_CERT', tlsCertFile);
  const key = read('CUSTOS_TLS_KEY', tlsKeyFile);
  const certificate = parse('CUSTOS_TLS_CERT', tlsCertFile, 'certificate', () => new X509Certificate(cert));
  const privateKey = parse('CUSTOS_TLS_KEY', tlsKeyFile, 'private key without a passphrase', () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new OperatorError(
      `CUSTOS_TLS_KEY names ${tlsKeyFile}, which is not the key of the first certificate in ${tlsCertFile}.`,
    );
  return { cert, key };
}

/** When the first certificate of a chain ends, in milliseconds since 1970. */
export const tlsEndMs = ({ cert }: TlsFiles): number => Date.parse(new X509Certificate(cert).validTo);

function read(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`${setting} names ${file}, which cannot be read (${code ?? String(error)}).`, {
      cause: error,
    });
  }
}

function parse<T>(setting: string, file: string, what: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new OperatorError(`${setting} names ${file}, which holds no ${what} (PEM).`, { cause: error });
  }
}
