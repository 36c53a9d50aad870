import { useEffect, useState } from 'react';

/**
 * Calls `end` after the time, which begins again whenever the pointer or the focus leaves what has the handlers. Without a time, it never does. `end` must
 * be the same function in each render.
 */
export function useFading(lastsMs: number | undefined, end: () => void) {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const isHeld = isPointed || isFocused;
  useEffect(() => {
    if (lastsMs === undefined || isHeld) return;
    const timer = setTimeout(end, lastsMs);
    return () => clearTimeout(timer);
  }, [lastsMs, isHeld, end]);
  return {
    onPointerEnter: () => setPointed(true),
    onPointerLeave: () => setPointed(false),
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
  };
}
