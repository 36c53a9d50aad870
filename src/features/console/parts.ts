import type { Services } from '../services.ts';
import { builtConsole, ConsoleFiles } from './console-files.ts';

interface ConsoleParts {
  readonly consoleFiles: ConsoleFiles;
}

declare module '../services.ts' {
  interface FeatureParts extends ConsoleParts {}
}

/** A service that gets its flags from a source has no routes for people, and does not read the files. */
export function consoleParts({ config, logger, source, replacements }: Services): ConsoleParts {
  const find = source ? () => undefined : builtConsole;
  return { consoleFiles: replacements.consoleFiles ?? new ConsoleFiles(find, config, logger) };
}
