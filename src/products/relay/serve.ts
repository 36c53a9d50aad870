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
export function serveRelay(supplied: Environment): Promise<void> {
  return serveSource(supplied, () => {
    const { environment, notes } = edgeEnvironment(supplied, 'edge');
    const config = readConfig(environment);
    const hidden = hiddenPaths(environment);
    const options = withHints(supplied, 'edge', () => readRelayOptions(environment));
    return {
      name: 'relay',
      config,
      // As in Edge: without a folder and without Redis, the data is lost when the process ends.
      isKept: (environment.DATA_DIR ?? '') !== '' || config.redisUrl !== '',
      options: { ...changedOptions(environment), ...changedOptions(environment, RELAY_OPTIONS) },
      notes: edgeNotes(supplied, 'edge', config.strictConfig, notes),
      source: (clock, logger) => withoutPaths(new Relay(options, clock, logger), hidden),
    };
  });
}
