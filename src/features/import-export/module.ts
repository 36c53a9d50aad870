import { feature } from '../feature-module.ts';
import { SEEN } from '../shared/never-undone.ts';

export const importExportFeature = feature({
  name: 'import-export',
  events: {
    'features-exported': ['Flags exported', 'exported flags{in}{on}', SEEN],
    'features-imported': ['Flags imported', 'imported flags{in}{on}'],
  },
  http: async () => (await import('./http.ts')).http,
});
