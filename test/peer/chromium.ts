import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { until } from '../support/until.ts';

/** One command waits this long. */
const COMMAND_MS = 30_000;
/** The time limit for a page to show something. Without it one page that never shows blocks all other tests. */
const SHOWN_MS = 30_000;

type Members = Record<string, unknown>;

/** A request of the page that was answered with an error. */
export interface FailedRequest {
  readonly status: number;
  readonly path: string;
}

/** A real browser with one page, controlled over a pipe with the DevTools protocol. It can connect only to 127.0.0.1. */
export class Chromium {
  /** Newest last. */
  readonly failed: FailedRequest[] = [];
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #waiting = new Map<number, (answer: Members) => void>();
  #session = '';
  #count = 0;
  #text = '';

  private constructor(process: ChildProcess, folder: string) {
    this.#process = process;
    this.#folder = folder;
    (process.stdio[4] as Duplex).setEncoding('utf8').on('data', (chunk: string) => this.#hear(chunk));
  }

  static async start(file: string): Promise<Chromium> {
    const folder = await mkdtemp(join(tmpdir(), 'burgee-chromium-'));
    const words = [
      '--headless=new',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--remote-debugging-pipe',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      `--user-data-dir=${folder}`,
      '--window-size=1400,1000',
    ];
    const child = spawn(file, words, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    const browser = new Chromium(child, folder);
    const { targetId } = await browser.#send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.#send('Target.attachToTarget', { targetId, flatten: true });
    browser.#session = sessionId as string;
    for (const domain of ['Page', 'Runtime', 'Network']) await browser.#send(`${domain}.enable`);
    return browser;
  }

  async open(url: string): Promise<void> {
    await this.#send('Page.navigate', { url });
  }

  /** The value of an expression in the page. Undefined during a navigation. */
  async evaluate<Value>(expression: string): Promise<Value | undefined> {
    const { result } = await this.#send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    return (result as { value?: Value } | undefined)?.value;
  }

  /** Resolves when the page shows all of the texts; ignores case. */
  async shows(...texts: readonly string[]): Promise<void> {
    const wanted = texts.map((text) => text.toLowerCase());
    const text = () => this.evaluate<string>('document.body.innerText.toLowerCase()');
    await until(text, (shown) => wanted.every((each) => shown?.includes(each) === true), SHOWN_MS);
  }

  /** Types into the element that the selector finds. */
  async type(selector: string, text: string): Promise<void> {
    const focus = `(() => { const found = document.querySelector(${JSON.stringify(selector)}); found?.focus(); return !!found; })()`;
    await until(
      () => this.evaluate<boolean>(focus),
      (isThere) => isThere === true,
      SHOWN_MS,
    );
    await this.#send('Input.insertText', { text });
  }

  /** Clicks the first button or link whose label begins with `label`, once it exists. `within`: a selector of the element around it. */
  async click(label: string, within = 'body'): Promise<void> {
    const find = `[...document.querySelectorAll(${JSON.stringify(`${within} button, ${within} a`)})].find((each) =>
      (each.innerText || each.getAttribute('aria-label') || '').trim().toLowerCase().startsWith(${JSON.stringify(label.toLowerCase())}))`;
    await until(
      () => this.evaluate<boolean>(`(() => { const found = ${find}; found?.click(); return !!found; })()`),
      (isThere) => isThere === true,
      SHOWN_MS,
    );
  }

  async close(): Promise<void> {
    if (this.#process.exitCode === null) {
      const ended = once(this.#process, 'close');
      this.#process.kill('SIGKILL');
      await ended;
    }
    // Its child processes release their files a moment later.
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }

  #send(method: string, params: Members = {}): Promise<Members> {
    const id = ++this.#count;
    const session = this.#session === '' || method.startsWith('Target.') ? {} : { sessionId: this.#session };
    (this.#process.stdio[3] as Duplex).write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method} was not answered`)), COMMAND_MS);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        if (answer.error) reject(new Error(`${method}: ${JSON.stringify(answer.error)}`));
        else resolve((answer.result ?? {}) as Members);
      });
    });
  }

  #hear(chunk: string): void {
    const messages = (this.#text + chunk).split('\0');
    this.#text = messages.pop() ?? '';
    for (const message of messages) {
      const { id, method, params, ...answer } = JSON.parse(message);
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
      if (method !== 'Network.responseReceived' || params.response.status < 400) continue;
      const { pathname } = new URL(params.response.url);
      this.failed.push({ status: params.response.status, path: pathname });
    }
  }
}
