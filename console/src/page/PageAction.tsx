import { createContext, type ReactNode, useContext } from 'react';
import { createPortal } from 'react-dom';

/** The place in the header of the screen for the main action of its content. */
export const ActionSlot = createContext<HTMLElement | null>(null);

/** The main action of a part of a screen, shown in the header, where the main action of every screen is. */
export function PageAction({ children }: { readonly children: ReactNode }) {
  const slot = useContext(ActionSlot);
  return slot && createPortal(children, slot);
}
