import { useCallback, useEffect, useRef } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useBrowserLocation } from 'wouter/use-browser-location';
import { BASE_PATH } from '../base-path.ts';

/**
 * What is opened over a page (a panel, a dialog) has an entry of its own in the history of the browser, so Back closes what was opened last. Its
 * state says what was opened with it.
 */
interface Entry {
  /** The part of the address; empty for what the address does not show. */
  readonly opened?: string;
}

const entry = (): Entry => (history.state ?? {}) as Entry;
/** Parts of the address that say which panel or dialog is open. */
const NAMES = ['panel', 'ask', 'edit', 'review', 'remove', 'delete', 'disable', 'undo', 'plan', 'create', 'bulk'];

/** The part of a search in an address that says what is open. */
export function openedIn(search: string): string {
  const found = [...new URLSearchParams(search)].filter(([name]) => NAMES.includes(name));
  return found.length === 0 ? '' : `?${new URLSearchParams(found)}`;
}

export const openedSearch = () => openedIn(location.search);

const LONGEST_MS = 1_000;
let returning: ReturnType<typeof setTimeout> | undefined;
const waiting: (() => unknown)[] = [];

function arrived(): void {
  clearTimeout(returning);
  returning = undefined;
  // What waited can go back again, and the rest waits for that.
  while (returning === undefined && waiting.length > 0) waiting.shift()?.();
}

/** Browsers go back later: what changes the address meanwhile waits for it. */
function goBack(then: () => unknown): void {
  waiting.unshift(then);
  returning = setTimeout(arrived, LONGEST_MS);
  history.back();
}

/** Whether the page was reached by Back or Forward. */
let isReturned = false;
export const cameBack = (): boolean => isReturned;

window.addEventListener('popstate', () => {
  isReturned = true;
  arrived();
});

function whenArrived(run: () => void): void {
  if (returning === undefined) run();
  else waiting.push(run);
}

type Navigate = ReturnType<typeof useBrowserLocation>[1];

const navigate: Navigate = (to, options) =>
  whenArrived(() => {
    isReturned = false;
    // A page that was chosen in a dialog takes the place of the dialog.
    const isOver = entry().opened === '';
    const isHere = new URL(String(to), location.href).pathname === location.pathname;
    const state = options?.state ?? (options?.replace && isHere && !isOver ? history.state : null);
    history[isOver || options?.replace ? 'replaceState' : 'pushState'](state, '', to);
  });

/** For the router: addresses change in the order in which they were asked for. */
export const useLocationInOrder: typeof useBrowserLocation = (options) => [useBrowserLocation(options)[0], navigate];

type Changes = Readonly<Record<string, string>>;

function searchWith(changes: Changes): string {
  // The address itself: what was rendered last lacks what other parts have set since.
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  return next.size === 0 ? '' : `?${next}`;
}

const here = (search: string) => location.pathname + search;

/** Sets parts of the address, without an entry in the history. */
export function setInAddress(changes: Changes): void {
  whenArrived(() => history.replaceState(history.state, '', here(searchWith(changes))));
}

function close(name: string, changes: Changes): void {
  const search = searchWith(changes);
  const { pathname } = location;
  const replace = () => history.replaceState(history.state, '', here(search));
  // What is not in the address is over it, and goes with it.
  if (entry().opened === '') goBack(() => close(name, changes));
  else if (entry().opened !== name) replace();
  // Filters that were changed meanwhile stay.
  else goBack(() => location.pathname === pathname && location.search !== search && replace());
}

/** Sets a part of the address that says what is open, and other parts with it. */
export function setOpened(name: string, value: string, also: Changes = {}): void {
  const changes = { ...also, [name]: value };
  whenArrived(() => {
    const before = new URLSearchParams(location.search).get(name) ?? '';
    if (value === '') {
      if (before !== '') close(name, changes);
    } else if (before === '') history.pushState({ opened: name } satisfies Entry, '', here(searchWith(changes)));
    else history.replaceState(history.state, '', here(searchWith(changes)));
  });
}

/** What a part of the address opens, such as a panel. Empty: it is closed. */
export function useOpened(name: string): readonly [string, (value: string) => void] {
  const [params] = useSearchParams();
  const set = useCallback((value: string) => setOpened(name, value), [name]);
  return [params.get(name) ?? '', set];
}

/** One thing of a list that a dialog is about. The address has its key, so that a link opens the dialog again. */
export function useOpenedItem<T>(
  name: string,
  items: readonly T[] | undefined,
  keyOf: (item: T) => string | number,
): readonly [T | null, (item: T | null) => void] {
  const [text, set] = useOpened(name);
  const setItem = useCallback((item: T | null) => set(item === null ? '' : String(keyOf(item))), [set, keyOf]);
  if (text === '') return [null, setItem];
  return [items?.find((item) => String(keyOf(item)) === text) ?? null, setItem];
}

/** For what is open without being in the address: Back closes it. */
export function useClosedByBack(isOpen: boolean, onClose: () => void): void {
  const latest = useRef(onClose);
  useEffect(() => {
    latest.current = onClose;
  });
  useEffect(() => {
    if (!isOpen) return;
    const mine = { opened: '', id: Math.random() };
    const isMine = () => (history.state as typeof mine | null)?.id === mine.id;
    whenArrived(() => history.pushState(mine, '', location.href));
    let isGone = false;
    const onBack = () => {
      if (isMine()) return;
      isGone = true;
      latest.current();
    };
    window.addEventListener('popstate', onBack);
    return () => {
      window.removeEventListener('popstate', onBack);
      whenArrived(() => {
        if (!isGone && isMine()) goBack(() => {});
      });
    };
  }, [isOpen]);
}

/**
 * Panels with addresses of their own beside a list: `open` shows one, in place of another one that is open, and `close` goes back to the list. Filters
 * stay.
 */
export function usePanelPages(list: string) {
  const [, go] = useLocation();
  const open = useCallback(
    (page: string) =>
      go(page + searchWith({ panel: '' }), { replace: entry().opened !== undefined, state: { opened: list } }),
    [go, list],
  );
  const close = useCallback(() => {
    const search = searchWith({ panel: '' });
    const show = () => go(list + search, { replace: true });
    if (entry().opened !== list) show();
    else goBack(() => (location.pathname !== BASE_PATH + list || location.search !== search) && show());
  }, [go, list]);
  return { open, close };
}
