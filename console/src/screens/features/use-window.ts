import { type RefObject, useLayoutEffect, useState } from 'react';

/** Rows above and below the visible ones, so that fast scrolling shows no gaps. */
const EXTRA = 12;

export interface RowWindow {
  readonly first: number;
  readonly last: number;
}

/** The rows of a scrolling element that have to be in the document, for rows of one height. */
export function useWindow(scroller: RefObject<HTMLElement | null>, count: number, rowHeight: number): RowWindow {
  const [range, setRange] = useState<RowWindow>({ first: 0, last: EXTRA * 4 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const update = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - EXTRA);
      const last = Math.min(count, Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + EXTRA);
      // Steps of some rows: most scroll events then render nothing.
      const step = EXTRA / 2;
      const next = { first: Math.floor(first / step) * step, last: Math.min(count, Math.ceil(last / step) * step) };
      setRange((before) => (before.first === next.first && before.last === next.last ? before : next));
    };
    update();
    element.addEventListener('scroll', update, { passive: true });
    const observer = new ResizeObserver(update);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', update);
      observer.disconnect();
    };
  }, [scroller, count, rowHeight]);
  return range;
}
