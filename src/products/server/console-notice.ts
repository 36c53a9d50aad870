import type { Logger } from '../../base/logger.ts';
import type { Services } from '../../features/services.ts';

/** Interval at which the service looks for a console that is not built yet. */
const LOOK_EVERY_MS = 1_000;
/** Number of looks: ten minutes. A build takes some seconds, and with a slow network some minutes. */
const LOOKS_MAX = 600;

/** Logs the address of the console when it can be used. The first start of a checkout builds the console while the service already runs. */
export async function announceConsole(
  { consoleFiles, clock }: Pick<Services, 'consoleFiles' | 'clock'>,
  url: string,
  logger: Logger,
): Promise<void> {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    if ((await consoleFiles.files) !== null) {
      logger.info({ url }, 'the console is ready');
      return;
    }
    if (looks === 0)
      logger.info(
        { api: `${url}/docs` },
        'there is no console yet: the first npm start builds it, and this log says when it is ready; at other times, npm run build builds it',
      );
    await clock.sleep(LOOK_EVERY_MS);
  }
}
