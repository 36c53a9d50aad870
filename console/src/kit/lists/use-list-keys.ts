import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { hasSingleKeys } from '../../keys/registry.ts';

export interface ListKeysOptions {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly count: number;
  readonly keyAt: (index: number) => string;
  /** Brings a row into the document and into view, where rows are windowed. */
  readonly reveal: ((index: number) => void) | undefined;
  readonly onOpen: (index: number) => void;
  readonly selected: ReadonlySet<string> | undefined;
  readonly onToggle: (keys: readonly string[], isOn: boolean) => void;
}

export interface ListKeys {
  /** The row that is the tab stop. */
  readonly active: number;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocus: (event: FocusEvent) => void;
  readonly focusActive: () => void;
}

const PAGE_ROWS = 10;

/** One tab stop for a list: up, down, `j`, `k` move between rows, left and right between a row's controls; `x` selects, Enter opens. */
export function useListKeys(options: ListKeysOptions): ListKeys {
  const { scroller, count, reveal } = options;
  const [at, setAt] = useState({ index: 0, key: '' });
  const isMoving = useRef(false);
  const active = indexOf(at, options);

  // After the row is in the document.
  useLayoutEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${active}"]`);
    row?.focus({ preventScroll: reveal !== undefined });
    if (!reveal) row?.scrollIntoView({ block: 'nearest' });
  });

  const moveTo = (index: number) => {
    const next = Math.min(Math.max(0, index), count - 1);
    if (next < 0) return;
    isMoving.current = true;
    setAt({ index: next, key: options.keyAt(next) });
    reveal?.(next);
  };
  const toggle = () => {
    if (!options.selected || active >= count) return;
    const key = options.keyAt(active);
    options.onToggle([key], !options.selected.has(key));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const row = target.closest<HTMLElement>('[data-row]');
    if (!row || event.ctrlKey || event.metaKey || event.altKey || isTextInput(target)) return;
    const isRow = target === row;
    if (!hasSingleKeys() && /^[a-z]$/i.test(event.key)) return;
    const action = {
      ArrowDown: () => move(event, active + 1),
      ArrowUp: () => move(event, active - 1),
      j: () => moveTo(active + 1),
      k: () => moveTo(active - 1),
      Home: () => moveTo(0),
      End: () => moveTo(count - 1),
      PageDown: () => moveTo(active + PAGE_ROWS),
      PageUp: () => moveTo(active - PAGE_ROWS),
      ArrowRight: () => moveInRow(row, target, 1),
      ArrowLeft: () => moveInRow(row, target, -1),
      Escape: isRow ? undefined : () => row.focus(),
      x: options.selected && toggle,
      ' ': isRow && options.selected ? toggle : undefined,
      Enter: isRow ? () => options.onOpen(active) : undefined,
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  const move = (event: KeyboardEvent, index: number) => {
    const both = [active, index].filter((each) => each >= 0 && each < count);
    if (event.shiftKey && options.selected) options.onToggle(both.map(options.keyAt), true);
    moveTo(index);
  };
  const onFocus = (event: FocusEvent) => {
    const row = (event.target as Element).closest<HTMLElement>('[data-row]');
    if (!row) return;
    const index = Number(row.dataset.row);
    if (index !== active) setAt({ index, key: options.keyAt(index) });
  };
  return { active, onKeyDown, onFocus, focusActive: () => moveTo(active) };
}

/** The active row follows its key when rows before it come or go. */
function indexOf({ index, key }: { readonly index: number; readonly key: string }, options: ListKeysOptions): number {
  const { count, keyAt } = options;
  if (count === 0) return 0;
  if (key === '' || (index < count && keyAt(index) === key)) return index;
  for (let other = 0; other < count; other++) if (keyAt(other) === key) return other;
  return Math.min(index, count - 1);
}

function isTextInput(element: HTMLElement): boolean {
  return element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && element.type === 'text');
}

function moveInRow(row: HTMLElement, from: HTMLElement, step: number): void {
  const controls = [...row.querySelectorAll<HTMLElement>('a[href], button, input')].filter(
    (control) => control.offsetParent !== null,
  );
  const stops = [row, ...controls];
  stops[Math.min(Math.max(0, stops.indexOf(from) + step), stops.length - 1)]?.focus();
}
