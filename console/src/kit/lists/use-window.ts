import { type RefObject, useCallback, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';

export interface Windowed {
  /** The first row in the document, and the one after the last. */
  readonly start: number;
  readonly end: number;
  readonly rowHeight: number;
  /** Scrolls just far enough that a row is in view. */
  readonly reveal: (index: number) => void;
}

/** Rows above and below what is in view: a fast scroll shows no blank ones. */
const OVERSCAN = 12;

/** Which of many rows of one height are in the document. The height is the token --row, which depends on the density. */
export function useWindow(scroller: RefObject<HTMLElement | null>, count: number, topPx: number): Windowed {
  const [{ start, end, rowHeight }, setRange] = useState({ start: 0, end: Math.min(count, 40), rowHeight: 36 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let height = 0;
    const measure = () => {
      const first = Math.floor(element.scrollTop / height);
      // In steps, so that most scroll events change nothing.
      const from = Math.max(0, Math.floor((first - OVERSCAN) / 4) * 4);
      const to = Math.min(count, Math.ceil((first + element.clientHeight / height + OVERSCAN) / 4) * 4);
      setRange((range) =>
        range.start === from && range.end === to && range.rowHeight === height
          ? range
          : { start: from, end: to, rowHeight: height },
      );
    };
    // Not while it scrolls: reading a style makes the browser compute all of them.
    const resize = () => {
      height = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) || 36;
      measure();
    };
    // Scroll events come before the frame is painted: rows that are rendered at once are in the same frame.
    const onScroll = () => flushSync(measure);
    resize();
    element.addEventListener('scroll', onScroll, { passive: true });
    const observer = new ResizeObserver(resize);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', onScroll);
      observer.disconnect();
    };
  }, [scroller, count]);
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
