import { expect, it } from 'vitest';
import { bodyInParts } from '../../../src/base/prepared-answer.ts';
import type { Scope } from '../../../src/model/caller.ts';
import { State } from '../../../src/state/state.ts';
import { ClientViews } from '../../../src/views/client/client-views.ts';
import { streamEvent, streamEventInSteps } from '../../../src/views/client/delta-events.ts';
import { flag, projectOf } from '../../support/admin.ts';
import { commitOf } from '../../support/random-state.ts';

const SCOPE: Scope = { environment: 'development', projects: new Set(['default']) };
it('a large event is copied in steps of at most 256 KiB, with the same bytes as in one step', () => {
  const parts = ['[', 'a'.repeat(600 * 1024), 'b'.repeat(256 * 1024), ']'].map((text) => Buffer.from(text));
  const body = bodyInParts(parts);
  const steps = streamEventInSteps('connected', '7:abc', body);
  let count = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count++;
  // The head, 1 + 3 + 1 + 1 of the parts, and the end of the event.
  expect(count).toBe(8);
  const whole = Buffer.from(streamEvent('connected', '7:abc', body));
  expect(Buffer.from(step.value).equals(whole)).toBe(true);
  expect(whole.toString()).toBe(`id: 7:abc\nevent: connected\ndata: ${parts.map(String).join('')}\n\n`);
});

it('a stream begins with the whole list, whether it is copied at once or in slices', async () => {
  const state = new State();
  const views = new ClientViews(state);
  const put = (count: number, description: string) => {
    const features = Array.from({ length: count }, (_, index) => flag(`flag-${index}`, { description }));
    const changes = features.map((entity) => ({ collection: 'features' as const, key: entity.name, entity }));
    const project = { collection: 'projects' as const, key: 'default', entity: projectOf('default') };
    views.apply(state.apply(commitOf(state, [project, ...changes])));
  };
  const channel = views.channel(SCOPE);
  const hydrate = async () => {
    await views.view(SCOPE, 2).refresh();
    const frame = channel.hydration();
    const { revision, bytes } = await frame;
    expect(revision).toBe(channel.revision);
    const text = Buffer.from(bytes).toString();
    const head = `id: ${revision}\nevent: unleash-connected\ndata: `;
    expect([text.slice(0, head.length), text.slice(-2)]).toEqual([head, '\n\n']);
    const [hydration] = JSON.parse(text.slice(head.length)).events;
    expect(hydration.type).toBe('hydration');
    const { features } = JSON.parse(Buffer.concat(views.view(SCOPE, 2).identity.parts).toString());
    expect(hydration.features).toEqual(features);
    return { isInSlices: frame instanceof Promise, bytes: bytes.byteLength, flags: features.length };
  };
  put(3, 'short');
  expect(await hydrate()).toMatchObject({ isInSlices: false, flags: 3 });
  put(12, 'x'.repeat(100_000));
  const large = await hydrate();
  expect(large).toMatchObject({ isInSlices: true, flags: 12 });
  expect(large.bytes).toBeGreaterThan(1024 * 1024);
});

it('a stream that has missed more bytes than are sent as changes gets the whole list', async () => {
  const state = new State();
  const views = new ClientViews(state);
  const put = (name: string, length: number) => {
    const entity = flag(name, { description: 'x'.repeat(length) });
    views.apply(state.apply(commitOf(state, [{ collection: 'features', key: name, entity }])));
  };
  views.apply(state.apply(commitOf(state, [{ collection: 'projects', key: 'default', entity: projectOf('default') }])));
  await views.view(SCOPE, 2).refresh();
  const channel = views.channel(SCOPE);
  const { revision } = channel;
  put('first', 600_000);
  await views.view(SCOPE, 2).refresh();
  const between = channel.revision;
  expect(channel.since(revision)?.bytes.byteLength).toBeGreaterThan(600_000);
  put('second', 600_000);
  await views.view(SCOPE, 2).refresh();
  expect(channel.since(revision)).toBeNull();
  expect(channel.since(between)?.revision).toBe(channel.revision);
});
