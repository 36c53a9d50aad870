import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Rejection } from '../../src/base/rejection.ts';
import type { SamlTask } from '../../src/features/sign-on/saml/protocol.ts';
import { SamlThread } from '../../src/features/sign-on/saml/thread.ts';

/** Says that it runs, and then waits until it is let go. */
const WORKER = `
export default ({ gate }) => {
  const flags = new Int32Array(gate);
  Atomics.store(flags, 0, 1);
  Atomics.wait(flags, 1, 0);
  return { kind: 'text', text: 'done' };
};`;

/** A task that runs for as long as the test likes. */
class Held {
  readonly #flags = new Int32Array(new SharedArrayBuffer(8));
  readonly task: SamlTask;

  constructor(kind: SamlTask['kind']) {
    this.task = { kind, gate: this.#flags.buffer } as unknown as SamlTask;
  }

  get runs(): boolean {
    return Atomics.load(this.#flags, 0) === 1;
  }

  letGo(): void {
    Atomics.store(this.#flags, 1, 1);
    Atomics.notify(this.#flags, 1);
  }
}

const DONE = { kind: 'text', text: 'done' };

let folder: string;
let thread: SamlThread;
/** What ends the time of each task that has one, in the order of their starts. */
let clocks: AbortController[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'burgee-saml-thread-'));
  const file = join(folder, 'worker.mjs');
  writeFileSync(file, WORKER);
  thread = new SamlThread(file);
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
  it('takes two responses of one address, and goes on taking those of others, and what is no response', async () => {
    const held = Array.from({ length: 3 }, () => new Held('validate'));
    const [first, second, third] = held.map(({ task }) => thread.run(task, '192.0.2.1'));
    expect(await third).toMatchObject({ name: 'TooManyRequestsError' });
    const others = [new Held('validate'), new Held('authorize')];
    const answers = [
      thread.run(others[0]?.task as SamlTask, '192.0.2.2'),
      thread.run(others[1]?.task as SamlTask, '192.0.2.1'),
    ];
    for (const each of [...held, ...others]) each.letGo();
    expect(await Promise.all([first, second, ...answers])).toEqual([DONE, DONE, DONE, DONE]);
    expect(await thread.run(held[2]?.task as SamlTask, '192.0.2.1')).toEqual(DONE);
  });

  it('counts a network of IPv6 as one address', async () => {
    const held = Array.from({ length: 3 }, () => new Held('validate'));
    const answers = held.map(({ task }, index) => thread.run(task, `2001:db8:1:${index}::1`));
    expect(await answers[2]).toMatchObject({ name: 'TooManyRequestsError' });
    for (const each of held) each.letGo();
    expect(await Promise.all(answers.slice(0, 2))).toEqual([DONE, DONE]);
  });

  it('counts the time of a task from when it runs, and ends the task that takes longer, and no other', async () => {
    const held = Array.from({ length: 3 }, () => new Held('validate'));
    const answers = held.map(({ task }, index) => thread.run(task, `192.0.2.${index}`));
    await vi.waitUntil(() => held[0]?.runs, { timeout: 60_000 });
    expect([held.map(({ runs }) => runs), clocks.length]).toEqual([[true, false, false], 1]);
    held[0]?.letGo();
    expect(await answers[0]).toEqual(DONE);
    await vi.waitUntil(() => held[1]?.runs, { timeout: 60_000 });
    expect(clocks.length).toBe(2);
    clocks[1]?.abort();
    expect(await answers[1]).toBeInstanceOf(Rejection);
    await vi.waitUntil(() => held[2]?.runs, { timeout: 60_000 });
    held[2]?.letGo();
    expect(await answers[2]).toEqual(DONE);
    expect(clocks.length).toBe(3);
  });
});
