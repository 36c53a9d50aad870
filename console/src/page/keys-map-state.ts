import { createStore } from '../data/store.ts';

export const isKeysMapOpen = createStore(false);
export const isPaletteOpen = createStore(false);
