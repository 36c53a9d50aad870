import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { BASE_PATH } from '../base-path.ts';
import { same } from '../domain/same.ts';
import { openedSearch } from './opened.ts';
import { createStore } from './store.ts';

/**
 * What was typed into a form, and is neither saved nor discarded. It is kept in the browser for each person: other screens, Back, a reload, a crash,
 * a new version and the end of a session leave it as it is. Passwords and other secrets never come here: their fields use `useState`.
 */
interface Kept {
  /** When it was typed, from the first key to the last. */
  readonly begun: number;
  readonly at: number;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Fields with secrets, as they are stored: without these. */
  readonly stored?: Readonly<Record<string, unknown>>;
}

const LONGEST_MS = 30 * 24 * 3_600_000;
const FORMS_MAX = 100;
/** In characters. What is longer stays until the page is left, which is asked about. */
const LENGTH_MAX = 500_000;

const forms = createStore<ReadonlyMap<string, Kept>>(new Map());
const unstored = new Set<string>();
/** The beginning of the keys in the storage. Undefined until a person has signed on. */
let prefix: string | undefined;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Set);

/** JSON knows no sets. */
const packed = (_: string, value: unknown) => (value instanceof Set ? { $set: [...value] } : value);
const unpacked = (_: string, value: unknown) =>
  isRecord(value) && Array.isArray(value.$set) ? new Set(value.$set) : value;

const isSame = (a: unknown, b: unknown): boolean =>
  a instanceof Set && b instanceof Set ? same([...a].sort(), [...b].sort()) : same(a, b);

function read(key: string): Kept | undefined {
  try {
    const { begun, at, fields } = JSON.parse(localStorage.getItem(key) ?? '', unpacked) as Partial<Kept>;
    const isRecent = typeof at === 'number' && Date.now() - at < LONGEST_MS;
    return isRecent && typeof begun === 'number' && isRecord(fields) ? { begun, at, fields } : undefined;
  } catch {
    return undefined;
  }
}

/** Reads what the person typed earlier. Called before anything is shown to them. */
export function openKept(user: number): void {
  const wanted = `burgee.typed:${BASE_PATH}:${user}:`;
  if (prefix === wanted) return;
  prefix = wanted;
  let found: [string, Kept][] = [];
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(wanted));
    const all = keys.map((key) => [key, read(key)] as const);
    found = all.filter((one): one is [string, Kept] => one[1] !== undefined).sort(([, a], [, b]) => b.at - a.at);
    found.length = Math.min(found.length, FORMS_MAX);
    const left = new Set(found.map(([key]) => key));
    for (const key of keys) if (!left.has(key)) localStorage.removeItem(key);
  } catch {
    // Storage is forbidden: what is typed lasts until the page is left.
  }
  forms.set(new Map(found.map(([key, kept]) => [key.slice(wanted.length), kept])));
}

function store(form: string, kept: Kept | undefined): void {
  unstored.delete(form);
  try {
    if (kept === undefined) {
      localStorage.removeItem(prefix + form);
      return;
    }
    const { begun, at, fields, stored } = kept;
    const text = JSON.stringify({ begun, at, fields: { ...fields, ...stored } }, packed);
    if (prefix === undefined || text.length > LENGTH_MAX) unstored.add(form);
    else localStorage.setItem(prefix + form, text);
  } catch {
    unstored.add(form);
  }
}

function put(form: string, kept: Kept | undefined): void {
  forms.set((before) => {
    const after = new Map(before);
    if (kept) after.set(form, kept);
    else after.delete(form);
    return after;
  });
  store(form, kept);
}

/** `undefined` ends the field; a form without fields ends. `stored`: the value without its secrets. */
export function keep(form: string, field: string, value: unknown, stored = value): void {
  const before = forms.get().get(form);
  const fields = { ...before?.fields, [field]: value };
  if (value === undefined) delete fields[field];
  const at = Date.now();
  const open = stored === value ? before?.stored : { ...before?.stored, [field]: stored };
  put(
    form,
    Object.keys(fields).length === 0
      ? undefined
      : { begun: before?.begun ?? at, at, fields, ...(open && { stored: open }) },
  );
}

/** After it was saved or discarded. */
export function forget(form: string): void {
  if (forms.get().has(form)) put(form, undefined);
}

export const keptField = (form: string, field: string): unknown => forms.get().get(form)?.fields[field];
export const useKeptForms = () => useSyncExternalStore(forms.subscribe, forms.get);

const isOfKind = (value: unknown, other: unknown): boolean =>
  other === null ||
  other === undefined ||
  value === null ||
  value === undefined ||
  (typeof value === typeof other &&
    Array.isArray(value) === Array.isArray(other) &&
    value instanceof Set === other instanceof Set);

/** Of a record only the fields that differ are kept: the others follow what others save. What another version kept in another form is left out. */
function changed(value: unknown, initial: unknown): unknown {
  if (!isRecord(value) || !isRecord(initial)) return isSame(value, initial) ? undefined : { value };
  const parts = Object.entries(value).filter(([name, part]) => !isSame(part, initial[name]));
  return parts.length === 0 ? undefined : { parts: Object.fromEntries(parts) };
}

function combined<T>(kept: unknown, initial: T): T {
  const { value, parts } = (kept ?? {}) as { readonly value?: unknown; readonly parts?: unknown };
  if (isRecord(initial) && isRecord(parts)) {
    const known = Object.entries(parts).filter(([name, part]) => isOfKind(part, initial[name]));
    return { ...initial, ...Object.fromEntries(known) };
  }
  return isRecord(kept) && 'value' in kept && isOfKind(value, initial) ? (value as T) : initial;
}

/** The form that the address shows: the panel or the dialog that is open in it. It stays the same while the address changes. */
export function useFormKey(form?: string): string {
  const [address] = useState(() => location.pathname.slice(BASE_PATH.length) + openedSearch());
  return form ?? address;
}

/**
 * As `useState`, for what a person types or chooses in a form: it is kept. Without a name, the form is the one that the address shows. `open` leaves
 * out secrets, which last as long as the form is shown.
 */
export function useKept<T>(field: string, first: T | (() => T), form?: string, open?: (value: T) => T) {
  const key = useFormKey(form);
  const [made] = useState(first);
  const initial = typeof first === 'function' ? made : first;
  const kept = useSyncExternalStore(forms.subscribe, () => keptField(key, field));
  const value = useMemo(() => combined(kept, initial), [kept, initial]);
  const latest = useRef(initial);
  const withoutSecrets = useRef(open);
  latest.current = initial;
  withoutSecrets.current = open;
  const set = useCallback(
    (next: T | ((before: T) => T)) => {
      const before = combined(keptField(key, field), latest.current);
      const after = typeof next === 'function' ? (next as (before: T) => T)(before) : next;
      const { current } = latest;
      const value = changed(after, current);
      const leave = withoutSecrets.current;
      keep(key, field, value, leave ? changed(leave(after), current) : value);
    },
    [key, field],
  );
  useEffect(() => {
    if (!withoutSecrets.current) return;
    return () => {
      const stored = forms.get().get(key)?.stored;
      if (stored) keep(key, field, stored[field]);
    };
  }, [key, field]);
  return [value, set] as const;
}

/** When the text was typed that a form found when it was opened; null if it found none, or it is gone. */
export function useRestored(form?: string): number | null {
  const key = useFormKey(form);
  const [found] = useState(() => forms.get().get(key));
  const begun = useSyncExternalStore(forms.subscribe, () => forms.get().get(key)?.begun);
  return found && found.begun === begun ? found.at : null;
}

/** The browser asks before the page is left with what could not be stored. */
window.addEventListener('beforeunload', (event) => {
  if (unstored.size > 0) event.preventDefault();
});
