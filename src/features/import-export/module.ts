import { feature } from '../feature-module.ts';
import { IMPORT_EXPORT_EVENTS } from './events.ts';

export const importExportFeature = feature({
  name: 'import-export',
  exports: ['export.ts', 'import-input.ts', 'import.ts', 'plan.ts', 'present-export.ts', 'warnings.ts'],
  events: IMPORT_EXPORT_EVENTS,
  http: async () => (await import('./http.ts')).http,
});
