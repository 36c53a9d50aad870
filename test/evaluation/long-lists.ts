import type { Variant } from '../../src/model/variant.ts';

export const texts = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `${'a'.repeat(length)}${index}`);

const many = (count: number, entry: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => entry(index)).join(',');

/** Lists in the parameters of strategies, about as long as a definition can be. */
export const LONG_LISTS: readonly [what: string, name: string, parameters: Record<string, string>][] = [
  ['addresses that are all the same', 'remoteAddress', { IPs: '::,'.repeat(80_000) }],
  ['addresses of IPv6', 'remoteAddress', { IPs: many(20_000, (index) => `::${index.toString(16)}`) }],
  ['ranges', 'remoteAddress', { IPs: many(15_000, (index) => `10.${index >> 8}.${index & 255}.0/24`) }],
  ['ids', 'userWithId', { userIds: many(50_000, (index) => index.toString(36)) }],
  ['names of machines', 'applicationHostname', { hostNames: many(50_000, (index) => `Ä${index.toString(36)}`) }],
];

/** Variants with 50,000 values of overrides. */
export function manyOverrides(): Variant[] {
  return Array.from({ length: 50 }, (_, at) => ({
    name: `v${at}`,
    weight: 20,
    overrides: [{ contextName: `field-${at}`, values: texts(1_000, 3).map((text) => `${text}${at}`) }],
  }));
}
