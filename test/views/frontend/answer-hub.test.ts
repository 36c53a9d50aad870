import { describe, expect, it } from 'vitest';
import { type Logger, silentLogger } from '../../../src/base/logger.ts';
import type { FlagSnapshot } from '../../../src/views/flags/flag-snapshot.ts';
import { AnswerHub, type HubSource, type HubVersion, revisionOf } from '../../../src/views/frontend/answer-hub.ts';
import { Flags } from '../../support/flags.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { FRONTEND_TOKEN, useService } from '../../support/service.ts';
import { untilTrue } from '../../support/until.ts';
import { FlagsInMemory, offFlag, onFlag, SCOPE, streamContext } from './flags-in-memory.ts';

const service = useService();

it('a hub knows since which version no flag has changed, although the position has', async () => {
  const { clock, flagViews, tokens } = service.running.services;
  const scope = tokens.find(FRONTEND_TOKEN)?.scope;
  if (!scope) throw new Error('the token has no scope');
  let position = 'first';
  let published = () => {};
  const source = {
    clock,
    logger: silentLogger,
    flags: () => flagViews.snapshotOf(scope),
    position: () => position,
  };
  const hub = new AnswerHub(scope, source, () => published());
  await hub.whenPublished();
  const next = async (now: string) => {
    position = now;
    const done = new Promise<void>((resolve) => {
      published = resolve;
    });
    hub.wake();
    await done;
  };
  const isUnchangedSince = (...positions: readonly string[]) =>
    positions.map((each) => hub.isUnchangedSince(revisionOf(each)));
  await next('second');
  await next('third');
  expect(isUnchangedSince('first', 'second', 'third', 'another')).toEqual([true, true, true, false]);
  await new Flags(service).create();
  await next('fourth');
  await next('fifth');
  expect(isUnchangedSince('third', 'fourth', 'fifth')).toEqual([false, true, true]);
  hub.close();
});

/** A hub over flags in memory. Its versions are made one by one, so that every number is known. */
class Versions implements HubSource {
  readonly flagsNow = new FlagsInMemory();
  readonly clock = new ManualClock();
  readonly logged: unknown[] = [];
  readonly logger = { ...silentLogger, error: (fields: object) => this.logged.push(fields) } as unknown as Logger;
  readonly hub: AnswerHub;
  /** What the hub gets in place of the flags. */
  fault: Error | undefined;
  /** The position of the next version. Without one it is the number of commits. */
  ownPosition: string | undefined;
  #published = () => {};

  constructor(count = 0) {
    this.flagsNow.put(...names(0, count).map((name) => onFlag(name)));
    this.hub = new AnswerHub(SCOPE, this, () => this.#published());
  }

  flags(): FlagSnapshot | Promise<FlagSnapshot> {
    if (this.fault) throw this.fault;
    return this.flagsNow.snapshot();
  }

  position(): string {
    return this.ownPosition ?? String(this.flagsNow.state.seq);
  }

  /** Makes the next version, after the change. */
  async next(change: () => void, wake = () => this.hub.wake()): Promise<HubVersion> {
    const published = new Promise<void>((resolve) => {
      this.#published = resolve;
    });
    change();
    wake();
    await published;
    return this.hub.current as HubVersion;
  }

  /** Changes these flags in one version. */
  async turnOff(...flags: readonly string[]): Promise<void> {
    await this.next(() => this.flagsNow.put(...flags.map(offFlag)));
  }

  /** The names that a reader of this version is sent: flags that are on, and the others. Null when it is sent the whole answer. */
  sentTo(number: number): { on: string[]; off: string[] } | null {
    const bytes = this.hub.changesFrom(number)?.of(streamContext());
    if (!bytes) return null;
    const { toggles, removed } = JSON.parse(`{${Buffer.from(bytes)}`) as { toggles: { name: string }[]; removed: [] };
    return { on: toggles.map(({ name }) => name), off: removed };
  }
}

const names = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `flag-${String(from + index).padStart(4, '0')}`);

describe('a reader of a version before the previous one', () => {
  it('is sent the flags that have changed since then, as they are now', async () => {
    const versions = new Versions(5);
    const [a, b, c, d] = names(0, 4) as [string, string, string, string];
    await versions.hub.whenPublished();
    await versions.turnOff(a);
    await versions.turnOff(b, c);
    await versions.next(() => versions.flagsNow.put(onFlag(b, [], { impressionData: true })));
    await versions.next(() => versions.flagsNow.remove(d));
    expect([1, 2, 3].map((number) => versions.sentTo(number))).toEqual([
      { on: [b], off: [a, c, d] },
      { on: [b], off: [c, d] },
      { on: [b], off: [d] },
    ]);
    // The answers of the version before are known: only what differs from them is sent.
    expect(versions.sentTo(4)).toEqual({ on: [], off: [d] });
    // No reader can have a version that was not made.
    expect([0, 6].map((number) => versions.hub.changesFrom(number))).toEqual([null, null]);
    versions.hub.close();
  });

  it('is sent the whole answer when more flags have changed than are sent as changes', async () => {
    const versions = new Versions(1_100);
    await versions.hub.whenPublished();
    await versions.turnOff(...names(0, 600));
    await versions.turnOff(...names(500, 1_025));
    await versions.turnOff(...names(500, 510));
    // 1,025 flags since the first version, 525 since the second.
    expect(versions.sentTo(1)).toBeNull();
    expect(versions.sentTo(2)).toEqual({ on: [], off: names(500, 1_025) });
    // One version with more of them is not counted: all before it need the whole answer.
    await versions.turnOff(...names(0, 1_025));
    await versions.turnOff(...names(1_050, 1_052));
    expect(versions.sentTo(4)).toBeNull();
    expect(versions.sentTo(5)).toEqual({ on: [], off: names(1_050, 1_052) });
    versions.hub.close();
  });

  it('is sent the whole answer when that version was forgotten: 1,024 are remembered', async () => {
    const versions = new Versions(2);
    const [name] = names(0, 1) as [string];
    versions.ownPosition = 'first';
    const first = (await versions.hub.whenPublished()).revision;
    const revisions: string[] = [];
    for (let version = 2; version <= 1_024; version++) {
      versions.ownPosition = `position ${version}`;
      revisions.push((await versions.next(() => {})).revision);
    }
    expect(versions.hub.numberOf(first)).toBe(1);
    expect(versions.hub.isUnchangedSince(first)).toBe(true);
    expect(versions.hub.changesFrom(1)?.of(streamContext())?.byteLength).toBe(0);
    versions.ownPosition = 'last';
    await versions.turnOff(name);
    expect([first, revisions[0] as string].map((each) => versions.hub.numberOf(each))).toEqual([undefined, 2]);
    expect(versions.hub.isUnchangedSince(first)).toBe(false);
    expect(versions.hub.changesFrom(1)).toBeNull();
    expect(versions.sentTo(2)).toEqual({ on: [], off: [name] });
    versions.hub.close();
  });

  it('is found by the latest version with its revision, also after an older one with it was forgotten', async () => {
    const versions = new Versions(1);
    versions.ownPosition = 'again';
    const { revision } = await versions.hub.whenPublished();
    for (let version = 2; version <= 1_025; version++) {
      versions.ownPosition = version === 1_000 ? 'again' : `position ${version}`;
      await versions.next(() => {});
    }
    expect(versions.hub.numberOf(revision)).toBe(1_000);
    versions.hub.close();
  });
});

describe('a rule that reads the time other than by a date comparison', () => {
  const readsClock = { contextName: 'currentTime', operator: 'STR_STARTS_WITH', values: ['2026-01-01T00:00:0'] };

  it('makes a version when ten seconds have passed', async () => {
    const versions = new Versions();
    const [name] = names(0, 1) as [string];
    versions.flagsNow.put(onFlag(name, [readsClock]));
    const { hub, clock } = versions;
    // Nothing has changed since the first version, because it was not made yet.
    hub.tick();
    const first = await hub.whenPublished();
    clock.advance(9_999);
    hub.tick();
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect(hub.current).toBe(first);
    clock.advance(1);
    const { number, nowMs } = await versions.next(
      () => {},
      () => hub.tick(),
    );
    expect([number, nowMs - first.nowMs]).toEqual([2, 10_000]);
    expect(versions.sentTo(1)).toEqual({ on: [], off: [name] });
    hub.close();
  });

  it('adds the flag to every version: at most 65,536 names of flags are remembered', async () => {
    const versions = new Versions();
    versions.flagsNow.put(...names(0, 1_024).map((name) => onFlag(name, [readsClock])));
    const revisions = [(await versions.hub.whenPublished()).revision];
    const numbers = () => revisions.slice(0, 3).map((revision) => versions.hub.numberOf(revision));
    const pass = async () => revisions.push((await versions.next(() => versions.clock.advance(10_000))).revision);
    // The first version has no names, 64 others have 1,024 each.
    while (revisions.length < 65) await pass();
    expect(numbers()).toEqual([1, 2, 3]);
    await pass();
    expect(numbers()).toEqual([undefined, undefined, 3]);
    versions.hub.close();
  });
});

it('a version that could not be made is logged, and the next change makes it', async () => {
  const versions = new Versions(2);
  const { hub, logged } = versions;
  const first = await hub.whenPublished();
  versions.fault = new Error('the flags cannot be read');
  hub.wake();
  await untilTrue(() => logged.length > 0, 'the fault is logged');
  expect(logged).toEqual([{ err: versions.fault }]);
  expect(hub.current).toBe(first);
  versions.fault = undefined;
  await versions.turnOff(...names(1, 2));
  expect(versions.sentTo(1)).toEqual({ on: [], off: names(1, 2) });
  hub.close();
});

it('only answers of the current version are kept, at most 64 of them and 4 MiB', async () => {
  const versions = new Versions(1);
  const { hub } = versions;
  const first = await hub.whenPublished();
  const kept = () => Array.from({ length: 66 }, (_, index) => index).filter((index) => hub.wholeAnswer(`${index}`));
  const bytes = Buffer.from('answer');
  for (let index = 0; index < 66; index++) hub.cacheWholeAnswer(first, `${index}`, bytes);
  expect(kept()).toEqual(Array.from({ length: 64 }, (_, index) => index));
  expect(hub.wholeAnswer('63')).toBe(bytes);
  versions.ownPosition = 'second';
  const second = await versions.next(() => {});
  expect(kept()).toEqual([]);
  hub.cacheWholeAnswer(first, '0', bytes);
  hub.cacheWholeAnswer(second, '1', Buffer.alloc(4 * 1024 * 1024 - bytes.byteLength));
  hub.cacheWholeAnswer(second, '2', bytes);
  hub.cacheWholeAnswer(second, '3', bytes);
  expect(kept()).toEqual([1, 2]);
  hub.close();
});
