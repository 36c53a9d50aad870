import { describe, expect, it } from 'vitest';
import { Rejection } from '../../../src/base/rejection.ts';
import { workAtOnce } from '../../../src/base/work.ts';
import type { Constraint } from '../../../src/model/constraint.ts';
import type { Feature } from '../../../src/model/feature.ts';
import type { FlagSnapshot } from '../../../src/views/flags/flag-snapshot.ts';
import { AnswerChanges } from '../../../src/views/frontend/answer-changes.ts';
import { flagDifferences } from '../../../src/views/frontend/flag-differences.ts';
import { StreamContext } from '../../../src/views/frontend/stream-context.ts';
import { flag, prepare } from '../../support/admin.ts';
import { useService } from '../../support/service.ts';

const SCOPE = { environment: 'development', projects: null };
const STREAMS = 2_000;
const PLANS = 20;
const NOW_MS = Date.parse('2026-03-01T12:00:00.000Z');

const service = useService();

interface FlagOptions {
  readonly constraints?: readonly Constraint[];
  readonly rollout?: string;
  readonly enabled?: boolean;
}

function flagOf(name: string, { constraints = [], rollout = '100', enabled = true }: FlagOptions): Feature {
  const parameters = { rollout, stickiness: 'default', groupId: name };
  const strategy = { id: name, name: 'flexibleRollout', title: null, disabled: false, sortOrder: 0, parameters };
  const strategies = [{ ...strategy, constraints: [...constraints], segments: [], variants: [] }];
  return flag(name, { environments: [{ environment: 'development', enabled, strategies, variants: [] }] });
}

async function snapshotWith(...features: readonly Feature[]): Promise<FlagSnapshot> {
  await prepare(service, (draft) => {
    for (const feature of features) draft.put('features', feature);
  });
  return service.running.services.flagViews.snapshotOf(SCOPE);
}

async function changesBy(before: Feature, after: Feature): Promise<AnswerChanges> {
  // Another flag, which reads a value that differs between streams.
  const other = flagOf('other', { rollout: '50' });
  const was = { snapshot: await snapshotWith(other, before), nowMs: NOW_MS };
  const is = { snapshot: await snapshotWith(after), nowMs: NOW_MS };
  const differences = workAtOnce(flagDifferences(was, is));
  expect([...(differences?.keys() ?? [])]).toEqual([after.name]);
  for (const { before: old, after: now } of differences?.values() ?? []) {
    old?.compiled();
    now?.compiled();
  }
  return new AnswerChanges([...(differences?.values() ?? [])], was, is);
}

const contexts = Array.from({ length: STREAMS }, (_, index) => {
  const sent = {
    userId: `user-${index}`,
    sessionId: `session-${index}`,
    properties: { plan: `plan-${index % PLANS}` },
  };
  const context = StreamContext.of(sent, { environment: 'development', remoteAddress: '127.0.0.1', draw: index });
  if (context instanceof Rejection) throw new Error(context.message);
  return context;
});

/** The different answers that the streams get. */
const answersOf = (changes: AnswerChanges) => new Set(contexts.map((context) => changes.of(context)));

const inPlans = (...values: readonly string[]): Constraint => ({
  contextName: 'plan',
  operator: 'IN',
  values: [...values],
});

describe('a change', () => {
  it('of a flag that reads no context is evaluated once, however many streams there are', async () => {
    const changes = await changesBy(flagOf('kill', { enabled: false }), flagOf('kill', {}));
    expect(answersOf(changes).size).toBe(1);
    expect(changes.evaluations).toBe(1);
  });

  it('of a flag that reads a field is evaluated once for each of its values, and encoded once for each answer', async () => {
    const before = flagOf('plan', { constraints: [inPlans('plan-1')] });
    const changes = await changesBy(before, flagOf('plan', { constraints: [inPlans('plan-1', 'plan-2', 'plan-3')] }));
    const texts = [...answersOf(changes)].map((bytes) => Buffer.from(bytes as Uint8Array).toString());
    expect(changes.evaluations).toBe(PLANS);
    // Two plans get that it is on. The others, and the plan for which it was on before, get nothing.
    expect(texts).toHaveLength(2);
    expect(texts).toContain('');
    expect(texts.find((text) => text !== '')).toContain('"name":"plan"');
  });

  it('of a rollout is evaluated for every stream, and encoded once', async () => {
    const changes = await changesBy(flagOf('rolled', { rollout: '30' }), flagOf('rolled', { rollout: '60' }));
    expect(answersOf(changes).size).toBe(2);
    expect(changes.evaluations).toBe(STREAMS);
    const changed = contexts.filter((context) => changes.of(context)?.byteLength !== 0).length;
    // Those between 30 % and 60 %.
    expect(changed / STREAMS).toBeGreaterThan(0.25);
    expect(changed / STREAMS).toBeLessThan(0.35);
  });

  it('of a description sends nothing, because it does not change an answer', async () => {
    const before = flagOf('described', { constraints: [inPlans('plan-1')] });
    const changes = await changesBy(before, { ...before, description: 'said' });
    expect([...answersOf(changes)].map((bytes) => bytes?.byteLength)).toEqual([0]);
  });

  it('that takes long to evaluate is sent as whole answers, which are built in slices', async () => {
    const before = { snapshot: await snapshotWith(flagOf('long', { enabled: false })), nowMs: NOW_MS };
    const after = { snapshot: await snapshotWith(flagOf('long', { rollout: '50' })), nowMs: NOW_MS };
    const [difference] = [...(workAtOnce(flagDifferences(before, after))?.values() ?? [])];
    if (!difference) throw new Error('nothing differs');
    difference.after?.compiled();
    const many = new AnswerChanges(
      Array.from({ length: 10_000 }, () => difference),
      undefined,
      after,
    );
    expect(many.of(contexts[0] as StreamContext)).toBeNull();
    expect(many.evaluations).toBe(0);
  });
});

describe('the context of a stream', () => {
  const of = (sent: object, draw = 1, remoteAddress = '127.0.0.1') =>
    (StreamContext.of(sent, { environment: 'development', remoteAddress, draw }) as StreamContext).name.split('.')[0];

  it('differs from others by every value that a flag may read', () => {
    const base = { userId: 'u', properties: { plan: 'gold' } };
    expect(of(base)).toBe(of({ ...base }));
    expect(of(base)).toBe(of({ userId: 'u', plan: 'gold' }));
    expect(of(base, 2)).toBe(of(base, 3));
    for (const other of [
      { ...base, userId: 'v' },
      { ...base, sessionId: 's' },
      { ...base, appName: 'a' },
      { ...base, remoteAddress: '10.1.1.1' },
      { ...base, currentTime: '2026-01-01T00:00:00Z' },
      { userId: 'u', properties: { plan: 'silver' } },
      { userId: 'u', properties: { plan: 'gold', more: '1' } },
    ])
      expect(of(other), JSON.stringify(other)).not.toBe(of(base));
  });

  it('keeps no values that cannot be compared, and is refused when it is too large', () => {
    expect(of({ properties: { list: ['x'.repeat(9_000)], object: { a: 'x'.repeat(9_000) } } })).toBe(of({}));
    const large = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`f${index}`, 'x'.repeat(4_000)]));
    expect(StreamContext.of(large, { environment: 'd', remoteAddress: '', draw: 0 })).toBeInstanceOf(Rejection);
  });
});
