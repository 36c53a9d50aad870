import { feature } from '../feature-module.ts';

export const ofrepFeature = feature({ name: 'ofrep', http: async () => (await import('./http.ts')).http });
