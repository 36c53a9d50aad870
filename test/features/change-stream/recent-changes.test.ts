import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentChanges, type Sight } from '../../../src/features/change-stream/recent-changes.ts';
import type { Feature } from '../../../src/model/feature.ts';
import { decodeCommit, encodeCommit } from '../../../src/state/commit.ts';
import { State } from '../../../src/state/state.ts';
import { flag, switchedOn } from '../../support/admin.ts';
import { commitOf, history } from '../../support/random-state.ts';

const EVERYTHING: Sight = { isAll: true, isAdmin: true, user: null, has: () => true };
const ONE_PROJECT: Sight = { isAll: false, isAdmin: false, user: null, has: (project) => project === 'p1' };

const textSince = (recent: RecentChanges, position: string, sight: Sight) =>
  Buffer.from(recent.since(position, sight)?.bytes ?? '').toString();

describe('the recent changes', () => {
  it('are the same on every replica, and never contain a project that the caller does not see', () => {
    fc.assert(
      fc.property(history, (commits) => {
        const [writer, replica] = [new State(), new State()];
        const [own, other] = [new RecentChanges(writer), new RecentChanges(replica)];
        for (const commit of commits) {
          own.add(writer.apply(commit));
          // A replica reads the commit from the log: its entities are other objects.
          other.add(replica.apply(decodeCommit(encodeCommit(commit))));
        }
        expect(other.position).toBe(own.position);
        for (const sight of [EVERYTHING, ONE_PROJECT]) {
          expect(textSince(other, '0', sight)).toBe(textSince(own, '0', sight));
        }
        expect(textSince(own, '0', ONE_PROJECT)).not.toMatch(/"project":"(default|p2)"/);
      }),
    );
  });

  it('name the environments in which a flag changed', () => {
    const state = new State();
    const recent = new RecentChanges(state);
    const environmentsOf = (entity: Feature) => {
      const from = recent.position;
      recent.add(state.apply(commitOf(state, [{ collection: 'features', key: entity.name, entity }])));
      return JSON.parse(textSince(recent, from, EVERYTHING).split('data: ')[1] ?? '').entities[0].environments;
    };
    const before = flag('a', { environments: [switchedOn('development'), switchedOn('production')] });
    const [first] = before.environments;
    expect(environmentsOf(before)).toEqual([]);
    expect(environmentsOf({ ...before, description: 'new' })).toEqual([]);
    const changed = before.environments.map((settings) =>
      settings === first ? { ...settings, enabled: false } : settings,
    );
    expect(environmentsOf({ ...before, environments: changed })).toEqual([first?.environment]);
  });

  it('are limited: a client that missed more, or knows another history, has to read its lists again', () => {
    const state = new State();
    const recent = new RecentChanges(state, 3);
    for (let count = 0; count < 5; count++) {
      const entity = flag(`flag-${count}`);
      recent.add(state.apply(commitOf(state, [{ collection: 'features', key: entity.name, entity }])));
    }
    expect(recent.since('1', EVERYTHING)).toBeNull();
    expect(textSince(recent, '2', EVERYTHING).match(/event: commit/g)).toHaveLength(3);
    expect(recent.since('6', EVERYTHING)).toBeNull();
    expect(recent.since('4.other', EVERYTHING)).toBeNull();
    recent.restart();
    expect(recent.since('4', EVERYTHING)).toBeNull();
    expect(textSince(recent, '5', EVERYTHING)).toBe('');
  });
});
