import { parseIpv4, parseIpv6 } from '../../../evaluation/ip-address.ts';

interface Family {
  readonly bits: number;
  /** The address as a number. Undefined if the text is not an address. */
  read(text: string): bigint | undefined;
  write(address: bigint): string;
}

const IPV4: Family = {
  bits: 32,
  read: (text) => {
    const address = parseIpv4(text);
    return address < 0 ? undefined : BigInt(address);
  },
  write: (address) => groupsOf(address, 4, 8n).join('.'),
};

const IPV6: Family = {
  bits: 128,
  read: (text) => {
    const groups = new Uint16Array(8);
    return parseIpv6(text, groups) ? groups.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n) : undefined;
  },
  write: (address) =>
    groupsOf(address, 8, 16n)
      .map((group) => group.toString(16))
      .join(':'),
};

function groupsOf(address: bigint, count: number, bits: bigint): bigint[] {
  return Array.from({ length: count }, (_, index) =>
    BigInt.asUintN(Number(bits), address >> (bits * BigInt(count - 1 - index))),
  );
}

/** The first and the last address of a range, and the addresses directly before and after it. A text that is not a range is returned unchanged. */
export function addressesAround(range: string): string[] {
  const [address = '', prefixLength] = range.split('/');
  const { bits, read, write } = address.includes(':') ? IPV6 : IPV4;
  const known = read(address);
  const prefixBits = prefixLength === undefined ? bits : Number(prefixLength);
  if (known === undefined || !Number.isInteger(prefixBits) || prefixBits < 0 || prefixBits > bits) return [range];
  const hosts = (1n << BigInt(bits - prefixBits)) - 1n;
  const [first, last] = [known & ~hosts, known | hosts];
  // A set, because the first address of a single address is also the last.
  const around = new Set([first, last, first - 1n, last + 1n]);
  return [...around].filter((each) => each >= 0n && each < 1n << BigInt(bits)).map(write);
}
