import type { Steps } from '../base/yield-control.ts';
import { ALL } from '../model/api-token.ts';
import { endOfEvent } from './past.ts';
import { endOfValue, isContainer, isMap, listAt, mapAt, textAt } from './skip-value.ts';

// The projects that an entity or an event names. Only this file decides it. `access/visibility.ts` shows an event, or a change of an entity, only to
// callers who may see all of them.

/** A field with the id of a project, or with a list of ids. Fields with other names hold no ids: a test compares this with all collections. */
const PROJECT_FIELD = /^(?:[a-z]{1,20}P|p)roject(?:s|Ids?)?$/;
/** A name that `PROJECT_FIELD` accepts has at most this length. MessagePack stores such a text after one byte, which has its length. */
const NAME_MAX = 31;
const SMALL_P = 0x70;

/** Users name the fields of this field: a strategy may have a parameter `project`. */
const OF_USERS = 'parameters';

/** In every name that `PROJECT_FIELD` accepts. Searched first, because the data of most events names no project. */
const IN_EVERY_NAME = 'roject';

/** Values that are visited between two pauses. */
const STEP_VALUES = 1_024;

const NONE: readonly string[] = [];

/** Whether fields with this name contain ids of projects. */
export function isProjectField(name: string): boolean {
  return PROJECT_FIELD.test(name);
}

/** The projects that the field `project` of an event names. It may have several: `a,b`. Null and `*` name none. */
export function projectsOf(project: string | null): readonly string[] {
  return project === null || project === ALL ? NONE : project.split(',');
}

/** The ids of the projects that an entity names, or the data of an event. */
export function projectsNamedIn(value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting: (readonly [value: unknown, isId: boolean])[] = [[value, false]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [each, isId] = next;
    if (isId && typeof each === 'string' && each !== ALL) found.add(each);
    if (Array.isArray(each)) for (const item of each) waiting.push([item, isId]);
    else if (typeof each === 'object' && each !== null) {
      for (const [name, item] of Object.entries(each))
        if (name !== OF_USERS) waiting.push([item, isProjectField(name)]);
    }
  }
  return found;
}

/** The ids of all projects that a stored event names, in its field `project` and in its data. */
export function* projectsNamedByEvent(bytes: Uint8Array, project: string | null): Steps<readonly string[]> {
  return [...projectsOf(project), ...(yield* projectsInData(bytes, project))];
}

/**
 * The ids of the projects that the data of a stored event names, before and after the change, without those that its field `project` names. Reads the
 * bytes and decodes only these ids: the data may have megabytes. Most events need native searches only: their data is walked only if it seems to name
 * another project.
 */
export function* projectsInData(bytes: Uint8Array, project: string | null): Steps<readonly string[]> {
  const event = Buffer.from(bytes.buffer, bytes.byteOffset, endOfEvent(bytes));
  // The field `project` itself is one of those that are found.
  if (!mayNameOthers(event, project === null ? NONE : [project, ...projectsOf(project)])) return NONE;
  let { count, at } = mapAt(bytes, 2);
  const found = new Set<string>();
  for (; count > 0; count--) {
    const valueAt = endOfValue(bytes, at);
    if (isData(textAt(bytes, at))) yield* addIds(bytes, valueAt, found);
    at = endOfValue(bytes, valueAt);
  }
  for (const own of projectsOf(project)) found.delete(own);
  return found.size === 0 ? NONE : [...found];
}

/**
 * Whether the bytes may have a field that names a project besides `own`. Looks only where a name occurs, and takes a text of a user that looks like a
 * field for one.
 */
function mayNameOthers(data: Buffer, own: readonly string[]): boolean {
  for (let at = data.indexOf(IN_EVERY_NAME); at >= 0; at = data.indexOf(IN_EVERY_NAME, at + 1)) {
    const isWhole = data[at - 1] === SMALL_P;
    // The byte before the name has its length. Before `Project`, the name has more letters.
    for (let head = at - 2; head >= Math.max(0, at - (isWhole ? 2 : NAME_MAX)); head--) {
      const first = data[head] as number;
      const end = head + 1 + (first & 0x1f);
      if ((first & 0xe0) !== 0xa0 || end < at + IN_EVERY_NAME.length || end >= data.length) continue;
      if (isProjectField(data.toString('latin1', head + 1, end)) && namesOthers(data, end, own)) return true;
    }
  }
  return false;
}

/** Whether the value at this position is an id that is not in `own`, or a list with such an id or with something else. */
function namesOthers(data: Buffer, start: number, own: readonly string[]): boolean {
  const first = data[start] as number;
  if (isMap(first)) return false;
  if (!isContainer(first)) return isOther(textAt(data, start), own);
  try {
    let { count, at } = listAt(data, start);
    for (; count > 0; count--) {
      if (isContainer(data[at]) || isOther(textAt(data, at), own)) return true;
      at = endOfValue(data, at);
    }
    return false;
  } catch {
    // This is the text of a user, and no list: only the walk knows.
    return true;
  }
}

const isOther = (id: string | undefined, own: readonly string[]): boolean =>
  id !== undefined && id !== ALL && !own.includes(id);

const isData = (name: string | undefined): boolean => name === 'data' || name === 'preData';

/** Adds what `projectsNamedIn` finds in the value at this position. */
function* addIds(bytes: Uint8Array, start: number, found: Set<string>): Steps<void> {
  /** The containers around the position: how many values are left in each, and whether they are ids. */
  const around: { left: number; readonly isMap: boolean; readonly isId: boolean }[] = [
    { left: 1, isMap: false, isId: false },
  ];
  let [at, visited] = [start, 0];
  for (let inner = around.at(-1); inner; inner = around.at(-1)) {
    if (inner.left-- === 0) {
      around.pop();
      continue;
    }
    let { isId } = inner;
    if (inner.isMap) {
      const name = textAt(bytes, at);
      at = endOfValue(bytes, at);
      if (name === OF_USERS) {
        at = endOfValue(bytes, at);
        continue;
      }
      isId = name !== undefined && isProjectField(name);
    }
    if (isContainer(bytes[at])) {
      const isObject = isMap(bytes[at]);
      const { count, at: first } = isObject ? mapAt(bytes, at) : listAt(bytes, at);
      around.push({ left: count, isMap: isObject, isId: isId && !isObject });
      at = first;
    } else {
      const id = isId ? textAt(bytes, at) : undefined;
      if (id !== undefined && id !== ALL) found.add(id);
      at = endOfValue(bytes, at);
    }
    if (++visited % STEP_VALUES === 0) yield;
  }
}
