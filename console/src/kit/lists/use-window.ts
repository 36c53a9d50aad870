import { type RefObject, startTransition, useCallback, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';

interface Range {
  /** The first row in the document, and the one after the last; the list may be shorter. */
  readonly start: number;
  readonly end: number;
  readonly rowHeight: number;
}

export interface Windowed extends Range {
  /** Scrolls just far enough that a row is in view. */
  readonly reveal: (index: number) => void;
}

/** Rows above and below what is in view: a fast scroll shows no blank ones. */
const OVERSCAN = 4;
const ROW_PX = 36;

/** Before anything is measured: no list is higher than the window. */
const firstRange = (): Range => ({ start: 0, end: Math.ceil(innerHeight / ROW_PX), rowHeight: ROW_PX });

/** Which of many rows of one height are in the document. The height is the token --row, which depends on the density, and on the lines of a row. */
export function useWindow(
  scroller: RefObject<HTMLElement | null>,
  isUsed: boolean,
  topPx: number,
  lines: number,
): Windowed {
  const [{ start, end, rowHeight }, setRange] = useState(firstRange);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other lines are another height, which is read again.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !isUsed) return;
    let height = ROW_PX;
    const measure = () => {
      const first = Math.floor(element.scrollTop / height);
      // Row by row: several rows in one frame and none in the next would cost the longest frame more.
      const from = Math.max(0, first - OVERSCAN);
      const to = Math.ceil(first + element.clientHeight / height + OVERSCAN);
      setRange((range) =>
        range.start === from && range.end === to && range.rowHeight === height
          ? range
          : { start: from, end: to, rowHeight: height },
      );
    };
    // Scroll events come before the frame is painted: rows that are rendered at once are in the same frame.
    const onScroll = () => flushSync(measure);
    element.addEventListener('scroll', onScroll, { passive: true });
    // It is called first when the list is laid out, and never while it scrolls: reading a style makes the browser compute all of them.
    const observer = new ResizeObserver(() => {
      height = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) || ROW_PX;
      startTransition(measure);
    });
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', onScroll);
      observer.disconnect();
    };
  }, [scroller, isUsed, lines]);
  const reveal = useCallback(
    (index: number) => {
      const element = scroller.current;
      if (!element) return;
      const top = index * rowHeight;
      const bottom = top + rowHeight + topPx - element.clientHeight;
      if (element.scrollTop > top) element.scrollTop = top;
      else if (element.scrollTop < bottom) element.scrollTop = bottom;
    },
    [scroller, rowHeight, topPx],
  );
  return { start, end, rowHeight, reveal };
}
