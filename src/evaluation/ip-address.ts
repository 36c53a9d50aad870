import type { Work } from '../base/work.ts';
import { cachingLastText } from './caching-last-text.ts';

/** Networks of both families, looked up without allocating; entries that are neither an address nor a CIDR range are in `invalid`. */
interface AddressRanges {
  readonly invalid: readonly string[];
  /** Units of work of a search. */
  readonly cost: number;
  readonly hasIpv4: (address: string) => boolean;
  readonly hasAny: (address: string) => boolean;
}

const NOT_IPV4 = -1;

/** Converts a dotted quad to an unsigned 32-bit number; -1 when it is not one. Leading zeros are refused: parsers disagree on their meaning. */
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
      if (digits > 0 && octet === 0) return NOT_IPV4;
      octet = octet * 10 + (code - ZERO);
      digits++;
    } else return NOT_IPV4;
  }
  return octets === 4 ? address : NOT_IPV4;
}

const readIpv4 = cachingLastText((text: string) => parseIpv4(text));

const DOT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;

/** Writes the eight 16-bit groups of an IPv6 address into `groups`; false when the text is not an IPv6 address. Zones are not accepted. */
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
    let group = 0;
    let end = index;
    for (let digit = hexDigit(text, end); digit >= 0; digit = hexDigit(text, ++end)) group = group * 16 + digit;
    if (text.charCodeAt(end) === DOT) {
      const embedded = parseIpv4(text, index);
      if (embedded === NOT_IPV4 || count > 6) return false;
      groups[count++] = embedded >>> 16;
      groups[count++] = embedded & 0xffff;
      index = text.length;
      break;
    }
    if (end === index || end - index > 4 || count === 8) return false;
    groups[count++] = group;
    index = end;
  }
  return spreadGap(groups, count, gapAt);
}

/** The value of the hex digit; -1 if the character is not one. */
function hexDigit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= ZERO && code <= NINE) return code - ZERO;
  if (code >= 97 && code <= 102) return code - 87;
  return code >= 65 && code <= 70 ? code - 55 : -1;
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

/** Units of work for an entry, and for one step. */
const ENTRY_COST = 15;
const STEP_COST = 2_000;

/** Compiles addresses and CIDR ranges, in steps. A search costs one set look-up per distinct IPv4 prefix length and one comparison per IPv6 range. */
export function* compileRanges(entries: Iterable<string>): Work<AddressRanges> {
  const invalid: string[] = [];
  const ipv4 = new Map<number, Set<number>>();
  const ipv6 = new Ipv6Ranges();
  let work = 0;
  for (const entry of entries) {
    if (!addRange(ipv4, ipv6, entry)) invalid.push(entry);
    work += ENTRY_COST;
    if (work < STEP_COST) continue;
    yield work;
    work = 0;
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
  const cost = 5 + 2 * networks.length + ipv6.count;
  return { invalid, cost, hasIpv4, hasAny: (address) => hasIpv4(address) || ipv6.has(address) };
}

/** False when the entry is neither an address nor a range. */
function addRange(ipv4: Map<number, Set<number>>, ipv6: Ipv6Ranges, entry: string): boolean {
  const slash = entry.indexOf('/');
  const address = slash < 0 ? entry : entry.slice(0, slash);
  const prefixLength = slash < 0 ? undefined : prefixLengthOf(entry.slice(slash + 1));
  return address.includes(':') ? ipv6.add(address, prefixLength) : addIpv4(ipv4, address, prefixLength);
}

/** If the text is not a number, the result is larger than the bit length of any address. */
function prefixLengthOf(digits: string): number {
  return /^\d{1,3}$/.test(digits) ? Number(digits) : Number.POSITIVE_INFINITY;
}

function addIpv4(networks: Map<number, Set<number>>, address: string, prefixLength = 32): boolean {
  const parsed = parseIpv4(address);
  if (parsed === NOT_IPV4 || prefixLength > 32) return false;
  const hostBits = 32 - prefixLength;
  let bases = networks.get(hostBits);
  if (bases === undefined) {
    bases = new Set();
    networks.set(hostBits, bases);
  }
  bases.add(networkOf(parsed, hostBits));
  return true;
}

/** The groups of the address that was parsed last. One array for all addresses, so that parsing does not allocate. */
const scratch = new Uint16Array(8);

/** IPv6 ranges in flat arrays, without an object for each range, because a list may have ten thousand ranges. */
class Ipv6Ranges {
  count = 0;
  /** Eight groups for each range. */
  #groups = new Uint16Array(0);
  #prefixLengths = new Uint8Array(0);

  add(address: string, prefixLength = 128): boolean {
    if (prefixLength > 128 || !parseIpv6(address, scratch)) return false;
    if (this.count === this.#prefixLengths.length) this.#grow();
    this.#groups.set(scratch, this.count * 8);
    this.#prefixLengths[this.count++] = prefixLength;
    return true;
  }

  has(address: string): boolean {
    if (this.count === 0 || !address.includes(':') || !parseIpv6(address, scratch)) return false;
    for (let index = 0; index < this.count; index++) if (this.#contains(index, scratch)) return true;
    return false;
  }

  /** Whether the range with this index contains the address. */
  #contains(index: number, groups: Uint16Array): boolean {
    const prefixLength = this.#prefixLengths[index] as number;
    const fullGroups = prefixLength >>> 4;
    const base = index * 8;
    for (let at = 0; at < fullGroups; at++) if (this.#groups[base + at] !== groups[at]) return false;
    const bits = prefixLength & 15;
    if (bits === 0) return true;
    return ((this.#groups[base + fullGroups] as number) ^ (groups[fullGroups] as number)) >>> (16 - bits) === 0;
  }

  #grow(): void {
    const capacity = Math.max(4, 2 * this.count);
    const groups = new Uint16Array(8 * capacity);
    groups.set(this.#groups);
    this.#groups = groups;
    const prefixLengths = new Uint8Array(capacity);
    prefixLengths.set(this.#prefixLengths);
    this.#prefixLengths = prefixLengths;
  }
}

/** An address without its host part, as a signed integer: a look-up of signed integers does not allocate. */
function networkOf(address: number, hostBits: number): number {
  // In JavaScript a shift by 32 does nothing.
  return hostBits === 32 ? 0 : (address >>> hostBits) | 0;
}
