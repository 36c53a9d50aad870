import { createLogger } from '../../base/logger.ts';
import type { Environment } from '../../base/options.ts';
import { readConfig } from '../../config.ts';
import { ListenError } from '../../http/front/listen-error.ts';
import { ProgramError, type ProgramIo } from '../program/subcommand.ts';
import { stopOnSignal } from '../stop-signals.ts';
import { type Demo, startDemo } from './demo.ts';
import { USUAL_PACE } from './life.ts';

interface DemoAddress {
  readonly host: string;
  readonly port: number;
}

/** Serves the demo until a signal, or `io.stop`, ends it. The environment's options of a store have no effect: all data is in memory. @throws ProgramError */
export async function serveDemo(
  { host, port }: DemoAddress,
  { environment, out, stop }: ProgramIo,
): Promise<number | undefined> {
  const logger = createLogger(logLevelOf(environment), 'auto');
  let demo: Demo;
  try {
    demo = await startDemo({ host, port, logger, pace: USUAL_PACE });
  } catch (error) {
    if (error instanceof ListenError) throw new ProgramError(`${error.message}, or use --port`);
    throw error;
  }
  const { url, username, password } = demo;
  out(
    `The demo of Burgee is at ${url} : sign on as ${username} (admin), ben (editor) or vera (viewer), with the password ${password} . Ctrl-C ends it.\n`,
  );
  if (!stop) {
    stopOnSignal(() => demo.close(), logger, false);
    return undefined;
  }
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
  await demo.close();
  return 0;
}

/** The demo logs only what an operator must know, unless LOG_LEVEL is set. */
function logLevelOf({ LOG_LEVEL }: Environment) {
  return readConfig({ LOG_LEVEL: LOG_LEVEL ?? 'warn' }).logLevel;
}
