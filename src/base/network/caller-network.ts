import { isIPv6 } from 'node:net';

/**
 * The key under which the addresses of one caller are counted: an IPv4 address, or the first `networkBits` bits of an IPv6 address. 64 bits are one
 * network. 48 bits also count a caller together who has many networks.
 */
export function networkOf(address: string, networkBits: 48 | 64 = 64): string {
  // Most addresses contain no colon, and the first call of `isIPv6` compiles a large regular expression.
  if (!address.includes(':') || !isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const headGroups = head === '' ? [] : head.split(':');
  const tailGroups = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - headGroups.length - tailGroups.length);
  return [...headGroups, ...Array<string>(zeros).fill('0'), ...tailGroups].slice(0, networkBits / 16).join(':');
}
