import { type FocusEvent, type KeyboardEvent, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

interface GridKeys {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly rowCount: number;
  readonly columnCount: number;
  readonly rowHeight: number;
  readonly headerHeight: number;
  /** `x` selects the row. */
  readonly onToggle: (index: number) => void;
  /** `e` opens the row. */
  readonly onOpen: (index: number) => void;
}

/** The control of a cell. A cell of which the row has no control has none: the name of the row is focused in its place. */
const controlIn = (scroller: HTMLElement, row: number, column: number): HTMLElement | null => {
  const cells = scroller.querySelector(`[data-index="${row}"]`);
  const of = (at: number) => cells?.querySelector<HTMLElement>(`[data-column="${at}"] :is(a, input)`) ?? null;
  return of(column) ?? of(1);
};

const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowDown: [1, 0],
  j: [1, 0],
  ArrowUp: [-1, 0],
  k: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

/** One tab stop for the whole grid: arrows (or `j` and `k`) move between its controls. */
export function useGridKeys({ scroller, rowCount, columnCount, rowHeight, headerHeight, onToggle, onOpen }: GridKeys) {
  const [at, setAt] = useState({ row: 0, column: 1 });
  const isFocusDue = useRef(false);
  const row = Math.min(at.row, Math.max(0, rowCount - 1));

  const show = useCallback(
    (index: number) => {
      const element = scroller.current;
      if (!element) return;
      const top = index * rowHeight;
      const visible = element.clientHeight - headerHeight;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + rowHeight > element.scrollTop + visible) element.scrollTop = top + rowHeight - visible;
    },
    [scroller, rowHeight, headerHeight],
  );

  const focusNow = useCallback(() => {
    if (!isFocusDue.current || !scroller.current) return;
    const control = controlIn(scroller.current, row, at.column);
    if (!control) return;
    isFocusDue.current = false;
    control.focus({ preventScroll: true });
  }, [scroller, row, at.column]);
  useLayoutEffect(focusNow);
  useEffect(focusNow);

  const move = (rows: number, column: number) => {
    const next = Math.min(Math.max(rows, 0), rowCount - 1);
    isFocusDue.current = true;
    setAt({ row: next, column: Math.min(Math.max(column, 0), columnCount - 1) });
    show(next);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || rowCount === 0) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
    const step = STEPS[event.key];
    if (step) move(row + step[0], at.column + step[1]);
    else if (event.key === 'PageDown') move(row + page, at.column);
    else if (event.key === 'PageUp') move(row - page, at.column);
    else if (event.key === 'Home') move(0, at.column);
    else if (event.key === 'End') move(rowCount - 1, at.column);
    else if (event.key === 'x') onToggle(row);
    else if (event.key === 'e') onOpen(row);
    else return;
    event.preventDefault();
  };

  const onFocus = (event: FocusEvent) => {
    const index = event.target.closest<HTMLElement>('[data-index]')?.dataset.index;
    const column = event.target.closest<HTMLElement>('[data-column]')?.dataset.column;
    if (index !== undefined && column !== undefined) setAt({ row: Number(index), column: Number(column) });
  };

  return { row, column: at.column, onKeyDown, onFocus };
}
