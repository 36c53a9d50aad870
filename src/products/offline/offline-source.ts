import { resolve } from 'node:path';
import { FileProblem, readBoundedFile } from '../../base/bounded-file.ts';
import type { Logger } from '../../base/logger.ts';
import { ConfigError } from '../../base/options.ts';
import { Rejection } from '../../base/rejection.ts';
import { edgeEndpoints } from '../../features/instance/operations/edge-routes.ts';
import { gaugeEndpointsWith } from '../../features/instance/operations/prometheus-page.ts';
import { operationalEndpoints } from '../../features/instance/operations/routes.ts';
import { sdkEndpoints } from '../../features/relayed-registry.ts';
import type { FlagSource, Services } from '../../features/services.ts';
import { frontendReportEndpoints } from '../../features/usage/reports/frontend-routes.ts';
import { reportEndpoints } from '../../features/usage/reports/routes.ts';
import { ALL } from '../../model/api-token.ts';
import { SYSTEM_USER_ID } from '../../model/primitives.ts';
import { mirror } from '../mirror/mirror.ts';
import type { SourceScope } from '../mirror/mirror-input.ts';
import { mirrorTokens } from '../mirror/mirror-tokens.ts';
import { featuresEndpoint } from '../relay/backstage.ts';
import { readBootstrap } from './bootstrap-file.ts';
import { type Bootstrap, BootstrapError } from './bootstrap-shape.ts';
import type { OfflineToken } from './offline-tokens.ts';

/** Maximum size of the file: larger files need a service with a store. Reading a file of this size takes about a second and blocks the process. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

const SYSTEM = { id: SYSTEM_USER_ID, name: 'burgee' };

interface OfflineParts {
  readonly bootstrapFile: string;
  /** The content of the file at the start. */
  readonly content: BootstrapFile;
  readonly tokens: readonly OfflineToken[];
  /** Interval of checking the file for changes; 0: the file is read only once. */
  readonly reloadIntervalMs: number;
  readonly logger: Logger;
}

interface BootstrapFile extends Bootstrap {
  readonly bytes: Uint8Array;
}

/** Reads the file for a start. @throws ConfigError when the file cannot be read, or is not a valid bootstrap file */
export async function readBootstrapFile(path: string): Promise<BootstrapFile> {
  const file = resolve(path);
  try {
    const bytes = await readBounded(file);
    return { bytes, ...(await readBootstrap(bytes)) };
  } catch (error) {
    throw configError(file, error);
  }
}

/** A problem of the file as a problem of the options; any other error unchanged. */
function configError(file: string, error: unknown): unknown {
  return error instanceof BootstrapError ? new ConfigError(withFileName(file, error.message)) : error;
}

const withFileName = (file: string, problem: string) => `BOOTSTRAP_FILE ${file}: ${problem}`;

/** The source of a service whose flags are in a file. The flags exist in every environment of the tokens. For development and tests. */
export class OfflineSource implements FlagSource {
  readonly endpoints = [
    ...operationalEndpoints,
    ...gaugeEndpointsWith([]),
    featuresEndpoint,
    ...sdkEndpoints,
    ...reportEndpoints,
    ...frontendReportEndpoints,
    ...edgeEndpoints,
  ];
  readonly #parts: Omit<OfflineParts, 'content'>;
  readonly #file: string;
  readonly #closing = new AbortController();
  #watching: Promise<void> = Promise.resolve();
  #lastBytes: Uint8Array | null = null;
  /** The problem that the last check of the file found; null when it found none. */
  #problem: string | null = null;

  #content: BootstrapFile | null;

  constructor({ content, ...parts }: OfflineParts) {
    this.#parts = parts;
    this.#content = content;
    this.#file = resolve(parts.bootstrapFile);
  }

  async begin(services: Services): Promise<void> {
    const { tokens, reloadIntervalMs } = this.#parts;
    if (this.#content)
      await this.#apply(services, this.#content).catch((error: unknown) => {
        throw configError(this.#file, error);
      });
    // A large file would stay in memory.
    this.#content = null;
    await committedValue(
      services.writer.submit(mirrorTokens, { tokens: [...tokens].map(mutableToken), gone: [] }, SYSTEM),
    );
    if (reloadIntervalMs > 0) this.#watching = this.#watch(services, reloadIntervalMs);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#watching;
  }

  async #watch(services: Services, everyMs: number): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      await services.clock.sleep(everyMs, signal);
      if (signal.aborted) return;
      await this.#reload(services);
    }
  }

  /** Reads the file again. If the file has a problem, the served flags do not change. */
  async #reload(services: Services): Promise<void> {
    const { logger } = this.#parts;
    try {
      const bootstrap = await this.#read();
      if (bootstrap) await this.#apply(services, bootstrap);
      else if (this.#problem !== null)
        logger.info({ file: this.#file }, 'the bootstrap file has its previous content: its problem is solved');
      this.#problem = null;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message === this.#problem) return;
      this.#problem = message;
      logger.error(`${withFileName(this.#file, message)}; the served flags do not change`);
    }
  }

  /** The content of the file; null when it is the same as the content that was applied last. @throws BootstrapError */
  async #read(): Promise<BootstrapFile | null> {
    const bytes = await readBounded(this.#file);
    if (this.#lastBytes && Buffer.compare(bytes, this.#lastBytes) === 0) return null;
    return { bytes, ...(await readBootstrap(bytes)) };
  }

  async #apply({ writer }: Services, { bytes, form, flags, segments, warnings }: BootstrapFile): Promise<void> {
    const { tokens, logger } = this.#parts;
    for (const warning of warnings) logger.warn(`${this.#file}: ${warning}`);
    const environments = new Set(tokens.map(({ environment }) => environment));
    const common = { etag: null, segments: [...segments], removed: null };
    const scopes: SourceScope[] = [...environments].map((environment) => ({
      ...common,
      environment,
      projects: [ALL],
      features: [...flags],
    }));
    const { changed, gone } = await committedValue(writer.submit(mirror, { scopes }, SYSTEM));
    this.#lastBytes = bytes;
    logger.info({ file: this.#file, form, flags: flags.length, changed, gone }, 'read the bootstrap file');
  }
}

function mutableToken({ secret, type, environment, projects }: OfflineToken) {
  return { secret, type, environment, projects: [...projects] };
}

async function committedValue<T>(submission: Promise<{ readonly value: T } | Rejection>): Promise<T> {
  const outcome = await submission;
  if (outcome instanceof Rejection) throw new BootstrapError(outcome.message);
  return outcome.value;
}

async function readBounded(file: string): Promise<Uint8Array> {
  try {
    return await readBoundedFile(file, FILE_BYTES_MAX);
  } catch (error) {
    throw error instanceof FileProblem ? new BootstrapError(error.message) : error;
  }
}
