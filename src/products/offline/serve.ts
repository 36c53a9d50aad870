import { ConfigError, type Environment, readOptions } from '../../base/options.ts';
import { readConfig } from '../../config.ts';
import { changedOptions } from '../effective-options.ts';
import { edgeNotes, withHints } from '../relay/edge-notes.ts';
import { edgeEnvironment } from '../relay/edge-variables.ts';
import { hiddenPaths, withoutPaths } from '../relay/hidden-paths.ts';
import { checkService } from '../server/read-server.ts';
import { type SourcedService, serveSource } from '../server/serve.ts';
import { OFFLINE_OPTIONS } from './offline-options.ts';
import { OfflineSource, readBootstrapFile } from './offline-source.ts';
import { offlineTokens } from './offline-tokens.ts';

/** Serves the flags of a file until a signal stops it. No data is stored. */
export function serveOffline(processEnvironment: Environment): Promise<void> {
  return serveSource(processEnvironment, readOffline);
}

/** Reads the environment and the file, and checks all that can be checked without a port. @throws ConfigError */
export async function readOffline(processEnvironment: Environment): Promise<SourcedService> {
  const { environment, notes } = edgeEnvironment(processEnvironment, 'offline');
  const config = readConfig(environment);
  const hiddenRoutes = hiddenPaths(environment);
  const options = withHints(processEnvironment, 'offline', () => readOfflineOptions(environment));
  const { bootstrapFile, reloadIntervalS, tokens } = options;
  const warnings = edgeNotes(processEnvironment, 'offline', config, notes);
  await checkService(config, false);
  const content = await readBootstrapFile(bootstrapFile);
  const reloadIntervalMs = reloadIntervalS * 1_000;
  return {
    name: 'offline',
    config,
    isStored: false,
    options: { ...changedOptions(environment), ...changedOptions(environment, OFFLINE_OPTIONS) },
    notes: warnings,
    source: (_clock, logger) =>
      withoutPaths(new OfflineSource({ bootstrapFile, content, tokens, reloadIntervalMs, logger }), hiddenRoutes),
  };
}

/** Reads the options and checks that the required ones are set. @throws ConfigError */
function readOfflineOptions(environment: Environment) {
  const options = readOptions(OFFLINE_OPTIONS, environment);
  if (options.bootstrapFile === '')
    throw new ConfigError('specify the file with the flags: --bootstrap-file FILE, or BOOTSTRAP_FILE');
  const tokens = offlineTokens(options);
  if (tokens.length > 0) return { ...options, tokens };
  throw new ConfigError(
    'specify the tokens that SDKs may use: --client-tokens and --frontend-tokens, or CLIENT_TOKENS and FRONTEND_TOKENS; any text will do, for example --client-tokens dev',
  );
}
