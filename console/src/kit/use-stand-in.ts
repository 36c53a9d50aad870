import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

export interface StandIn<Element extends HTMLElement> {
  /** For the stand-in's trigger and for the part that replaces it. */
  readonly ref: RefObject<Element | null>;
  /** Whether it was opened before it was loaded. */
  readonly wasOpened: boolean;
  /** For the stand-in. */
  readonly events: {
    readonly onPointerEnter: () => void;
    readonly onFocus: () => void;
    readonly onBlur: () => void;
    readonly onClick: () => void;
  };
}

/** Lets a plain element stand in for a part that is not loaded: the part takes over its focus, and opens if it was asked to. */
export function useStandIn<Element extends HTMLElement>(isLoaded: boolean, load: () => void): StandIn<Element> {
  const ref = useRef<Element>(null);
  const hasFocus = useRef(false);
  const [wasOpened, setOpened] = useState(false);
  useLayoutEffect(() => {
    if (isLoaded && hasFocus.current) ref.current?.focus();
    hasFocus.current = false;
  }, [isLoaded]);
  const events = {
    onPointerEnter: load,
    onFocus: () => {
      hasFocus.current = true;
      load();
    },
    onBlur: () => {
      hasFocus.current = false;
    },
    onClick: () => {
      setOpened(true);
      load();
    },
  };
  return { ref, wasOpened, events };
}
