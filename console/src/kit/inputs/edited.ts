import { createContext } from 'react';

/**
 * Called when a value is chosen in a Select or a Combobox, which cause no change event in the document. A form that asks before it drops changes
 * provides it.
 */
export const Edited = createContext<() => void>(() => {});
