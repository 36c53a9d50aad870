import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Feature } from '../../src/model/feature.ts';
import { startSeededService } from '../support/service.ts';

const PASSWORD = 'Bench-Correct-Horse-9';

interface Opened {
  readonly url: string;
  /** Signed on, and empty. */
  readonly page: Page;
  readonly session: CDPSession;
  /** A figure of the browser's `Performance` domain; times are of the page's thread. */
  readonly metric: (name: string) => Promise<number>;
  readonly end: () => Promise<void>;
}

/** A service with these flags, and an empty page of a person who is signed on. */
export async function openConsole(browser: Browser, flags: readonly Feature[]): Promise<Opened> {
  const service = await startSeededService(flags, { env: { UNLEASH_DEFAULT_ADMIN_PASSWORD: PASSWORD } });
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const signedOn = await context.request.post(`${service.url}/auth/simple/login`, {
      data: { username: 'admin', password: PASSWORD },
      headers: { origin: service.url },
    });
    if (!signedOn.ok()) throw new Error(`the sign-on is answered ${signedOn.status()}`);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const metric = async (name: string) => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find((each) => each.name === name)?.value ?? Number.NaN;
    };
    const end = async () => {
      await context.close();
      await service.end();
    };
    return { url: service.url, page, session, metric, end };
  } catch (error) {
    await service.end();
    throw error;
  }
}
