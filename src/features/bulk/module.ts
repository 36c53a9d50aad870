import { feature } from '../feature-module.ts';
import { BULK_LIMITS } from './limits.ts';

export const bulkFeature = feature({
  name: 'bulk',
  exports: ['pool.ts', 'text-protocol.ts'],
  limits: BULK_LIMITS,
  parts: async () => (await import('./parts.ts')).bulkParts,
  http: async () => (await import('./http.ts')).http,
});
