import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Feature } from '../../src/model/feature.ts';
import { startSeededService } from '../support/service.ts';

const PASSWORD = 'Bench-Correct-Horse-9';

interface OpenedPage {
  /** Signed on, and empty, with a cache of its own. */
  readonly page: Page;
  readonly session: CDPSession;
  /** A figure of the browser's `Performance` domain; times are of the page's thread. */
  readonly metric: (name: string) => Promise<number>;
  readonly close: () => Promise<void>;
}

export interface Opened extends OpenedPage {
  readonly url: string;
  /** Another page like the first one. */
  readonly another: () => Promise<OpenedPage>;
  /** Seconds of processor time that the service has used so far. */
  readonly serverCpuS: () => number;
  readonly end: () => Promise<void>;
}

async function openPage(browser: Browser, url: string): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const signedOn = await context.request.post(`${url}/auth/simple/login`, {
    data: { username: 'admin', password: PASSWORD },
    headers: { origin: url },
  });
  if (!signedOn.ok()) throw new Error(`the sign-on is answered ${signedOn.status()}`);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const metric = async (name: string) => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find((each) => each.name === name)?.value ?? Number.NaN;
  };
  return { page, session, metric, close: () => context.close() };
}

/** A service with these flags, and further environments, and an empty page of a person who is signed on. */
export async function openConsole(
  browser: Browser,
  flags: readonly Feature[],
  environments: readonly string[] = [],
): Promise<Opened> {
  const service = await startSeededService(flags, { environments, env: { UNLEASH_DEFAULT_ADMIN_PASSWORD: PASSWORD } });
  try {
    const { url } = service;
    const opened = await openPage(browser, url);
    const end = async () => {
      await opened.close();
      await service.end();
    };
    return { ...opened, url, another: () => openPage(browser, url), serverCpuS: () => service.cpuS(), end };
  } catch (error) {
    await service.end();
    throw error;
  }
}
