import { useLayoutEffect, useRef } from 'react';
import { assignSlots, type Slots } from './assign-slots.ts';

/**
 * The React keys of the rows in the document. A row that comes between the same rows as one that left gets its element: to change an element costs
 * the browser less than to make one, and a filter changes all rows at once. A row that stays keeps its element and its place, so that it keeps the focus. The element of
 * the active row, which may have the focus, is of no other row. What else a cell keeps in its state, another row can get.
 */
export function useSlots(keys: readonly string[], active: string | undefined): Slots {
  const shown = useRef<{ readonly slots: Slots; readonly active: string | undefined }>({ slots: new Map(), active });
  const slots = assignSlots(shown.current.slots, keys, shown.current.active);
  useLayoutEffect(() => {
    shown.current = { slots, active };
  });
  return slots;
}
