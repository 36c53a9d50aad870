import { feature } from '../feature-module.ts';

export const limitsFeature = feature({
  name: 'limits',
  exports: ['limit-rules.ts'],
  guards: async () => [(await import('./limit-rules.ts')).limitGuard],
});
