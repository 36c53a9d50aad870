import { feature } from '../feature-module.ts';

export const importExportFeature = feature({
  name: 'import-export',
  exports: ['export.ts', 'import-input.ts', 'import.ts', 'plan.ts', 'present-export.ts', 'warnings.ts'],
  http: async () => (await import('./http.ts')).http,
});
