import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** A program that reads questions as lines of JSON and answers each with one line. */
export class Lines {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #answers: AsyncIterator<string>;
  #stderr = '';

  constructor(command: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const { PATH = '', HOME = '' } = process.env;
    this.#process = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { PATH, HOME, ...environment } });
    this.#process.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-2_000);
    });
    this.#answers = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  /** @throws Error when the program has ended; its message has the last output of the program. */
  async ask<Answer>(question: unknown): Promise<Answer> {
    this.#process.stdin.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`the program ended:\n${this.#stderr}`);
    return JSON.parse(value) as Answer;
  }

  async stop(): Promise<void> {
    const closed = once(this.#process, 'close');
    this.#process.kill('SIGKILL');
    await closed;
  }
}
