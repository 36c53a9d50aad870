import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useRef,
} from 'react';
import { hasShortcut, runShortcut } from '../../keys/registry.ts';

/** Saves what a panel or a dialog has. `isSure`: by Ctrl or ⌘; without it, Enter never saves to production. */
export type Submit = (isSure: boolean) => void;

/** What the keys of the innermost panel or dialog do. Its buttons set it. */
export const SubmitPlace = createContext<RefObject<Submit | null>>({ current: null });

export function useSubmit(submit: Submit): void {
  const place = useContext(SubmitPlace);
  useEffect(() => {
    place.current = submit;
    return () => {
      place.current = null;
    };
  });
}

const REVIEW = 'mod+enter';
const NO_TEXT = /^(checkbox|radio|button|submit|range|file|search)$/;

/** A field of one line whose list is not open. Enter in a field that filters does not save. */
const isLine = (target: EventTarget): boolean =>
  target instanceof HTMLInputElement && !NO_TEXT.test(target.type) && target.ariaExpanded !== 'true';

/** Ctrl Enter or ⌘ Enter saves from anywhere in a panel, Enter from a field of one line. What has no save of its own opens the review of the page. */
export function submitByKey(event: KeyboardEvent, place: RefObject<Submit | null>): void {
  const { key, target, currentTarget, nativeEvent } = event;
  if (key !== 'Enter' || event.defaultPrevented || nativeEvent.isComposing) return;
  // The events of a dialog reach the panel that it was opened from, and a form has its own.
  if (!currentTarget.contains(target as Node) || (target as Element).closest('form')) return;
  const isSure = event.ctrlKey || event.metaKey;
  if (!isSure && (!isLine(target) || event.shiftKey || event.altKey)) return;
  // Without a save of its own, Ctrl Enter is a key of the page.
  if (place.current === null && (isSure || !hasShortcut(REVIEW))) return;
  event.preventDefault();
  // The field may have changed the values by this key: they are rendered first.
  setTimeout(() => (place.current ? place.current(isSure) : runShortcut(REVIEW)));
}

interface SubmittingProps {
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A form that stands in a page, with the keys that panels have. Its buttons say what these do. */
export function Submitting({ className, children }: SubmittingProps) {
  const submit = useRef<Submit>(null);
  return (
    <SubmitPlace value={submit}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys for the whole form. */}
      <div className={className} onKeyDown={(event) => submitByKey(event, submit)}>
        {children}
      </div>
    </SubmitPlace>
  );
}
