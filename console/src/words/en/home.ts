import { numberText } from '../number-text.ts';

/** Texts of the first screen. */
export const home = {
  title: 'Home',
  favorites: 'Your favorites',
  noFavorites: 'Flags that you mark with a star appear here.',
  requests: 'Open change requests',
  noRequests: 'No change request is open.',
  recent: 'What changed',
  drafts: 'Your unsaved drafts',
  createFlag: 'Create flag',
  connect: 'Connect an SDK',
  cleanUp: 'Clean-up',
  stale: (count: number) => (count === 1 ? 'A flag is stale' : `${numberText(count)} flags are stale`),
} as const;
