/** Rounded to one decimal, as days are shown. */
export function tenths(number: number): number {
  return Math.round(number * 10) / 10;
}
