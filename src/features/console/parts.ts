import type { Services } from '../services.ts';
import { BUILT_CONSOLE, ConsoleFiles } from './console-files.ts';

interface ConsoleParts {
  readonly consoleFiles: ConsoleFiles;
}

declare module '../services.ts' {
  interface FeatureParts extends ConsoleParts {}
}

/** A service that gets its flags from a source has no routes for people, and does not read the files. */
export function consoleParts({ config, logger, source, replacements }: Services): ConsoleParts {
  const folder = source ? undefined : BUILT_CONSOLE;
  return { consoleFiles: replacements.consoleFiles ?? new ConsoleFiles(folder, config, logger) };
}
