import { SERVICE } from '../../../base/asking/asker.ts';
import type { Logger } from '../../../base/logger.ts';
import { Slicer } from '../../../base/yield-control.ts';
import type { StateReader } from '../../../state/collections.ts';
import { isIncomplete } from './validate.ts';

/** Maximum number of flags that the warning names. */
const NAMED_MAX = 20;

/**
 * Warns once, after the start, of strategies that are stored without a percentage: they are off for everybody. Such strategies come from lists that
 * SDKs get, and from versions that did not complete imports. They keep their effect until somebody edits them.
 */
export async function warnOfIncompleteStrategies(
  reader: Pick<StateReader, 'values'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  // Work of the service: no request waits for the warning.
  const slicer = Slicer.of(SERVICE);
  const flags: string[] = [];
  let count = 0;
  for (const { name, environments } of reader.values('features')) {
    if (signal.aborted) return;
    if (environments.some(({ strategies }) => strategies.some(isIncomplete))) {
      count++;
      if (flags.length < NAMED_MAX) flags.push(name);
    }
    if (slicer.spent) await slicer.pause();
  }
  if (count === 0) return;
  logger.warn(
    { flags, count },
    'These flags have strategies without a percentage, which are off for everybody. Save a percentage in the console to change this',
  );
}
