/** The number rounded to one decimal, for numbers of days. */
export function tenths(number: number): number {
  return Math.round(number * 10) / 10;
}
