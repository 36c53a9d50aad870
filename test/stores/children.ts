import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('./children/store-child.mjs', import.meta.url));

export type ChildMode =
  | 'hold'
  | 'append'
  | 'unaware'
  | 'snapshots'
  | 'untrimmed'
  | 'trims'
  | 'contend'
  | 'leave'
  | 'erases'
  | 'counts';

/** One line of a child's output; see store-child.mjs. */
export interface ChildLine {
  readonly opening?: { epoch: string; tip: number; firstSeq: number };
  readonly tip?: number;
  readonly failed?: string;
  readonly name?: string;
  readonly outcome?: 'not-appended' | 'unknown';
  readonly status?: { reachable: boolean; since?: string; reason?: string };
  readonly read?: number | string;
  readonly closed?: boolean;
  readonly saving?: number;
  readonly saved?: { seq: number; digest: string; sizeBytes: number };
  readonly trimming?: boolean;
  readonly erasing?: number;
  readonly erased?: number;
  readonly refused?: string;
  readonly counted?: number;
  readonly handedOver?: number;
}

/** Makes one kind of system call of a child fail. `when` selects the calls of a thread, as for strace: `20`, or `20+` for all from there. */
export interface Injection {
  readonly call: 'fdatasync' | 'pwrite64';
  readonly error: 'EIO' | 'ENOSPC';
  readonly when: string;
}

/** True when strace is installed and may trace. */
export function straceWorks(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
}

/** A process on a data directory. Its lines are kept; `kill` ends it at once, by its process id. */
export class StoreChild {
  readonly lines: ChildLine[] = [];
  readonly #process: ChildProcessByStdio<null, Readable, null>;
  readonly #ended: Promise<unknown>;
  #waiting: (() => void)[] = [];

  constructor(
    mode: ChildMode,
    directory: string,
    { argument = '', inject }: { argument?: string; inject?: Injection } = {},
  ) {
    const command = [process.execPath, SCRIPT, mode, directory, argument];
    const traced = inject ? straceCommand(inject, join(directory, 'data.mdb'), command) : command;
    const [file = '', ...rest] = traced;
    // strace counts the calls of each thread separately. With one thread for file work, its count equals the number of appends.
    const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
    this.#process = spawn(file, rest, { stdio: ['ignore', 'pipe', 'ignore'], env, detached: inject !== undefined });
    const reader = createInterface({ input: this.#process.stdout });
    reader.on('line', (line) => {
      this.lines.push(JSON.parse(line) as ChildLine);
      this.#wake();
    });
    this.#ended = Promise.all([once(this.#process, 'exit'), once(reader, 'close')]).then(() => this.#wake());
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get exitCode(): number | null {
    return this.#process.exitCode;
  }

  /** The first line that `matches`, waiting for it. Throws when the child ends without one. */
  async line(matches: (line: ChildLine) => boolean): Promise<ChildLine> {
    let ended = false;
    void this.#ended.then(() => {
      ended = true;
      this.#wake();
    });
    for (;;) {
      const found = this.lines.find(matches);
      if (found) return found;
      if (ended) throw new Error(`the child ended; its last lines are ${JSON.stringify(this.lines.slice(-5))}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async ended(): Promise<void> {
    await this.#ended;
  }

  /** Sends SIGKILL, then reads every line the child had written. Under strace, kills the group, which includes the traced process. */
  async kill(): Promise<void> {
    const { pid, spawnfile } = this.#process;
    if (spawnfile === 'strace' && pid) {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // Ended already.
      }
    } else this.#process.kill('SIGKILL');
    await this.#ended;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** Traces calls on the data file only: the number of calls on other files varies. */
function straceCommand({ call, error, when }: Injection, path: string, command: readonly string[]): string[] {
  const inject = `inject=${call}:error=${error}:when=${when}`;
  return ['strace', '-f', '-qq', '-o', '/dev/null', '-P', path, '-e', `trace=${call}`, '-e', inject, ...command];
}
