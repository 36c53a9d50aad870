import type { AnyEndpoint } from '../http/endpoint.ts';
import { createRegistry } from '../http/registry.ts';
import type { FeatureHttp, FeatureModule } from './feature-module.ts';
import { loadUndoRules } from './history/undo-rules.ts';
import { FEATURES } from './modules.ts';
import type { Services } from './services.ts';

/** The HTTP interfaces of all features. */
export const FEATURE_HTTP: readonly FeatureHttp[] = await httpOf(FEATURES);

await loadUndoRules();

/** Every route of Burgee. */
export const endpoints: readonly AnyEndpoint<Services>[] = createRegistry(FEATURE_HTTP.map((http) => http.endpoints));

async function httpOf(features: readonly FeatureModule[]): Promise<readonly FeatureHttp[]> {
  const loaded = await Promise.all(features.map(({ http }) => http?.()));
  return loaded.filter((http) => http !== undefined);
}
