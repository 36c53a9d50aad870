import { type Browser, type BrowserContext, type ConsoleMessage, chromium, type Page } from 'playwright-core';
import { chromiumFile } from '../../support/programs/ensure-chromium.mjs';

/** What a page shows must be there within this time. Only a page that hangs, or is wrong, reaches it. */
const SHOWN_MS = 20_000;

interface PageOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** Headers with the cookie of a session: the person is signed on. */
  readonly signedOn?: Readonly<Record<string, string>>;
  readonly reducedMotion?: 'reduce' | 'no-preference';
  readonly hasTouch?: boolean;
  readonly isMobile?: boolean;
  /** 2 with half of a window is a zoom of 200 %. */
  readonly deviceScaleFactor?: number;
  /** Not closed at the end of the test, but with the browser: for tests that show one screen after the other. */
  readonly isKept?: boolean;
  readonly timezoneId?: string;
}

/** A page, and all that went wrong in it so far. */
export class GuardedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly #origin: string;
  readonly #problems: string[] = [];
  /** Statuses that the test causes. The browser reports each answer with such a status as an error. */
  readonly #allowed = new Set<number>();
  #hasOutages = false;
  /** Origins of identity providers. The console itself asks no other host. */
  readonly #providers = new Set<string>();

  constructor(context: BrowserContext, page: Page, origin: string) {
    this.context = context;
    this.page = page;
    this.#origin = origin;
    page.on('console', (message) => this.#hearMessage(message));
    page.on('pageerror', (error) => this.#problems.push(`uncaught: ${error.stack ?? error.message}`));
    page.on('crash', () => this.#problems.push('the page crashed'));
    context.on('request', (request) => {
      const { protocol, origin: of } = new URL(request.url());
      if (of !== this.#origin && !this.#providers.has(of) && !['data:', 'blob:', 'about:'].includes(protocol))
        this.#problems.push(`a request to another host: ${request.url()}`);
    });
  }

  /** The browser may report answers with these statuses. */
  allow(...statuses: readonly number[]): void {
    for (const status of statuses) this.#allowed.add(status);
  }

  /** The test ends the server or the network: the browser reports requests and streams that it could not send or that broke off. */
  allowOutages(): void {
    this.#hasOutages = true;
  }

  /** The page leads to this identity provider. Problems of the provider's own pages are not those of the console. */
  allowProvider(url: string): void {
    this.#providers.add(new URL(url).origin);
  }

  #hearMessage(message: ConsoleMessage): void {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    const { url } = message.location();
    if (URL.canParse(url) && this.#providers.has(new URL(url).origin)) return;
    const status = /responded with a status of (\d+)/.exec(message.text())?.[1];
    if (status !== undefined && this.#allowed.has(Number(status))) return;
    if (this.#hasOutages && /net::ERR_(CONNECTION|INCOMPLETE|EMPTY|NETWORK|INTERNET)/.test(message.text())) return;
    this.#problems.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  }

  /** Fails if anything went wrong since the last call: errors, violations of the content security policy (they are errors, too), requests to other hosts. */
  expectNoProblems(): void {
    const problems = this.#problems.splice(0);
    if (problems.length > 0) throw new Error(`problems in the page:\n${problems.join('\n')}`);
  }
}

/** One browser for the pages of a file. It resolves no name but that of this machine. */
export class TestBrowser {
  readonly #browser: Browser;
  readonly #open: GuardedPage[] = [];

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<TestBrowser> {
    const executablePath = chromiumFile();
    if (executablePath === undefined)
      throw new Error('Chromium is not installed: node test/support/programs/ensure-chromium.mjs');
    const args = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--disable-dev-shm-usage'];
    return new TestBrowser(await chromium.launch({ executablePath, args }));
  }

  /** A page with cookies of its own. `url` is the address of the service; the page is opened at `path`. */
  async open(url: string, path: string, options: PageOptions = {}): Promise<GuardedPage> {
    const { colorScheme = 'light', width = 1280, height = 900, signedOn, reducedMotion = 'reduce' } = options;
    const { timezoneId = 'UTC', hasTouch = false, isMobile = false, deviceScaleFactor = 1 } = options;
    const context = await this.#browser.newContext({
      colorScheme,
      reducedMotion,
      viewport: { width, height },
      ignoreHTTPSErrors: true,
      locale: 'en-GB',
      timezoneId,
      hasTouch,
      isMobile,
      deviceScaleFactor,
    });
    context.setDefaultTimeout(SHOWN_MS);
    const { origin } = new URL(url);
    if (signedOn) await context.addCookies([{ ...cookieOf(signedOn.cookie ?? ''), url: origin }]);
    const guarded = new GuardedPage(context, await context.newPage(), origin);
    if (!options.isKept) this.#open.push(guarded);
    await guarded.page.goto(url + path);
    return guarded;
  }

  /** Closes the pages of a test, and fails if something went wrong in one of them. */
  async closePages(): Promise<void> {
    const open = this.#open.splice(0);
    await Promise.all(open.map(({ context }) => context.close()));
    for (const page of open) page.expectNoProblems();
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

function cookieOf(text: string): { readonly name: string; readonly value: string } {
  const [name = '', value = ''] = text.split('=');
  return { name, value };
}
