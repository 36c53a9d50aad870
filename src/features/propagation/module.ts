import { feature } from '../feature-module.ts';

export const propagationFeature = feature({
  name: 'propagation',
  exports: ['propagation.ts'],
  parts: async () => (await import('./parts.ts')).propagationParts,
  gauges: async () => (await import('./gauges.ts')).gauges,
  http: async () => (await import('./http.ts')).http,
});
