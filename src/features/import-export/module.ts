import { feature } from '../feature-module.ts';

export const importExportFeature = feature({
  name: 'import-export',
  events: {
    'features-exported': ['Flags exported', 'exported flags{in}{on}'],
    'features-imported': ['Flags imported', 'imported flags{in}{on}'],
  },
  http: async () => (await import('./http.ts')).http,
});
