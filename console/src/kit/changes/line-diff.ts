export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Above this many cells a comparison would block the page: everything between the equal ends is then shown as replaced. */
const CELLS_MAX = 4_000_000;

/** The lines of two texts: those that both have once, in order (longest common subsequence), and the others. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [
    ...before.slice(0, start).map(same),
    ...between(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function between(before: readonly string[], after: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  const width = after.length + 1;
  if ((before.length + 1) * width > CELLS_MAX) return [...before.map(removed), ...after.map(added)];
  const lengths = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let [left, right] = [0, 0];
  while (left < before.length || right < after.length) {
    const [one, other] = [before[left], after[right]];
    if (one !== undefined && one === other) {
      lines.push({ kind: 'same', text: one });
      left++;
      right++;
    } else if (one !== undefined && (other === undefined || at(left + 1, right) >= at(left, right + 1))) {
      lines.push(removed(one));
      left++;
    } else if (other !== undefined) {
      lines.push(added(other));
      right++;
    }
  }
  return lines;

  function at(row: number, column: number): number {
    return lengths[row * width + column] ?? 0;
  }
}

/** For each pair of ends, how many lines they have in common in order. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      const diagonal = lengths[(row + 1) * width + column + 1] ?? 0;
      const below = lengths[(row + 1) * width + column] ?? 0;
      const beside = lengths[row * width + column + 1] ?? 0;
      lengths[row * width + column] = before[row] === after[column] ? diagonal + 1 : Math.max(below, beside);
    }
  }
  return lengths;
}
