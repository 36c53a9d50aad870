import { type RefObject, useEffect, useRef } from 'react';

interface FocusAt<Group extends HTMLElement> {
  /** For the element around the rows and the button that adds one, which has `data-adds`. */
  readonly group: RefObject<Group | null>;
  /** Focuses the first field of the row after the next render; the button, if there is no such row. */
  readonly focusAt: (index: number) => void;
}

/** Moves the focus to a row that was added, or to the row that follows a removed one. `rows`: the selector of rows in the group. */
export function useFocusAt<Group extends HTMLElement>(rows: string): FocusAt<Group> {
  const group = useRef<Group>(null);
  const next = useRef<number>(null);
  useEffect(() => {
    const at = next.current;
    next.current = null;
    if (at === null || !group.current) return;
    const row = group.current.querySelectorAll(rows)[at];
    const target = row ? row.querySelector('[role=combobox]') : group.current.querySelector('[data-adds]');
    if (target instanceof HTMLElement) target.focus();
  });
  const focusAt = (index: number) => {
    next.current = index;
  };
  return { group, focusAt };
}
