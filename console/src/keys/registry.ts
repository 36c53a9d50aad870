import { createContext, useContext, useEffect, useId, useRef, useSyncExternalStore } from 'react';

/** One shortcut. Every key that the console handles outside of a control is here, so that the map of keys is never wrong. */
export interface Shortcut {
  /** `mod+k`, `?`, `x`, or a sequence: `g f`. `mod` is ⌘ on Apple systems and Ctrl elsewhere. */
  readonly keys: string;
  /** What it does, for the map of keys. */
  readonly label: string;
  /** The heading in the map of keys. */
  readonly group: string;
  readonly run: (event: KeyboardEvent) => void;
}

interface Registered {
  readonly shortcut: Shortcut;
  readonly scope: string;
}

const SEQUENCE_MS = 1200;
const SINGLE_KEYS = 'burgee.single-keys';
const PAGE = 'page';

/** Dialogs have a scope of their own: only the shortcuts of the innermost open one are heard. */
export const KeyScope = createContext(PAGE);

const registered = new Map<string, Registered>();
const scopes: string[] = [PAGE];
const listeners = new Set<() => void>();
let shown: readonly Shortcut[] = [];
let pending: { readonly key: string; readonly at: number } | undefined;
let singleKeys: boolean | undefined;

function changed(): void {
  shown = [...registered.values()].map(({ shortcut }) => shortcut);
  for (const listener of listeners) listener();
}

/** Whether keys without a modifier are heard. People who dictate, or whose keyboard repeats, turn them off. */
export function hasSingleKeys(): boolean {
  if (singleKeys === undefined) {
    let stored: string | null = null;
    try {
      stored = localStorage.getItem(SINGLE_KEYS);
    } catch {
      // Storage is forbidden: the choice lasts until the page is reloaded.
    }
    singleKeys = stored !== 'off';
  }
  return singleKeys;
}

export function setSingleKeys(isOn: boolean): void {
  singleKeys = isOn;
  try {
    localStorage.setItem(SINGLE_KEYS, isOn ? 'on' : 'off');
  } catch {
    // As above.
  }
  changed();
}

/** What a key event is called here: `mod+k`, `shift+x`, `?`. */
function keyName(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): string {
  const key = event.key === ' ' ? 'space' : event.key.toLowerCase();
  // The shift of "?" is part of the character, and so are the modifiers of "[" on keyboards that have no key for it.
  const isSign = key.length === 1 && !/[\p{L}\p{N}]/u.test(key);
  const isShifted = event.shiftKey && (key.length > 1 || /\p{L}/u.test(key));
  const isAlt = event.altKey && !isSign;
  const isMod = (event.ctrlKey && !(isSign && event.altKey)) || event.metaKey;
  const parts = [isMod ? 'mod' : '', isAlt ? 'alt' : '', isShifted ? 'shift' : '', key];
  return parts.filter(Boolean).join('+');
}

/** Whether what is typed goes into a control. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.shadowRoot) return true;
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|submit|range)$/.test(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

function isSingle(keys: string): boolean {
  return !/^(mod|alt)\+/.test(keys) && !/^(escape|f\d+)$/.test(keys);
}

function find(keys: string): Shortcut | undefined {
  const scope = scopes.at(-1);
  // The latest wins: what is shown last is nearest.
  return [...registered.values()].reverse().find((each) => each.scope === scope && each.shortcut.keys === keys)
    ?.shortcut;
}

/** Handles a key of the page. Registered once. */
export function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const name = keyName(event);
  if (name === 'mod+enter' && submitForm(event)) return;
  const isHeld = pending !== undefined && event.timeStamp - pending.at < SEQUENCE_MS;
  const keys = isHeld && pending ? `${pending.key} ${name}` : name;
  const silent = isSingle(name) && (isTyping(event.target) || !hasSingleKeys());
  pending = undefined;
  if (silent) return;
  const shortcut = find(keys) ?? find(name);
  if (shortcut) {
    event.preventDefault();
    shortcut.run(event);
  } else if (startsSequence(name)) {
    pending = { key: name, at: event.timeStamp };
  }
}

export const hasShortcut = (keys: string): boolean => find(keys) !== undefined;

/** Does what a key of the page does now, if it does anything. */
export const runShortcut = (keys: string): void => find(keys)?.run(new KeyboardEvent('keydown'));

/** Ctrl Enter and ⌘ Enter in a form of the page submit it. */
function submitForm(event: KeyboardEvent): boolean {
  const form = event.target instanceof Element && event.target.closest('form');
  if (!form) return false;
  event.preventDefault();
  form.requestSubmit();
  return true;
}

function startsSequence(name: string): boolean {
  const scope = scopes.at(-1);
  return [...registered.values()].some((each) => each.scope === scope && each.shortcut.keys.startsWith(`${name} `));
}

/** Registers a shortcut while the component is shown. Without one, registers nothing. */
export function useShortcut(shortcut: Shortcut | undefined): void {
  const id = useId();
  const scope = useContext(KeyScope);
  const latest = useRef(shortcut);
  useEffect(() => {
    latest.current = shortcut;
  });
  const { keys, label, group } = shortcut ?? {};
  useEffect(() => {
    if (keys === undefined || label === undefined || group === undefined) return;
    registered.set(id, { scope, shortcut: { keys, label, group, run: (event) => latest.current?.run(event) } });
    changed();
    return () => {
      registered.delete(id);
      changed();
    };
  }, [id, scope, keys, label, group]);
}

/** Makes a dialog the innermost scope while it is open. */
export function useKeyScope(): string {
  const scope = useId();
  useEffect(() => {
    scopes.push(scope);
    return () => {
      scopes.splice(scopes.lastIndexOf(scope), 1);
    };
  }, [scope]);
  return scope;
}

/** All shortcuts that are registered now, for the map of keys. */
export function useShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(subscribe, () => shown);
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore(subscribe, hasSingleKeys);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
