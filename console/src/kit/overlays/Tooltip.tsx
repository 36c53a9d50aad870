import {
  type ComponentProps,
  cloneElement,
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Kbd } from '../texts/Kbd.tsx';
import { placeBeside } from './place-beside.ts';
import styles from './Tooltip.module.css';

interface TooltipProps {
  /** Without a text there is no tooltip. The trigger stays the same element, so that it keeps its focus when a text comes or goes. */
  readonly text: string | undefined;
  readonly keys?: string | undefined;
  /** The text is the trigger's accessible name already, and is not read twice. */
  readonly isName?: boolean;
  /** One element that passes its props to the document. */
  readonly children: ReactElement<Record<string, unknown>>;
}

const OPEN_AFTER_MS = 350;
const CLOSE_AFTER_MS = 120;

/**
 * A text beside its trigger, on hover, on focus by keyboard, and on a tap of what is disabled. Escape closes it, and the pointer can
 * move onto it. It is in the top layer, which nothing clips.
 */
export function Tooltip({ text, keys, isName = false, children }: TooltipProps) {
  const [trigger, setTrigger] = useState<Element>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const open = (element: Element) => {
    clearTimeout(timer.current);
    setTrigger(element);
  };
  const close = () => {
    clearTimeout(timer.current);
    setTrigger(undefined);
  };
  const closeSoon = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(close, CLOSE_AFTER_MS);
  };
  const { props } = children;
  const both =
    <E,>(name: string, own: (event: E) => void) =>
    (event: E) => {
      (props[name] as ((event: E) => void) | undefined)?.(event);
      own(event);
    };
  const described = cloneElement(children, {
    ...(text === undefined || isName ? {} : { 'aria-description': text }),
    onPointerEnter: both('onPointerEnter', ({ currentTarget, pointerType }: PointerEvent) => {
      clearTimeout(timer.current);
      if (pointerType !== 'touch') timer.current = setTimeout(() => open(currentTarget), OPEN_AFTER_MS);
    }),
    // A finger leaves what it has tapped.
    onPointerLeave: both('onPointerLeave', ({ pointerType }: PointerEvent) => {
      if (pointerType !== 'touch') closeSoon();
    }),
    onFocus: both('onFocus', ({ currentTarget }: FocusEvent) => {
      if (currentTarget.matches(':focus-visible')) open(currentTarget);
    }),
    onBlur: both('onBlur', close),
    onKeyDown: both('onKeyDown', (event: KeyboardEvent) => {
      if (event.key === 'Escape' && trigger) close();
    }),
    onPointerUp: both('onPointerUp', ({ currentTarget }: PointerEvent) =>
      currentTarget.getAttribute('aria-disabled') === 'true' ? open(currentTarget) : close(),
    ),
  });
  return (
    <>
      {described}
      {trigger && text !== undefined && (
        <Tip
          trigger={trigger}
          onPressOutside={close}
          onPointerEnter={() => clearTimeout(timer.current)}
          onPointerLeave={closeSoon}
        >
          {text}
          {keys !== undefined && <Kbd keys={keys} />}
        </Tip>
      )}
    </>
  );
}

interface TipProps extends ComponentProps<'span'> {
  readonly trigger: Element;
  readonly onPressOutside: () => void;
}

/** In the document only while it is open, because a list has many triggers. Screen readers have the description instead. */
function Tip({ trigger, onPressOutside, ...rest }: TipProps) {
  const tip = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const press = ({ target }: Event) => {
      if (!tip.current?.contains(target as Node)) onPressOutside();
    };
    document.addEventListener('pointerdown', press);
    return () => document.removeEventListener('pointerdown', press);
  });
  // After every render: an element that moves in the document, such as a card in a list, leaves the top layer.
  useLayoutEffect(() => {
    if (!tip.current || !trigger.isConnected) return;
    if (!tip.current.matches(':popover-open')) tip.current.showPopover();
    placeBeside(tip.current, trigger);
  });
  return <span {...rest} ref={tip} role="tooltip" popover="manual" aria-hidden className={styles.tip} />;
}
