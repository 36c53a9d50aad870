import { createContext } from 'react';

/** Whether the dialog around is saving. What it shows of the save then stays as it was: parts of the save are there already. */
export const IsSaving = createContext(false);
