import { feature } from '../feature-module.ts';

/**
 * The flags of a project as a manifest, which the OpenFeature CLI reads (`pull`) and writes (`push`) to generate code with a type for each flag
 * (docs/reach/openfeature-cli.md). It stores nothing of its own: the flags have what code declares for them.
 */
export const manifestFeature = feature({ name: 'manifest', http: async () => (await import('./http.ts')).http });
