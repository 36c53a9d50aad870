import { expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { Slicer } from '../../../src/base/yield-control.ts';
import type { Caller } from '../../../src/model/caller.ts';
import { ClientViews } from '../../../src/views/client/client-views.ts';
import type { AnswerStream } from '../../../src/views/frontend/answer-stream.ts';
import { FrontendStreams } from '../../../src/views/frontend/frontend-streams.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { FlagsInMemory, offFlag, onFlag, SCOPE } from './flags-in-memory.ts';

const OPENING = { context: {}, remoteAddress: '127.0.0.1', lastEventId: '' };
const CALLER = { token: null, kind: 'frontend', scope: SCOPE } as unknown as Caller;

function streamsOf(flags: FlagsInMemory) {
  const clock = new ManualClock();
  const { state, views: flagViews } = flags;
  const clientViews = new ClientViews(state);
  return new FrontendStreams({ state, clientViews, flagViews, clock, logger: silentLogger });
}

const slicer = () => Slicer.of(SERVICE);

it('an answer to a request has the position of the streams with the same flags, and "" if a parent is newer than the answer', async () => {
  const flags = new FlagsInMemory('second');
  const dated = { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2025-12-31T00:00:00.000Z' };
  flags.put(onFlag('parent', [], { project: 'second' }));
  flags.put(onFlag('child', [dated], { dependencies: [{ feature: 'parent', enabled: true, variants: [] }] }));
  const streams = streamsOf(flags);
  const scope = { environment: 'development', projects: new Set(['default']) };
  const snapshot = await flags.views.snapshotOf(scope);
  const nowMs = streams.clock.nowMs();
  expect(snapshot.needs).toBeUndefined();
  const position = await streams.positionAt(scope, snapshot, nowMs, slicer);
  expect(position).toMatch(/^2-[0-9a-f]{8}~1$/);
  expect((await streams.hold(scope).whenPublished()).position).toBe(position);
  streams.release(scope);
  // The revision of the scope stays the same: it has no flag of the other project.
  flags.put(onFlag('parent', [], { project: 'second', impressionData: true }));
  expect(await streams.positionAt(scope, snapshot, nowMs, slicer)).toBe('');
  expect(await streams.positionAt(scope, await flags.views.snapshotOf(scope), nowMs, slicer)).toMatch(/^3-/);
});

it('a stream gets nothing if it was closed before the first version, and the whole answer if too much has changed', async () => {
  const flags = new FlagsInMemory();
  const names = Array.from({ length: 1_025 }, (_, index) => `flag-${index}`);
  flags.put(...names.map((name) => onFlag(name)));
  const streams = streamsOf(flags);
  const stream = streams.open(CALLER, OPENING) as AnswerStream;
  const closed = streams.open(CALLER, OPENING) as AnswerStream;
  expect(closed.revision).toBe('');
  const frame = closed.hydration();
  closed.closed();
  expect(await frame).toEqual({ revision: '', bytes: new Uint8Array() });
  expect(streams.waitingCount).toBe(0);
  const first = await stream.hydration();
  expect(first.revision).toBe(stream.revision);
  expect(JSON.parse(`{${Buffer.from(first.bytes)}`).toggles).toHaveLength(1_025);
  const changed = new Promise<void>((resolve) => streams.onChanged(() => resolve()));
  flags.put(...names.map(offFlag));
  streams.hold(SCOPE).wake();
  await changed;
  expect(stream.revision).not.toBe(first.revision);
  expect([stream.since(first.revision), stream.since('=a revision of another history')]).toEqual([null, null]);
  const second = await stream.hydration();
  expect([second.revision, `${Buffer.from(second.bytes)}`]).toEqual([stream.revision, '"toggles":[]}\n\n']);
  stream.closed();
  streams.release(SCOPE);
});
