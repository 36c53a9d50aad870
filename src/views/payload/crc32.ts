/**
 * Combines CRC-32 values of neighbouring byte sequences: `crc(a ++ b)` from `crc(a)`, `crc(b)` and the length of b, without the bytes.
 * A CRC is a polynomial over GF(2) modulo P; appending n zero bytes multiplies it by x^(8n) mod P.
 */
const POLYNOMIAL = 0xedb88320;

/** a·b mod P, coefficients reflected: bit 31 is x⁰. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1;
  }
  return product >>> 0;
}

/** x^(2^k) mod P for k = 0, 1, 2, … */
const SQUARES: number[] = [];
for (let k = 0, power = 0x40000000; k < 64; k++, power = multiply(power, power)) SQUARES.push(power);

/** x^(8·lengthBytes) mod P: the factor for a CRC when this many bytes follow. It is expensive, so store it with the bytes. */
export function crcShift(lengthBytes: number): number {
  let result = 0x80000000;
  let rest = lengthBytes;
  for (let k = 3; rest > 0; k++, rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = multiply(SQUARES[k] ?? 0, result);
  }
  return result >>> 0;
}

/** The CRC of some bytes, and the factor for the CRC of the bytes before them. Two such sums can be combined. */
export interface CrcSum {
  readonly crc: number;
  /** `crcShift` of the number of bytes. */
  readonly shift: number;
}

export const NO_BYTES: CrcSum = { crc: 0, shift: crcShift(0) };

/** The sum of the bytes of `a` followed by the bytes of `b`. */
export function crcCombine(a: CrcSum, b: CrcSum): CrcSum {
  return { crc: (multiply(b.shift, a.crc) ^ b.crc) >>> 0, shift: multiply(a.shift, b.shift) };
}
