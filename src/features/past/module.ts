import { feature } from '../feature-module.ts';

export const pastFeature = feature({
  name: 'past',
  exports: ['moment.ts', 'past-state.ts', 'with-past.ts'],
  parts: async () => (await import('./parts.ts')).pastParts,
});
