import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { announce } from '../kit/notices/live-region.ts';
import { held as words } from '../words/en/undo.ts';

/** A button that was clicked keeps the focus, which holds nothing: only a focus that is shown does. */
const HOLDS = ':hover, :focus-visible, :has(:focus-visible)';

interface HeldRows<Row> {
  /** The element around the list. */
  readonly element: RefObject<HTMLDivElement | null>;
  readonly shown: readonly Row[];
  /** How many newer rows are held back. */
  readonly held: number;
  readonly show: () => void;
  readonly handlers: { readonly onPointerLeave: () => void; readonly onBlur: () => void };
}

/** Holds newer rows back while the pointer or the focus is in the list, which would move under them. `rows`: newest first. */
export function useHeldRows<Row extends { readonly revision: number }>(rows: readonly Row[]): HeldRows<Row> {
  const element = useRef<HTMLDivElement>(null);
  const newest = rows[0]?.revision ?? 0;
  /** The newest revision that is shown; null: all are. */
  const [upTo, setUpTo] = useState<number | null>(newest);
  const release = () => {
    if (!element.current?.matches(HOLDS)) setUpTo(newest);
  };
  // Before the page is painted: rows that nothing holds back appear at once.
  useLayoutEffect(() => {
    if (upTo === null || !element.current?.matches(HOLDS)) setUpTo(newest);
  }, [newest, upTo]);
  const shown = upTo === null || upTo >= newest ? rows : rows.filter(({ revision }) => revision <= upTo);
  const held = rows.length - shown.length;
  useEffect(() => {
    if (held > 0) announce(words.newChanges(held));
  }, [held]);
  return {
    element,
    shown,
    held,
    show: () => setUpTo(null),
    // The focus is at its next place after the event.
    handlers: { onPointerLeave: release, onBlur: () => void setTimeout(release) },
  };
}
