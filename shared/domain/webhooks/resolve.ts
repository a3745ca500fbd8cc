// Looks up the names of receivers in a way that holds up nothing else.
//
// Node has two threads for the system's resolver, which the names of the database need, too, and nothing ends a look-up there: a name server that
// does not answer would delay every webhook and every new connection. So a resolver that needs no thread asks the name servers itself, and
// the system is asked, for one name at a time, only about names that it alone may know. Its hosts file counts first, as everywhere.
import { promises as dns } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { createSlots } from '../../kernel/slots.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name; none: it has none, or they can't be found out. @param signal aborted when nobody waits any more */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly ResolvedAddress[]>;

export interface ResolveDeps {
  /** Whether receivers may have private addresses: then their names may be in the machine's search domains. */
  readonly allowsPrivate: boolean;
  /** Default: those of the machine. */
  readonly nameServers?: readonly string[];
  /** The text of the hosts file. Default: that of the machine; none when it can't be read. */
  readonly readHosts?: () => Promise<string>;
  /** The system's resolver. */
  readonly system?: (name: string) => Promise<readonly ResolvedAddress[]>;
}

/** For each name server; the second of the tries takes twice as long. */
const QUERY_TIMEOUT_MS = 2_000;
const TRIES = 2;
/** The name servers have answered that there is no such name, or no such address. */
const NONE = new Set(['ENOTFOUND', 'ENODATA']);

const systemLookup = (name: string): Promise<readonly ResolvedAddress[]> => dns.lookup(name, { all: true });

const readHostsFile = (): Promise<string> => readFile('/etc/hosts', 'utf8').catch(() => '');

/** @param name in lower case */
function addressesInHosts(name: string, text: string): readonly ResolvedAddress[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return names.includes(name) && isIP(address) !== 0 ? [{ address, family: isIP(address) }] : [];
  });
}

/** @returns undefined when the name servers know no address */
async function askNameServers(
  name: string,
  signal: AbortSignal,
  nameServers: readonly string[] | undefined,
): Promise<readonly ResolvedAddress[] | undefined> {
  // A new one each time: it reads which servers the machine has, and what it asks can be ended alone.
  const resolver = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  signal.removeEventListener('abort', cancel);
  const found = [four, six].flatMap((one, i) =>
    one.status === 'fulfilled' ? one.value.map((address) => ({ address, family: i === 0 ? 4 : 6 })) : [],
  );
  const isNone = [four, six].every(
    (one) => one.status === 'rejected' && NONE.has((one.reason as { code?: string }).code ?? ''),
  );
  return isNone ? undefined : found;
}

export function createResolve(deps: ResolveDeps): Resolve {
  const { allowsPrivate, nameServers, readHosts = readHostsFile, system = systemLookup } = deps;
  const slots = createSlots(1);
  const underWay = new Map<string, Promise<readonly ResolvedAddress[]>>();

  const askAlone = async (name: string, signal: AbortSignal): Promise<readonly ResolvedAddress[]> => {
    if (!(await slots.take('', signal))) return [];
    // The place is given back when the look-up ends, whether somebody still waits for it or not.
    return system(name)
      .catch(() => [])
      .finally(() => slots.release(''));
  };

  /** Once for equal names: they are mostly those of one endpoint's messages, which wait equally long. */
  const askSystem: Resolve = (name, signal) => {
    const known = underWay.get(name);
    if (known !== undefined) return known;
    const asked = askAlone(name, signal).finally(() => underWay.delete(name));
    underWay.set(name, asked);
    return asked;
  };

  return async (name, signal) => {
    const listed = addressesInHosts(name, await readHosts());
    if (listed.length > 0) return listed;
    const isLocal = !name.replace(/\.$/, '').includes('.');
    if (isLocal) return askSystem(name, signal);
    const found = await askNameServers(name, signal, nameServers);
    if (found !== undefined) return found;
    return allowsPrivate && !signal.aborted ? askSystem(name, signal) : [];
  };
}
