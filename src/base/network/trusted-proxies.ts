import { isIP } from 'node:net';
import { AddressRanges } from './address-ranges.ts';

/** Address ranges that have a name in `TRUSTED_PROXIES`. */
const NAMED_RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'],
};

/**
 * The option `TRUSTED_PROXIES`: whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. Empty or `false`: nobody's. `true`: everybody's; the
 * first address is used, which any caller can forge. A number: the headers of this many proxies in a row. Addresses, ranges, `loopback` or `private`:
 * the headers of proxies with these addresses; the nearest address that is not one of them is used.
 */
export class TrustedProxies {
  readonly #mode: 'nobody' | 'everybody' | 'hops' | 'addresses';
  readonly #hops: number = 0;
  readonly #addresses = new AddressRanges();

  readonly #alwaysTls: boolean;
  readonly #texts: readonly string[];

  /**
   * `alwaysTls`: it is known without a header that all callers use TLS.
   * @throws RangeError if a text is not one of the values above
   */
  constructor(texts: readonly string[], alwaysTls = false) {
    this.#alwaysTls = alwaysTls;
    this.#texts = texts;
    const [first = 'false'] = texts;
    if (texts.length <= 1 && /^(true|false|\d{1,3})$/i.test(first)) {
      const isNumber = /^\d/.test(first);
      this.#hops = isNumber ? Number(first) : 0;
      this.#mode = isNumber && this.#hops > 0 ? 'hops' : first.toLowerCase() === 'true' ? 'everybody' : 'nobody';
      return;
    }
    this.#mode = 'addresses';
    for (const text of texts) for (const range of NAMED_RANGES[text.toLowerCase()] ?? [text]) this.#add(range);
  }

  /** Returns the same proxies, for requests that certainly use TLS. */
  withTls(): TrustedProxies {
    return new TrustedProxies(this.#texts, true);
  }

  /** The address of the caller. `socketAddress`: the address that the request came from; `header`: its `X-Forwarded-For`. */
  callerOf(socketAddress: string, header: string | undefined): string {
    if (this.#mode === 'nobody' || header === undefined) return socketAddress;
    const hops = header.split(',').map((part) => withoutIpv6Prefix(part.trim()));
    if (this.#mode === 'everybody') {
      const [first = ''] = hops;
      return isIP(first) === 0 ? socketAddress : first;
    }
    let caller = socketAddress;
    for (let hop = 0; this.#isTrusted(caller, hop); hop++) {
      const previousHop = hops.pop();
      // If the entry is not an address, its sender is the farthest known address.
      if (previousHop === undefined || isIP(previousHop) === 0) break;
      caller = previousHop;
    }
    return caller;
  }

  /** Whether the caller uses TLS: it is known (`alwaysTls`), or the nearest proxy reports it and is trusted. */
  isTls(socketAddress: string, header: string | undefined): boolean {
    if (this.#alwaysTls) return true;
    if (this.#mode === 'nobody' || header === undefined) return false;
    if (this.#mode !== 'everybody' && !this.#isTrusted(socketAddress, 0)) return false;
    return header.split(',')[0]?.trim().toLowerCase() === 'https';
  }

  #add(range: string): void {
    try {
      this.#addresses.add(range);
    } catch (error) {
      throw new RangeError(`${(error as RangeError).message}, nor loopback or private`);
    }
  }

  #isTrusted(address: string, hop: number): boolean {
    if (this.#mode === 'hops') return hop < this.#hops;
    return this.#addresses.has(address);
  }
}

/** The address; an IPv4 address that is written as IPv6 (`::ffff:…`) is converted to IPv4. */
function withoutIpv6Prefix(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address;
}
