import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { cameBack } from '../../data/opened.ts';

/** How far the lists of this visit are scrolled, by the address and the name of each. */
const places = new Map<string, number>();

/** A list that scrolls by itself returns to its place when Back leads to it. Browsers do the same for lists that scroll with the page. */
export function usePlace(scroller: RefObject<HTMLElement | null>, name: string, hasRows: boolean): void {
  const isPlaced = useRef(false);
  useLayoutEffect(() => {
    if (isPlaced.current || !hasRows || !scroller.current) return;
    isPlaced.current = true;
    const place = cameBack() ? places.get(location.href + name) : undefined;
    if (place) scroller.current.scrollTop = place;
  }, [scroller, name, hasRows]);
  useEffect(() => {
    const element = scroller.current;
    const onScroll = () => places.set(location.href + name, element?.scrollTop ?? 0);
    element?.addEventListener('scroll', onScroll, { passive: true });
    return () => element?.removeEventListener('scroll', onScroll);
  }, [scroller, name]);
}
