import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { AddressRanges } from '../../../base/network/address-ranges.ts';

/**
 * IPv4 addresses that are not public: this host, private networks, carrier-grade NAT, loopback, link-local (with the metadata services of clouds),
 * protocol assignments, documentation, relays to IPv6, benchmarks, multicast, reserved and broadcast.
 */
const NOT_PUBLIC_V4 = new AddressRanges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/** The IPv6 addresses that are given out to the internet. Everything else (loopback, unique-local, link-local, multicast, NAT64) is refused. */
const GLOBAL_V6 = new AddressRanges(['2000::/3']);

/** Exceptions: Teredo, ORCHID and other protocol assignments, documentation, and 6to4, which contains an IPv4 address. */
const NOT_PUBLIC_V6 = new AddressRanges(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** How long DNS servers may take for one name. */
const RESOLVE_MS = 5_000;

/** Most addresses of a name that are considered. */
const ADDRESSES_MAX = 16;

/** A name cannot be resolved, or the addresses are refused. The message is for people. */
export class DestinationError extends Error {
  override readonly name = 'DestinationError';
}

/** Finds the addresses of a name. */
type Resolve = (name: string) => Promise<readonly string[]>;

/**
 * Decides which addresses may be connected to. A name is resolved once, here, and the connection is made to the resulting address. So a name that
 * resolves to another address a moment later (DNS rebinding) changes nothing.
 */
export class Destinations {
  readonly #allowsAll: boolean;
  readonly #allowed: AddressRanges;
  readonly #resolve: Resolve;

  /** `allowPrivate`: ranges of addresses that are allowed although they are not public; `*`: all. @throws RangeError */
  constructor(allowPrivate: readonly string[], resolve?: Resolve) {
    this.#allowsAll = allowPrivate.includes('*');
    this.#allowed = new AddressRanges(allowPrivate.filter((range) => range !== '*'));
    this.#resolve = resolve ?? (allowPrivate.length === 0 ? resolvePublic : resolveAny);
  }

  /** Whether the address may be connected to. */
  allows(address: string): boolean {
    const plain = withoutMapping(address);
    if (plain === undefined) return false;
    if (this.#allowsAll || this.#allowed.has(plain)) return true;
    if (isIP(plain) === 4) return !NOT_PUBLIC_V4.has(plain);
    return GLOBAL_V6.has(plain) && !NOT_PUBLIC_V6.has(plain);
  }

  /**
   * The address to connect to for the host of a URL. If a name has several addresses, the first one that is allowed.
   * @throws DestinationError if there is none
   */
  async addressOf(host: string): Promise<string> {
    const literal = host.replace(/^\[|\]$/g, '');
    const addresses = isIP(literal) === 0 ? await this.#resolved(literal) : [literal];
    const allowed = addresses.find((address) => this.allows(address));
    if (allowed !== undefined) return allowed;
    throw new DestinationError(
      'The address is not public: to send to private networks, the operator of the service sets ADDON_ALLOW_PRIVATE.',
    );
  }

  async #resolved(name: string): Promise<readonly string[]> {
    let addresses: readonly string[];
    try {
      addresses = await this.#resolve(name);
    } catch {
      throw new DestinationError('The name of the host cannot be resolved.');
    }
    if (addresses.length === 0) throw new DestinationError('The name of the host has no address.');
    return addresses.slice(0, ADDRESSES_MAX);
  }
}

/**
 * The address; an IPv4 address that is written as IPv6 (`::ffff:…`) becomes IPv4, so that one list decides about both. Undefined if it is no address, or
 * has a zone.
 */
function withoutMapping(address: string): string | undefined {
  const version = isIP(address);
  if (version === 4) return address;
  if (version !== 6 || address.includes('%')) return undefined;
  // A URL writes each IPv6 address in one form: `::ffff:7f00:1`.
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(plain);
  if (!mapped) return plain;
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/**
 * Asks the DNS servers directly. `dns.lookup` would use a thread of the pool that files and hashing also use, and four slow names would stop them all.
 */
async function resolvePublic(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: RESOLVE_MS / 2, tries: 2 });
  const timer = setTimeout(() => resolver.cancel(), RESOLVE_MS);
  timer.unref();
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const [failed] = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    if (addresses.length === 0 && failed) throw failed;
    return addresses;
  } finally {
    clearTimeout(timer);
  }
}

/** Names that only this machine looks up at the moment: one at a time, so that at most one thread of the pool waits for a slow name. */
let lookingUp: Promise<unknown> = Promise.resolve();

/** Also finds names that no DNS server has: those in the file of hosts, and names that are completed with the search list of this machine. */
async function resolveAny(name: string): Promise<readonly string[]> {
  try {
    return await resolvePublic(name);
  } catch {
    const found = lookingUp.then(() => lookup(name, { all: true }));
    lookingUp = found.catch(() => {});
    return (await found).map(({ address }) => address);
  }
}
