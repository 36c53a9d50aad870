import { feature } from '../feature-module.ts';
import { contextSets } from './contexts/context-set.ts';
import { PERSONAL_LIMITS } from './limits.ts';
import { preferences } from './preferences/preference.ts';
import { savedViews } from './views/saved-view.ts';

/** What users keep for themselves. Its changes record no audit events: they concern only one user, and pages make them often. */
export const personalFeature = feature({
  name: 'personal',
  exports: ['contexts/commands.ts'],
  collections: { preferences, savedViews, contextSets },
  shown: {
    preferences: null,
    savedViews: null,
    contextSets: null,
  },
  limits: PERSONAL_LIMITS,
  whenRemoved: async () => (await import('./when-removed.ts')).whenRemoved,
  http: async () => (await import('./http.ts')).http,
});
