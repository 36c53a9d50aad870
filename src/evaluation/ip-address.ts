import { readingOnce } from './last-text.ts';

/** Networks of both families, looked up without allocating; entries that are neither an address nor a CIDR range are in `invalid`. */
export interface AddressRanges {
  readonly invalid: readonly string[];
  /** Units of work of a look-up. */
  readonly cost: number;
  readonly hasIpv4: (address: string) => boolean;
  readonly hasAny: (address: string) => boolean;
}

const NOT_IPV4 = -1;

/** Dotted quad to an unsigned 32-bit number; -1 when it is none. Leading zeros are refused: readers disagree on their meaning. */
export function parseIpv4(text: string, from = 0): number {
  let address = 0;
  let octet = 0;
  let digits = 0;
  let octets = 0;
  for (let index = from; index <= text.length; index++) {
    const code = index < text.length ? text.charCodeAt(index) : DOT;
    if (code === DOT) {
      if (digits === 0 || octet > 255 || octets === 4) return NOT_IPV4;
      address = address * 256 + octet;
      octets++;
      octet = 0;
      digits = 0;
    } else if (code >= ZERO && code <= NINE) {
      if (digits === 3 || (digits > 0 && octet === 0)) return NOT_IPV4;
      octet = octet * 10 + (code - ZERO);
      digits++;
    } else return NOT_IPV4;
  }
  return octets === 4 ? address : NOT_IPV4;
}

const readIpv4 = readingOnce((text: string) => parseIpv4(text));

const DOT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;

/** Writes the eight 16-bit groups of an IPv6 address into `groups`; false when the text is none. Zones are not accepted. */
export function parseIpv6(text: string, groups: Uint16Array): boolean {
  let count = 0;
  let gapAt = -1;
  let index = 0;
  if (text.charCodeAt(0) === COLON && text.charCodeAt(1) !== COLON) return false;
  while (index < text.length) {
    if (text.charCodeAt(index) === COLON && text.charCodeAt(index + 1) === COLON) {
      if (gapAt >= 0) return false;
      gapAt = count;
      index += 2;
      continue;
    }
    if (count > 0 && gapAt !== count) {
      if (text.charCodeAt(index) !== COLON) return false;
      index++;
    }
    const end = hexGroupEnd(text, index);
    if (text.charCodeAt(end) === DOT) {
      const embedded = parseIpv4(text, index);
      if (embedded === NOT_IPV4 || count > 6) return false;
      groups[count++] = embedded >>> 16;
      groups[count++] = embedded & 0xffff;
      index = text.length;
      break;
    }
    if (end === index || end - index > 4 || count === 8) return false;
    groups[count++] = Number.parseInt(text.slice(index, end), 16);
    index = end;
  }
  return spreadGap(groups, count, gapAt);
}

function hexGroupEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isHexDigit(text.charCodeAt(end))) end++;
  return end;
}

function isHexDigit(code: number): boolean {
  return (code >= ZERO && code <= NINE) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}

/** Moves the groups after `::` to the end and fills the gap with zeros. */
function spreadGap(groups: Uint16Array, count: number, gapAt: number): boolean {
  if (gapAt < 0) return count === 8;
  if (count === 8) return false;
  const tail = count - gapAt;
  groups.copyWithin(8 - tail, gapAt, count);
  groups.fill(0, gapAt, 8 - tail);
  return true;
}

interface Ipv6Range {
  readonly groups: Uint16Array;
  readonly masks: Uint16Array;
}

/** Compiles addresses and CIDR ranges. IPv4 costs one set lookup for each distinct prefix length, IPv6 one comparison a range. */
export function compileRanges(entries: readonly string[]): AddressRanges {
  const invalid: string[] = [];
  const ipv4 = new Map<number, Set<number>>();
  const ipv6: Ipv6Range[] = [];
  for (const entry of entries) {
    if (!addIpv4(ipv4, entry) && !addIpv6(ipv6, entry)) invalid.push(entry);
  }
  const networks = [...ipv4].map(([hostBits, bases]) => ({ hostBits, bases }));
  const hasIpv4 = (address: string) => {
    if (networks.length === 0) return false;
    const parsed = readIpv4(address);
    if (parsed === NOT_IPV4) return false;
    for (let index = 0; index < networks.length; index++) {
      const network = networks[index] as (typeof networks)[number];
      if (network.bases.has(networkOf(parsed, network.hostBits))) return true;
    }
    return false;
  };
  const scratch = new Uint16Array(8);
  const hasIpv6 = (address: string) => {
    if (ipv6.length === 0 || !address.includes(':') || !parseIpv6(address, scratch)) return false;
    for (const range of ipv6) if (contains(range, scratch)) return true;
    return false;
  };
  const cost = 5 + 2 * networks.length + ipv6.length;
  return { invalid, cost, hasIpv4, hasAny: (address) => hasIpv4(address) || hasIpv6(address) };
}

function contains(range: Ipv6Range, groups: Uint16Array): boolean {
  for (let index = 0; index < 8; index++) {
    const mask = range.masks[index] as number;
    if (((groups[index] as number) & mask) !== range.groups[index]) return false;
  }
  return true;
}

function addIpv4(networks: Map<number, Set<number>>, entry: string): boolean {
  const [address, prefixLength] = splitRange(entry, 32);
  const parsed = parseIpv4(address);
  if (parsed === NOT_IPV4 || prefixLength === null) return false;
  const hostBits = 32 - prefixLength;
  let bases = networks.get(hostBits);
  if (bases === undefined) {
    bases = new Set();
    networks.set(hostBits, bases);
  }
  bases.add(networkOf(parsed, hostBits));
  return true;
}

/** An address without its host part, as a signed integer: those are looked up without allocating. */
function networkOf(address: number, hostBits: number): number {
  // A shift by 32 is none in JavaScript.
  return hostBits === 32 ? 0 : (address >>> hostBits) | 0;
}

function addIpv6(ranges: Ipv6Range[], entry: string): boolean {
  const [address, prefixLength] = splitRange(entry, 128);
  const groups = new Uint16Array(8);
  if (prefixLength === null || !parseIpv6(address, groups)) return false;
  const masks = groups.map((_, index) => {
    const bits = Math.min(16, Math.max(0, prefixLength - index * 16));
    return 0xffff << (16 - bits);
  });
  ranges.push({ groups: groups.map((group, index) => group & (masks[index] as number)), masks });
  return true;
}

/** The address and its prefix length: the full length when there is none, null when it is not a number in range. */
function splitRange(entry: string, fullLength: number): [address: string, prefixLength: number | null] {
  const slash = entry.indexOf('/');
  if (slash < 0) return [entry, fullLength];
  const digits = entry.slice(slash + 1);
  const prefixLength = /^\d{1,3}$/.test(digits) ? Number(digits) : fullLength + 1;
  return [entry.slice(0, slash), prefixLength <= fullLength ? prefixLength : null];
}
