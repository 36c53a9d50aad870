import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { announceService } from '../checks/documented-answers.ts';
import { BUILT_PROGRAM } from './built-program.ts';

/** Burgee as users run it: the build in its own process, on a free port. */
export class BurgeeProcess {
  readonly process: ChildProcessByStdio<null, Readable, Readable>;
  stdout = '';
  stderr = '';
  /** Resolves with the exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  readonly #listeners = new Set<() => void>();
  readonly #isAtRoot: boolean;

  /** `args`: the command, unless it is the server. */
  constructor(
    environment: Readonly<Record<string, string>>,
    wrapper: readonly string[] = [],
    args: readonly string[] = [],
  ) {
    this.#isAtRoot = environment.BASE_URI_PATH === undefined;
    const { PATH = '', HOME = '', HTTP_FRONT = '' } = process.env;
    const [file = '', ...rest] = [...wrapper, process.execPath, BUILT_PROGRAM, ...args];
    this.process = spawn(file, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH, HOME, HTTP_FRONT, HTTP_HOST: '127.0.0.1', HTTP_PORT: '0', ...environment },
    });
    this.process.stdout.on('data', (chunk: Buffer) => this.#hear('stdout', chunk));
    this.process.stderr.on('data', (chunk: Buffer) => this.#hear('stderr', chunk));
    this.exited = once(this.process, 'close').then(([code, signal]) => code ?? signal);
    void this.exited.then(() => this.#notify());
  }

  /** Resolves when standard error holds a match; rejects when the process ends before. */
  logged(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#shown('stderr', pattern);
  }

  /** Resolves when standard output holds a match; rejects when the process ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#shown('stdout', pattern);
  }

  async #shown(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this[stream]);
      if (match) return match;
      if (this.process.exitCode !== null || this.process.signalCode !== null) {
        throw new Error(`the process ended without a line that matches ${pattern}:\n${this.stderr}`);
      }
      await new Promise<void>((resolve) => this.#listeners.add(resolve));
    }
  }

  /** The address, once it serves. */
  async url(): Promise<string> {
    const [, port] = await this.logged(/"port":(\d+).*"burgee serves"/);
    const url = `http://127.0.0.1:${port}`;
    if (this.#isAtRoot) announceService(url);
    return url;
  }

  /** Ends it if it still runs. */
  async stop(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exited;
  }

  #hear(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    this[stream] += chunk.toString();
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}
