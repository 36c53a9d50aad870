import type { Environment } from '../../base/options.ts';
import { readConfig } from '../../config.ts';
import { changedOptions } from '../effective-options.ts';
import { serveSource } from '../server/serve.ts';
import { edgeNotes, withHints } from './edge-notes.ts';
import { edgeEnvironment } from './edge-variables.ts';
import { hiddenPaths, withoutPaths } from './hidden-paths.ts';
import { Relay } from './relay.ts';
import { RELAY_OPTIONS, readRelayOptions } from './relay-environment.ts';

/** Serves the flags of an upstream until a signal stops it. */
export function serveRelay(processEnvironment: Environment): Promise<void> {
  return serveSource(processEnvironment, () => {
    const { environment, notes } = edgeEnvironment(processEnvironment, 'edge');
    const config = readConfig(environment);
    const hiddenRoutes = hiddenPaths(environment);
    const options = withHints(processEnvironment, 'edge', () => readRelayOptions(environment));
    return {
      name: 'relay',
      config,
      // As in Edge: without a folder and without Redis, the data is lost when the process ends.
      isStored: (environment.DATA_DIR ?? '') !== '' || config.redisUrl !== '',
      options: { ...changedOptions(environment), ...changedOptions(environment, RELAY_OPTIONS) },
      notes: edgeNotes(processEnvironment, 'edge', config.strictConfig, notes),
      source: (clock, logger) => withoutPaths(new Relay(options, clock, logger), hiddenRoutes),
    };
  });
}
