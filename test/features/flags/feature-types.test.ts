import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPotentiallyStale } from '../../../src/features/flags/stale/commands.ts';
import type { AuditEvent } from '../../../src/model/event.ts';
import { accepted, eventsOf, FORBIDDEN, flag, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { expectConforms, startTestService, type TestService } from '../../support/service.ts';

const TYPE = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    lifetimeDays: Type.Union([Type.Integer(), Type.Null()]),
  },
  { additionalProperties: false },
);

const DAY_MS = 24 * 3_600_000;
const PERIOD_MS = 1_000;

const lifetimes = async (service: TestService) => {
  const { body } = await accepted(service, 'getAllFeatureTypes');
  for (const type of body.types) expectConforms(TYPE, type, 'a type');
  return Object.fromEntries(body.types.map(({ id, lifetimeDays }: Record<string, unknown>) => [id, lifetimeDays]));
};

describe('feature types', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });

  afterAll(() => service.close());

  it('have the lifetimes that Unleash sets, until an admin changes them', async () => {
    const usual = { release: 40, experiment: 40, operational: 7, 'kill-switch': null, permission: null, sunset: 90 };
    expect(await lifetimes(service)).toEqual(usual);
    const [event] = await eventsOf(service, async () => {
      const answer = await accepted(service, 'updateFeatureTypeLifetime', {
        params: { id: 'release' },
        body: { lifetimeDays: 5 },
      });
      expectConforms(TYPE, answer.body, 'the type');
      expect(answer.body).toMatchObject({ id: 'release', lifetimeDays: 5 });
    });
    const change = { data: { id: 'release', lifetimeDays: 5 }, preData: { id: 'release', lifetimeDays: 40 } };
    expect(event).toMatchObject({ type: 'feature-type-updated', ...change });
    expect(await lifetimes(service)).toEqual({ ...usual, release: 5 });
  });

  it.each([0, null])('with the lifetime %s have none', async (lifetimeDays) => {
    const answer = await accepted(service, 'updateFeatureTypeLifetime', {
      params: { id: 'operational' },
      body: { lifetimeDays },
    });
    expect(answer.body.lifetimeDays).toBeNull();
    await accepted(service, 'updateFeatureTypeLifetime', { params: { id: 'operational' }, body: { lifetimeDays: 7 } });
  });

  it.each([{}, { lifetimeDays: -1 }, { lifetimeDays: 1.5 }, { lifetimeDays: '7' }, { lifetimeDays: 36_501 }])(
    'refuse the lifetime %j',
    async (body) => {
      await refused(service, 'updateFeatureTypeLifetime', INVALID, { params: { id: 'release' }, body });
    },
  );

  it('that are unknown are refused', async () => {
    for (const id of ['releases', '__proto__', 'toString'])
      await refused(service, 'updateFeatureTypeLifetime', MISSING, { params: { id }, body: { lifetimeDays: 3 } });
  });

  it('are changed by admins only', async () => {
    await putUser(service, 61);
    const token = await personalTokenOf(service, 61);
    expect((await accepted(service, 'getAllFeatureTypes', { token })).body.types).toHaveLength(6);
    await refused(service, 'updateFeatureTypeLifetime', FORBIDDEN, {
      token,
      params: { id: 'release' },
      body: { lifetimeDays: 3 },
    });
  });
});

describe('a flag that has exceeded its lifetime', () => {
  const clock = new ManualClock(Date.parse('2026-03-01T00:00:00.000Z'));
  let service: TestService;

  const staleEvents = async (): Promise<AuditEvent[]> => {
    const { body } = await accepted(service, 'getEvents', { query: 'limit=100' });
    return (body.events as AuditEvent[]).filter(({ type }) => type === 'feature-potentially-stale-on').reverse();
  };
  const overdue = () => {
    const { state } = service.running.services;
    return [...state.values('features')]
      .filter((one) => isPotentiallyStale(state, one, clock.nowMs()))
      .map(({ name }) => name)
      .sort();
  };
  /** Advances the clock, so that the service checks the flags, until the condition is true. */
  const look = async (until: () => boolean) => {
    for (let turns = 0; turns < 2_000 && !until(); turns++) {
      // The service may be busy or asleep. When it sleeps, one of these steps wakes it.
      clock.advance(PERIOD_MS);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(until()).toBe(true);
  };
  const marks = () => [...service.running.services.state.values('staleMarks')].map(({ feature }) => feature).sort();

  beforeAll(async () => {
    service = await startTestService({ clock, env: { STALE_CHECK_EVERY_MS: String(PERIOD_MS) } });
    const at = (days: number) => new Date(clock.nowMs() - days * DAY_MS).toISOString();
    await prepare(service, (draft) => {
      for (let count = 0; count < 150; count++) draft.put('features', flag(`many-${count}`, { createdAt: at(100) }));
      draft.put('features', flag('old', { createdAt: at(41) }));
      draft.put('features', flag('young', { createdAt: at(39) }));
      draft.put('features', flag('operational', { type: 'operational', createdAt: at(8) }));
      draft.put('features', flag('switch', { type: 'kill-switch', createdAt: at(1_000) }));
      draft.put('features', flag('stale', { stale: true, createdAt: at(1_000) }));
      draft.put('features', flag('gone', { archived: true, archivedAt: at(1), createdAt: at(1_000) }));
    });
  });

  afterAll(() => service.close());

  it('is reported once in the audit log, and no other flag is', async () => {
    expect(overdue()).toHaveLength(152);
    await look(() => marks().length === 152);
    expect(marks()).toEqual(overdue());
    const count = () => service.running.services.state.lastEventId;
    const before = count();
    const events = await staleEvents();
    expect(events.find(({ featureName }) => featureName === 'old')).toMatchObject({
      project: 'default',
      createdBy: 'burgee',
      data: { name: 'old', type: 'release', lifetimeDays: 40 },
    });
    expect(new Set(events.map(({ featureName }) => featureName)).size).toBe(events.length);
    // Two days later one more flag has exceeded its lifetime. The others are already reported.
    clock.advance(2 * DAY_MS);
    await look(() => marks().includes('young'));
    expect(count()).toBe(before + 1);
  });

  it('loses its mark when it is marked as stale or its type gets a longer lifetime, and gets it again with a shorter one', async () => {
    const body = { features: ['old'], stale: true };
    await accepted(service, 'staleFeatures', { params: { projectId: 'default' }, body });
    await look(() => !marks().includes('old'));
    const lifetime = (lifetimeDays: number) =>
      accepted(service, 'updateFeatureTypeLifetime', { params: { id: 'operational' }, body: { lifetimeDays } });
    await lifetime(1_000);
    expect(overdue()).not.toContain('operational');
    await look(() => !marks().includes('operational'));
    await lifetime(2);
    expect(overdue()).toContain('operational');
    await look(() => marks().includes('operational'));
    const names = (await staleEvents()).map(({ featureName }) => featureName);
    expect(names.filter((name) => name === 'operational').length).toBeGreaterThan(0);
  });

  it('leaves no mark when it is deleted', async () => {
    const params = { projectId: 'default' };
    expect(marks()).toContain('young');
    await accepted(service, 'archiveFeature', { params: { ...params, featureName: 'young' } });
    await accepted(service, 'deleteFeatures', { params, body: { features: ['young'] } });
    expect(marks()).not.toContain('young');
  });
});
