import { feature } from '../feature-module.ts';

export const importExportFeature = feature({
  name: 'import-export',
  http: async () => (await import('./http.ts')).http,
});
