import { isIP } from 'node:net';
import { AddressRanges } from './address-ranges.ts';

/** Address ranges that have a name in `TRUSTED_PROXIES`. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'],
};

/**
 * Whose `X-Forwarded-For` (and `X-Forwarded-Proto`) is trusted, by `TRUSTED_PROXIES`: no sender (empty, or `false`); every sender (`true`: the first address
 * is used, which any caller can forge); a number of proxies in a row (a number); or proxies at specific addresses (addresses,
 * ranges, `loopback`, `private`): the nearest address that is not one of them is used.
 */
export class TrustedProxies {
  readonly #mode: 'nobody' | 'everybody' | 'hops' | 'addresses';
  readonly #hops: number = 0;
  readonly #addresses = new AddressRanges();

  readonly #alwaysTls: boolean;
  readonly #texts: readonly string[];

  /**
   * `alwaysTls`: it is known otherwise that callers use TLS.
   * @throws RangeError for text that is none of these
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
    for (const text of texts) for (const range of NAMED[text.toLowerCase()] ?? [text]) this.#add(range);
  }

  /** The same proxies, for requests that are known to have come by TLS. */
  withTls(): TrustedProxies {
    return new TrustedProxies(this.#texts, true);
  }

  /** The caller's address, of a request that came from `socketAddress` with this `X-Forwarded-For`. */
  callerOf(socketAddress: string, header: string | undefined): string {
    if (this.#mode === 'nobody' || header === undefined) return socketAddress;
    const hops = header.split(',').map((part) => plain(part.trim()));
    if (this.#mode === 'everybody') {
      const [first = ''] = hops;
      return isIP(first) === 0 ? socketAddress : first;
    }
    let caller = socketAddress;
    for (let hop = 0; this.#believes(caller, hop); hop++) {
      const before = hops.pop();
      // The sender of anything else is the farthest that is known.
      if (before === undefined || isIP(before) === 0) break;
      caller = before;
    }
    return caller;
  }

  /** Whether the caller uses TLS: because it is known, or because the nearest proxy, if it is trusted, reports it. */
  isTls(socketAddress: string, header: string | undefined): boolean {
    if (this.#alwaysTls) return true;
    if (this.#mode === 'nobody' || header === undefined) return false;
    if (this.#mode !== 'everybody' && !this.#believes(socketAddress, 0)) return false;
    return header.split(',')[0]?.trim().toLowerCase() === 'https';
  }

  #add(range: string): void {
    try {
      this.#addresses.add(range);
    } catch (error) {
      throw new RangeError(`${(error as RangeError).message}, nor loopback or private`);
    }
  }

  #believes(address: string, hop: number): boolean {
    if (this.#mode === 'hops') return hop < this.#hops;
    return this.#addresses.has(address);
  }
}

/** IPv4 as itself, though it be written as IPv6. */
function plain(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address;
}
