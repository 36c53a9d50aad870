import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { PASSWORD, putUser } from '../../support/people.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../../support/service.ts';
import { TestBrowser } from './browser.ts';

const CONSOLE = fileURLToPath(new URL('../../../dist/console/', import.meta.url));

/** The admin's name and password. */
export const ADMIN = { id: 100, username: 'ada', email: 'ada@example.org', password: PASSWORD } as const;

interface World {
  readonly service: TestService;
  readonly browser: TestBrowser;
}

/** A service that serves the built console, with an admin, and a browser: for the tests of the calling file. */
export function useWorld(options: TestServiceOptions = {}): World {
  let service: TestService | undefined;
  let browser: TestBrowser | undefined;
  beforeAll(async () => {
    service = await startTestService({ consoleFolder: CONSOLE, ...options });
    await putUser(service, ADMIN.id, { username: ADMIN.username, email: ADMIN.email, name: 'Ada', rootRole: 1 });
    browser = await TestBrowser.start();
  });
  afterEach(() => browser?.closePages());
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  const started = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('it has not started yet');
    return part;
  };
  return {
    get service() {
      return started(service);
    },
    get browser() {
      return started(browser);
    },
  };
}
