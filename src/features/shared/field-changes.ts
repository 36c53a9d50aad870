import { isSameJson } from '../../base/same-json.ts';

/** A field that differs between two states of an entity. */
export interface FieldChange {
  /** A JSON pointer. The elements of lists of objects are named by their id or name, not by their index. `''` is the entity itself. */
  readonly path: string;
  /** Missing if there was none. */
  readonly before?: unknown;
  /** Missing if there is none. */
  readonly after?: unknown;
}

/** A field that was changed again after the change that is to be undone. */
export interface FieldConflict extends FieldChange {
  /** The field as it is now. Missing if there is none. */
  readonly current?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;
type Elements = ReadonlyMap<string, unknown>;

/** The fields that differ, each with both values. A list of objects with names is compared by element; every other list is one value. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const changes: FieldChange[] = [];
  addChanges(before, after, '', changes);
  return changes;
}

function addChanges(before: unknown, after: unknown, path: string, changes: FieldChange[]): void {
  if (isSameJson(before, after) || (before === undefined && after === undefined)) return;
  const members = commonMembers(before, after);
  if (!members) {
    changes.push({ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) });
    return;
  }
  const [left, right] = members as [Elements, Elements];
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    addChanges(left.get(name), right.get(name), `${path}/${pointerToken(name)}`, changes);
  }
  if (!Array.isArray(before) || !Array.isArray(after)) return;
  const kept = (names: Elements, others: Elements) => [...names.keys()].filter((name) => others.has(name));
  const [orderBefore, orderAfter] = [kept(left, right), kept(right, left)];
  if (!isSameJson(orderBefore, orderAfter)) {
    changes.push({ path: `${path}/#order`, before: orderBefore, after: orderAfter });
  }
}

/**
 * The current value without the change from `before` to `after`: each field that the change concerned gets its value from before. A field that was
 * changed again is added to `conflicts` and stays as it is.
 */
export function withoutChange(
  before: unknown,
  after: unknown,
  current: unknown,
  conflicts: FieldConflict[],
  path = '',
): unknown {
  if (isSameValue(before, after) || isSameValue(current, before)) return current;
  if (isSameValue(current, after)) return before;
  const members = commonMembers(before, after, current);
  if (!members) {
    conflicts.push({
      path,
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
      ...(current !== undefined && { current }),
    });
    return current;
  }
  const [old, changed, now] = members as [Elements, Elements, Elements];
  const merged = new Map<string, unknown>();
  for (const name of orderOf(old, changed, now)) {
    const inner = `${path}/${pointerToken(name)}`;
    const value = withoutChange(old.get(name), changed.get(name), now.get(name), conflicts, inner);
    if (value !== undefined) merged.set(name, value);
  }
  return Array.isArray(current) ? [...merged.values()] : Object.fromEntries(merged);
}

/** The names in the order that the undone value has: the one from before if the order was not changed again, otherwise the current one. */
function orderOf(before: Elements, after: Elements, current: Elements): ReadonlySet<string> {
  const isUnchanged = isSameJson([...current.keys()], [...after.keys()]);
  return isUnchanged ? new Set([...before.keys(), ...current.keys()]) : new Set([...current.keys(), ...before.keys()]);
}

function isSameValue(left: unknown, right: unknown): boolean {
  return left === undefined || right === undefined ? left === right : isSameJson(left, right);
}

/** The members of all values, by name, if all are objects or all are lists of named objects. */
function commonMembers(...values: readonly unknown[]): Elements[] | undefined {
  if (values.every(isFields)) return values.map((value) => new Map(Object.entries(value as Fields)));
  if (!values.every(Array.isArray)) return undefined;
  const members = values.map(namedElements);
  return members.every((one) => one !== undefined) ? members : undefined;
}

function isFields(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The elements by name; undefined if an element has none, or if two have the same. */
function namedElements(list: readonly unknown[]): Elements | undefined {
  const elements = new Map<string, unknown>();
  for (const item of list) {
    const name = isFields(item) ? nameOf(item as Fields) : undefined;
    if (name === undefined || elements.has(name)) return undefined;
    elements.set(name, item);
  }
  return elements;
}

/**
 * Settings have an environment, a permission its name and perhaps an environment, a strategy and a link have an id, a dependency has the name of a flag,
 * a tag its type and value, a variant a name, a legal value itself.
 */
function nameOf({ environment, id, feature, type, value, name, contextName }: Fields): string | undefined {
  if (contextName !== undefined) return undefined;
  if (typeof environment === 'string') return typeof name === 'string' ? `${name} ${environment}` : environment;
  if (typeof id === 'string') return id;
  if (typeof feature === 'string') return feature;
  if (typeof type === 'string' && typeof value === 'string') return `${type}:${value}`;
  if (typeof name === 'string') return name;
  return typeof value === 'string' ? value : undefined;
}

function pointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
