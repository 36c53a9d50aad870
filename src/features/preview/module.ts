import { feature } from '../feature-module.ts';
import { PREVIEW_LIMITS } from './limits.ts';

export const previewFeature = feature({
  name: 'preview',
  limits: PREVIEW_LIMITS,
  parts: async () => (await import('./parts.ts')).previewParts,
  http: async () => (await import('./http.ts')).http,
});
