import { isIPv6 } from 'node:net';

/** The key under which the addresses of one caller are counted: for IPv6, the network of 64 bits, or 48 bits for holders of many networks. */
export function networkOf(address: string, networkBits: 48 | 64 = 64): string {
  // Most addresses contain no colon, and the first call of `isIPv6` compiles a large regular expression.
  if (!address.includes(':') || !isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const behind = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - behind.length);
  return [...groups, ...Array<string>(zeros).fill('0'), ...behind].slice(0, networkBits / 16).join(':');
}
