// Where webhooks may be sent: public addresses, and private ones that the operator allows. Prevents server-side request forgery.
import net from 'node:net';
import type { AddressRange } from '../../platform/config/forms.ts';
import type { Environment } from '../../kernel/vocabulary.ts';

export const URL_MAX = 2_048;

// Ranges that are not globally reachable (IANA IPv4 special-purpose address registry), multicast, and 168.63.129.16, where
// Azure serves metadata of virtual machines.
const REFUSED_IPV4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32',
].join(' ');
/** Outside of it are loopback, unique-local, link-local, multicast, IPv4-mapped and translated addresses (IANA IPv6 address space). */
const GLOBAL_IPV6 = '2000::/3';
// Within it: protocol assignments with Teredo, documentation, and 6to4, which embeds an IPv4 address.
const REFUSED_IPV6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20';

function blockList(ranges: string, family: 'ipv4' | 'ipv6'): net.BlockList {
  const list = new net.BlockList();
  for (const range of ranges.split(' ')) {
    const [address = '', prefix] = range.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

const LISTS = {
  refused4: blockList(REFUSED_IPV4, 'ipv4'),
  global6: blockList(GLOBAL_IPV6, 'ipv6'),
  refused6: blockList(REFUSED_IPV6, 'ipv6'),
};

function isPublic(address: string): boolean {
  const version = net.isIP(address);
  if (version === 4) return !LISTS.refused4.check(address, 'ipv4');
  // An address with a zone (fe80::1%eth0) is link-local.
  if (version !== 6 || address.includes('%')) return false;
  return LISTS.global6.check(address, 'ipv6') && !LISTS.refused6.check(address, 'ipv6');
}

export interface AddressRule {
  /** Whether the operator lists any private address. */
  readonly allowsPrivate: boolean;
  /** Whether a webhook of this scheme may be sent to the address. */
  permits(address: string, scheme: { readonly isSecure: boolean; readonly environment: Environment }): boolean;
}

/** @param allowed CUSTOS_WEBHOOK_ALLOW_PRIVATE */
export function createAddressRule(allowed: readonly AddressRange[]): AddressRule {
  const list = new net.BlockList();
  for (const { address, prefix, family } of allowed) list.addSubnet(address, prefix, family);
  const isAllowed = (address: string): boolean =>
    net.isIP(address) !== 0 && list.check(address, net.isIP(address) === 4 ? 'ipv4' : 'ipv6');
  return {
    allowsPrivate: allowed.length > 0,
    permits: (address, { isSecure, environment }) =>
      isAllowed(address) || (isPublic(address) && (isSecure || environment !== 'live')),
  };
}

/** The host of a URL as an address, without the brackets of IPv6; undefined: it is a name. */
export function literalAddress({ hostname }: URL): string | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return net.isIP(address) === 0 ? undefined : address;
}

/** What is wrong with an endpoint's URL; undefined: nothing that can be known without resolving its name. */
export function urlProblem(text: string, environment: Environment, rule: AddressRule): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  const isSecure = url.protocol === 'https:';
  if (!isSecure && environment === 'live' && !rule.allowsPrivate)
    return 'must begin with https:// in a live environment';
  const address = literalAddress(url);
  if (address !== undefined && !rule.permits(address, { isSecure, environment }))
    return isSecure
      ? 'must not name an address that is private, local or reserved'
      : 'must not name an address that is private, local or reserved, or needs https://';
  return undefined;
}
