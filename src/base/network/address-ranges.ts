import { BlockList, isIP } from 'node:net';

/** A set of IPv4 and IPv6 addresses and ranges. */
export class AddressRanges {
  readonly #list = new BlockList();

  /** @throws RangeError when a text is neither an address nor a range. The message shows only the beginning of a long text. */
  constructor(texts: readonly string[] = []) {
    for (const text of texts) this.add(text);
  }

  /** @throws RangeError */
  add(text: string): void {
    const [address = '', bits, rest] = text.split('/');
    const version = isIP(address);
    const width = version === 4 ? 32 : 128;
    const isValidWidth = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width);
    if (version === 0 || rest !== undefined || !isValidWidth)
      throw new RangeError(`"${text.slice(0, 50)}" is neither an address nor a range of addresses`);
    this.#list.addSubnet(address, bits === undefined ? width : Number(bits), version === 4 ? 'ipv4' : 'ipv6');
  }

  has(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  }
}

/** The addresses that may call: all addresses or the addresses of a list, except the addresses of a second list. */
export class AllowedAddresses {
  readonly #allowed: AddressRanges | undefined;
  readonly #denied: AddressRanges;

  /** An empty list of allowed addresses means all. @throws RangeError */
  constructor(allowed: readonly string[], denied: readonly string[]) {
    this.#allowed = allowed.length > 0 ? new AddressRanges(allowed) : undefined;
    this.#denied = new AddressRanges(denied);
  }

  has(address: string): boolean {
    return (this.#allowed?.has(address) ?? true) && !this.#denied.has(address);
  }
}
