import { describe, expect, it } from 'vitest';
import { Propagation } from '../../src/actors/propagation.ts';
import type { Scope } from '../../src/model/caller.ts';
import type { PartitionKey } from '../../src/state/revisions.ts';
import { type AppliedCommit, State } from '../../src/state/state.ts';
import { ManualClock } from '../support/manual-clock.ts';

const SCOPE: Scope = { environment: 'development', projects: null };
const HEAD = { header: () => undefined };

/** One SDK that was given revision 1, and commits that touch what they are told to. */
function followed() {
  const clock = new ManualClock();
  const propagation = new Propagation({ state: new State(), clock, exchange: null });
  const at = new Date(clock.nowMs()).toISOString();
  const apply = (seq: number, touched: readonly PartitionKey[] = ['development/default']) =>
    propagation.apply({ commit: { seq, at, touched } } as unknown as AppliedCommit);
  apply(1);
  propagation.heard(SCOPE, 'shop', 'one', HEAD);
  propagation.given(SCOPE, 'W/"0123456789:0"', 1, { header: () => 'one' });
  return { clock, propagation, apply };
}

describe('Propagation', () => {
  it('tells who waits that SDKs lack a revision, however many commits followed it meanwhile', async () => {
    const { clock, propagation, apply } = followed();
    apply(2);
    const waiting = propagation.wait(2, 1, 1_000, () => false);
    for (let seq = 3; seq < 1_500; seq++) apply(seq);
    expect(await propagation.spread(2)).toBeNull();
    clock.advance(1_001);
    expect(await waiting).toBe(0);
  });

  it('tells of browsers that lag by the name of their application, and of theirs that have it', async () => {
    const { propagation, apply } = followed();
    const [quick, slow] = ['web', 'web'].map((appName) => propagation.browserJoined(SCOPE, appName));
    for (const stream of [quick, slow]) stream?.given('=1-01234567:0123456789abcdef.x');
    apply(2);
    quick?.given('=2-01234567:0123456789abcdef.x');
    expect(await propagation.spread(2)).toMatchObject({
      ...{ connected: 3, concerned: 3, have: 1 },
      lagging: [
        { appName: 'shop', connections: 1 },
        { appName: 'web', connections: 1, revision: 1 },
      ],
    });
  });

  it('remembers fewer commits that touched much, and always the newest', async () => {
    const { propagation, apply } = followed();
    const everywhere = Array.from({ length: 30_000 }, (_, index): PartitionKey => `development/p${index}`);
    apply(2, everywhere);
    expect(propagation.oldest).toBe(1);
    apply(3, everywhere);
    expect(propagation.oldest).toBe(3);
    apply(4, [...everywhere, ...everywhere]);
    expect(propagation.oldest).toBe(4);
    expect(await propagation.spread(4)).toMatchObject({ concerned: 1, have: 0 });
  });
});
