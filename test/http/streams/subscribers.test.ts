import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import type { Channel, Frame } from '../../../src/base/queues/channel.ts';
import type { Exchange } from '../../../src/http/exchange.ts';
import type { CopiedRequest } from '../../../src/http/request.ts';
import { CHANGE_PACE, NOTICE_PACE } from '../../../src/http/streams/crowd.ts';
import type { SubscribedRoute } from '../../../src/http/streams/subscriber.ts';
import { SUBSCRIBER_OPTIONS, Subscribers } from '../../../src/http/streams/subscribers.ts';
import type { Caller } from '../../../src/model/caller.ts';

const STEP_MS = 20;
const CROWD = CHANGE_PACE.atOnce + 500;

/** A channel whose frames and notices are texts of their own. */
class TestChannel implements Channel {
  readonly isHydrationSmall = true;
  readonly isAnswered: boolean;
  notice: Uint8Array | undefined;
  #changes = 0;
  /** Number of frames that it was asked for. */
  asked = 0;

  constructor(isAnswered: boolean) {
    this.isAnswered = isAnswered;
  }

  get revision(): string {
    return String(this.#changes);
  }

  change(): void {
    this.#changes++;
  }

  since(): Frame {
    this.asked++;
    return { revision: this.revision, bytes: Buffer.from(`change ${this.revision}`) };
  }

  hydration(): Frame {
    return { revision: this.revision, bytes: Buffer.from('all') };
  }
}

let subscribers: Subscribers;

beforeEach(() => {
  // The work in slices goes on by itself; only the crowds and the check wait for the time.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  subscribers = new Subscribers(silentLogger, () => true);
});

afterEach(() => {
  subscribers.close();
  vi.useRealTimers();
});

/** Adds readers that accept all bytes, and returns what each of them got. */
function addReaders(channel: Channel, count: number, from = channel.revision): string[][] {
  return Array.from({ length: count }, () => {
    const got: string[] = [];
    const response = {
      onWritable: () => {},
      writeHead: () => {},
      endBody: () => {},
      close: () => {},
      cork: (write: () => void) => write(),
      writeBody: (bytes: Uint8Array) => {
        const text = Buffer.from(bytes).toString();
        if (/^(change|notice)/.test(text)) got.push(text);
        return true;
      },
    };
    const exchange = { response, headers: [], over: false, claim: () => {}, onEnd: () => {}, end: () => {} };
    const route = { access: { permission: 'FRONTEND' } } as SubscribedRoute;
    const request = { headers: new Map([['last-event-id', from]]) };
    const caller = { kind: 'frontend', token: { secret: 'a' } } as unknown as Caller;
    const refusal = subscribers.add(
      ...([exchange as unknown as Exchange, route, caller, request as unknown as CopiedRequest, channel] as const),
    );
    expect(refusal).toBeUndefined();
    return got;
  });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const countOf = (readers: readonly string[][], text: string) => readers.filter((got) => got.includes(text)).length;

/** Changes the channel, and waits until the pass over all streams has reached the last one, which is of another channel. */
async function change(channel: TestChannel, last: { readonly channel: TestChannel; readonly got: string[] }) {
  channel.change();
  last.channel.change();
  subscribers.changed();
  while (last.got.at(-1) !== `change ${last.channel.revision}`) await turn();
}

function addLast() {
  const channel = new TestChannel(false);
  const [got = []] = addReaders(channel, 1);
  return { channel, got };
}

it('A frame is kept for several readers of a channel, and not for one', () => {
  const channel = new TestChannel(false);
  channel.change();
  const readers = addReaders(channel, 1, '0');
  expect(channel.asked).toBe(1);
  readers.push(...addReaders(channel, 2, '0'));
  expect(channel.asked).toBe(2);
  expect(countOf(readers, 'change 1')).toBe(3);
});

describe('A change that readers answer with requests', () => {
  it('is sent to a thousand readers at once', async () => {
    const channel = new TestChannel(true);
    const readers = addReaders(channel, CHANGE_PACE.atOnce);
    await change(channel, addLast());
    expect(countOf(readers, 'change 1')).toBe(CHANGE_PACE.atOnce);
  });

  it('is spread over more readers, and a second change while it is spread does not undo this', async () => {
    const channel = new TestChannel(true);
    const readers = addReaders(channel, CROWD);
    const last = addLast();
    await change(channel, last);
    expect(countOf(readers, 'change 1')).toBe(0);
    vi.advanceTimersByTime(3 * STEP_MS);
    expect(countOf(readers, 'change 1')).toBe(3 * CHANGE_PACE.perStep);
    await change(channel, last);
    expect(countOf(readers, 'change 2')).toBe(0);
    // Also a change of another channel sends nothing to the readers that wait.
    last.channel.change();
    subscribers.changed();
    while (last.got.at(-1) !== `change ${last.channel.revision}`) await turn();
    expect(countOf(readers, 'change 2')).toBe(0);
    for (let served = 0; served < CROWD; served += CHANGE_PACE.perStep) {
      expect(countOf(readers, 'change 2')).toBe(served);
      vi.advanceTimersByTime(STEP_MS);
    }
    // Those that waited come first and got one frame for both changes; those that were served come again.
    const first = 3 * CHANGE_PACE.perStep;
    expect(readers.slice(0, first)).toEqual(Array.from({ length: first }, () => ['change 1', 'change 2']));
    expect(readers.slice(first)).toEqual(Array.from({ length: CROWD - first }, () => ['change 2']));
  });
});

describe('A notice', () => {
  /** Lets the time pass until all readers have the notice. Returns how many got it in each step. */
  async function steps(readers: readonly string[][], notice: string): Promise<number[]> {
    const counts: number[] = [];
    for (let before = 0; before < readers.length; ) {
      vi.advanceTimersByTime(STEP_MS);
      for (let turns = 0; turns < 5; turns++) await turn();
      const count = countOf(readers, notice);
      counts.push(count - before);
      before = count;
    }
    return counts;
  }

  it('is sent at once to a hundred readers that are up to date, by the next check', async () => {
    const channel = new TestChannel(false);
    const readers = addReaders(channel, NOTICE_PACE.atOnce);
    channel.notice = Buffer.from('notice');
    const counts = (await steps(readers, 'notice')).filter((count) => count > 0);
    expect(counts).toEqual([NOTICE_PACE.atOnce]);
  });

  it('is spread over more readers, once to each of them, also if a check or a change comes while it is spread', async () => {
    const channel = new TestChannel(false);
    const readers = addReaders(channel, CROWD);
    channel.notice = Buffer.from('notice');
    vi.advanceTimersByTime(SUBSCRIBER_OPTIONS.checkMs);
    while (vi.getTimerCount() < 2) await turn();
    await change(channel, addLast());
    expect([countOf(readers, 'change 1'), countOf(readers, 'notice')]).toEqual([CROWD, 0]);
    const counts = await steps(readers, 'notice');
    expect(Math.max(...counts)).toBe(NOTICE_PACE.perStep);
    expect(new Set(readers.map((got) => got.join()))).toEqual(new Set(['change 1,notice']));
  });
});
