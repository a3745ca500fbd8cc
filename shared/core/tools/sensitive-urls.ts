// Addresses by which secrets leave, or are read.
import { isSecret } from '../intent/text/secrets.ts';

/** Where clouds give the credentials of a machine to whoever asks from it: link-local addresses, and their names. */
const METADATA_HOST =
  /^(?:169\.254\.\d{1,3}\.\d{1,3}|100\.100\.100\.200|\[fd00:ec2::254\]|\[::ffff:a9fe:[\da-f]{1,4}\]|\[fe80:[\da-f:]*\]|metadata|metadata\.google\.internal|instance-data(?:\.[a-z\d.-]+)?)\.?$/;

function parsed(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

/** What the URLs of a text say beside the words in them. */
export function sensitiveUrls(urls: readonly string[]): {
  readonly carriesSecret: boolean;
  readonly isMetadata: boolean;
} {
  return {
    // The parts of the whole: a secret may be a name of a host, a part of the path or a value.
    carriesSecret: urls.some((url) => url.split(/[/?#&;=,.:@]/).some((part) => isSecret(part))),
    // A URL has its host in one form only, whatever form it was written in: `http://0xa9fea9fe`.
    isMetadata: urls.some((url) => METADATA_HOST.test(parsed(url)?.hostname ?? '')),
  };
}
