import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '../../../../src/base/logger.ts';
import { Rejection } from '../../../../src/base/rejection.ts';
import type { SamlTask } from '../../../../src/features/sign-on/saml/protocol.ts';
import { SamlThread } from '../../../../src/features/sign-on/saml/thread.ts';

/** Reports that it runs, and then waits until it is released. */
const WORKER = `
export default ({ gate }) => {
  const flags = new Int32Array(gate);
  Atomics.store(flags, 0, 1);
  Atomics.wait(flags, 1, 0);
  return { kind: 'text', text: 'done' };
};`;

/** A task that runs until the test releases it. */
class BlockedTask {
  readonly #flags = new Int32Array(new SharedArrayBuffer(8));
  readonly task: SamlTask;

  constructor(kind: SamlTask['kind']) {
    this.task = { kind, gate: this.#flags.buffer } as unknown as SamlTask;
  }

  get runs(): boolean {
    return Atomics.load(this.#flags, 0) === 1;
  }

  release(): void {
    Atomics.store(this.#flags, 1, 1);
    Atomics.notify(this.#flags, 1);
  }
}

const DONE = { kind: 'text', text: 'done' };

let folder: string;
let thread: SamlThread;
/** The time limit of each task that has one, in the order of their starts. */
let clocks: AbortController[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'burgee-saml-thread-'));
  const file = join(folder, 'worker.mjs');
  writeFileSync(file, WORKER);
  thread = new SamlThread(silentLogger, file);
  clocks = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const clock = new AbortController();
    clocks.push(clock);
    return clock.signal;
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await thread.close();
  rmSync(folder, { recursive: true });
});

describe('the thread that reads SAML', () => {
  it('accepts two responses of one address, those of other addresses, and other tasks of the same address', async () => {
    const blocked = Array.from({ length: 3 }, () => new BlockedTask('validate'));
    const [first, second, third] = blocked.map(({ task }) => thread.run(task, '192.0.2.1'));
    expect(await third).toMatchObject({ name: 'TooManyRequestsError' });
    const others = [new BlockedTask('validate'), new BlockedTask('authorize')];
    const answers = [
      thread.run(others[0]?.task as SamlTask, '192.0.2.2'),
      thread.run(others[1]?.task as SamlTask, '192.0.2.1'),
    ];
    for (const each of [...blocked, ...others]) each.release();
    expect(await Promise.all([first, second, ...answers])).toEqual([DONE, DONE, DONE, DONE]);
    expect(await thread.run(blocked[2]?.task as SamlTask, '192.0.2.1')).toEqual(DONE);
  });

  it('counts an IPv6 network as one address', async () => {
    const blocked = Array.from({ length: 3 }, () => new BlockedTask('validate'));
    const answers = blocked.map(({ task }, index) => thread.run(task, `2001:db8:1:${index}::1`));
    expect(await answers[2]).toMatchObject({ name: 'TooManyRequestsError' });
    for (const each of blocked) each.release();
    expect(await Promise.all(answers.slice(0, 2))).toEqual([DONE, DONE]);
  });

  it('counts the time limit of a task from its start, and ends only the task that exceeds it', async () => {
    const blocked = Array.from({ length: 3 }, () => new BlockedTask('validate'));
    const answers = blocked.map(({ task }, index) => thread.run(task, `192.0.2.${index}`));
    await vi.waitUntil(() => blocked[0]?.runs, { timeout: 60_000 });
    expect([blocked.map(({ runs }) => runs), clocks.length]).toEqual([[true, false, false], 1]);
    blocked[0]?.release();
    expect(await answers[0]).toEqual(DONE);
    await vi.waitUntil(() => blocked[1]?.runs, { timeout: 60_000 });
    expect(clocks.length).toBe(2);
    clocks[1]?.abort();
    expect(await answers[1]).toBeInstanceOf(Rejection);
    await vi.waitUntil(() => blocked[2]?.runs, { timeout: 60_000 });
    blocked[2]?.release();
    expect(await answers[2]).toEqual(DONE);
    expect(clocks.length).toBe(3);
  });
});
