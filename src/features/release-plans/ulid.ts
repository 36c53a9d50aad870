/** The digits of ULIDs (https://github.com/ulid/spec). */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** An ULID with this time, and with 80 of the random bits of the UUID. Pure, so that every decision of a command gives the same ids. */
export function ulidOf(now: string, uuid: string): string {
  const hex = uuid.replaceAll('-', '');
  // The other bits of a UUID are not all random: they contain its version and variant.
  const random = BigInt(`0x${hex.slice(18)}${hex.slice(0, 6)}`);
  return digits(BigInt(Date.parse(now)), 10) + digits(random, 16);
}

function digits(value: bigint, count: number): string {
  let text = '';
  for (let rest = value, at = 0; at < count; at++, rest >>= 5n) text = DIGITS.charAt(Number(rest & 31n)) + text;
  return text;
}
