import type { Environment } from '../../base/options.ts';
import { readConfig } from '../../config.ts';
import { changedOptions } from '../effective-options.ts';
import { checkService } from '../server/read-server.ts';
import { type SourcedService, serveSource } from '../server/serve.ts';
import { edgeNotes, withHints } from './edge-notes.ts';
import { edgeEnvironment } from './edge-variables.ts';
import { hiddenPaths, withoutPaths } from './hidden-paths.ts';
import { Relay } from './relay.ts';
import { RELAY_OPTIONS, readRelayOptions } from './relay-environment.ts';

/** Serves the flags of an upstream until a signal stops it. */
export function serveRelay(processEnvironment: Environment): Promise<void> {
  return serveSource(processEnvironment, readRelay);
}

/** Reads the environment of a relay, and checks all that can be checked without a connection, a port or stored data. @throws ConfigError */
export async function readRelay(processEnvironment: Environment): Promise<SourcedService> {
  const { environment, notes } = edgeEnvironment(processEnvironment, 'edge');
  const config = readConfig(environment);
  const hiddenRoutes = hiddenPaths(environment);
  const options = withHints(processEnvironment, 'edge', () => readRelayOptions(environment));
  // As in Edge: without a folder and without Redis, the data is lost when the process ends.
  const isStored = (environment.DATA_DIR ?? '') !== '' || config.redisUrl !== '';
  const warnings = edgeNotes(processEnvironment, 'edge', config, notes);
  await checkService(config, isStored);
  return {
    name: 'relay',
    config,
    isStored,
    options: { ...changedOptions(environment), ...changedOptions(environment, RELAY_OPTIONS) },
    notes: warnings,
    source: (clock, logger) => withoutPaths(new Relay(options, clock, logger), hiddenRoutes),
  };
}
