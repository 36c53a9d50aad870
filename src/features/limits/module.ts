import { feature } from '../feature-module.ts';

export const limitsFeature = feature({
  name: 'limits',
  guards: async () => [(await import('./limit-rules.ts')).limitGuard],
});
