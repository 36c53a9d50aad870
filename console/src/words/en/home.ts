/** Texts of the first screen. */
export const home = {
  title: 'Home',
  favorites: 'Your favorites',
  noFavorites: 'Star a flag, and it is here.',
  requests: 'Open change requests',
  noRequests: 'None is open.',
  recent: 'What changed',
  drafts: 'Your unsaved drafts',
  createFlag: 'Create flag',
} as const;
