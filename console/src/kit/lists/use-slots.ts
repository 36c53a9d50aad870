import { useLayoutEffect, useRef } from 'react';
import { assignSlots, type Slots } from './assign-slots.ts';

/**
 * The React keys of the rows in the document. A row that comes between the same rows as one that left gets its element: to change an element costs
 * the browser less than to make one, and a filter changes all rows at once. A row that stays keeps its element and its place, so that it keeps the focus.
 */
export function useSlots(keys: readonly string[]): Slots {
  const shown = useRef<Slots>(new Map());
  const slots = assignSlots(shown.current, keys);
  useLayoutEffect(() => {
    shown.current = slots;
  });
  return slots;
}
