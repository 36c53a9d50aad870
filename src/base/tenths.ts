/** Rounded to one decimal, as people are told of days. */
export function tenths(number: number): number {
  return Math.round(number * 10) / 10;
}
