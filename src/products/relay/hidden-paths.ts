import type { Environment } from '../../base/options.ts';
import type { FlagSource } from '../../features/services.ts';
import { readSwitch } from './read-switch.ts';

/** The paths that each of Edge's switches disables. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  DISABLE_ALL_ENDPOINT: ['/api/frontend/all', '/api/proxy/all'],
  DISABLE_METRICS_BATCH_ENDPOINT: ['/internal-backstage/metricsbatch'],
  DISABLE_METRICS_ENDPOINT: ['/internal-backstage/metrics', '/internal-backstage/prometheus'],
  DISABLE_FEATURES_ENDPOINT: ['/internal-backstage/features'],
  DISABLE_TOKENS_ENDPOINT: ['/internal-backstage/tokens'],
  DISABLE_INSTANCE_DATA_ENDPOINT: ['/internal-backstage/instancedata'],
};

/** The paths that the switches in the environment disable. @throws ConfigError */
export function hiddenPaths(environment: Environment): readonly string[] {
  return Object.entries(PATHS).flatMap(([variable, paths]) => {
    const text = environment[variable] ?? '';
    return text !== '' && readSwitch(text, variable) ? paths : [];
  });
}

/** The source, without the routes of these paths. */
export function withoutPaths(source: FlagSource, paths: readonly string[]): FlagSource {
  if (paths.length === 0) return source;
  return {
    endpoints: source.endpoints.filter(({ path }) => !paths.includes(path)),
    ...(source.waits && { waits: source.waits }),
    ...(source.parts && { parts: source.parts }),
    begin: (services) => source.begin(services),
    close: () => source.close(),
  };
}
