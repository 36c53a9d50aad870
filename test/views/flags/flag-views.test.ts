import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workAtOnce } from '../../../src/base/work.ts';
import type { Feature } from '../../../src/model/feature.ts';
import type { Change } from '../../../src/state/commit.ts';
import { State } from '../../../src/state/state.ts';
import type { FlagSnapshot } from '../../../src/views/flags/flag-snapshot.ts';
import { FlagViews } from '../../../src/views/flags/flag-views.ts';
import { explain } from '../../evaluation/explain.ts';
import { flag, projectOf, switchedOn } from '../../support/admin.ts';
import { commitOf, history } from '../../support/random-state.ts';

const AT = '2026-01-01T00:00:00.000Z';

/** The change that makes a segment of the users with this id. */
const segmentOf = (userId: string): Change => ({
  collection: 'segments',
  key: '1',
  entity: {
    id: 1,
    name: 'segment',
    description: null,
    project: null,
    createdBy: 'test',
    createdAt: AT,
    constraints: [{ contextName: 'userId', operator: 'IN', values: [userId] }],
  },
});

/** A state with two environments: views store nothing for environments that do not exist. */
function emptyState(): State {
  const state = new State();
  for (const name of ['development', 'production']) {
    state.load('environments', name, { name, type: name, enabled: true, protected: false, sortOrder: 1 });
  }
  return state;
}

const SCOPES = ['development', 'production'].flatMap((environment) => [
  { environment, projects: null },
  ...['default', 'p1', 'p2', 'nobody'].map((project) => ({ environment, projects: new Set([project]) })),
]);

/** The content of a snapshot: its flags in order, and their evaluations. */
function contentOf(snapshot: FlagSnapshot): unknown {
  const { environment, find } = snapshot;
  const context = { environment, userId: 'a', currentTimeMs: 0, random: () => 0.5, longestValue: 1 };
  return workAtOnce(snapshot.compileAll()).map((each) => ({ name: each.name, ...explain(each, context, find) }));
}

const takeAll = async (views: FlagViews) => await views.snapshotsOf(SCOPES);

describe('flag views', () => {
  it('updated commit by commit have the same content as those built from scratch', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 1, max: 5 }), async (commits, askEvery) => {
        const state = emptyState();
        const views = new FlagViews(state);
        for (const commit of commits) {
          views.apply(state.apply(commit));
          if (commit.seq % askEvery === 0) (await takeAll(views)).map(contentOf);
        }
        expect((await takeAll(views)).map(contentOf)).toEqual((await takeAll(new FlagViews(state))).map(contentOf));
      }),
      { numRuns: 60 },
    );
  });

  it('return a few flags by name as the whole list contains them, whether that was built before or not', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.boolean(), fc.array(fc.nat()), async (commits, isBuilt, picks) => {
        const state = emptyState();
        const views = new FlagViews(state);
        if (isBuilt) await takeAll(views);
        for (const commit of commits) views.apply(state.apply(commit));
        const all = [...state.values('features')].map(({ name }) => name);
        const names = picks.map((pick) => all[pick % all.length] ?? 'missing');
        const few = SCOPES.map((scope) => views.snapshotOfFlags(scope, [...names, 'missing']));
        const whole = await new FlagViews(state).snapshotsOf(SCOPES);
        for (const [index, snapshot] of few.entries()) {
          const flags = contentOf(whole[index] as FlagSnapshot) as { name: string }[];
          expect(contentOf(snapshot)).toEqual(flags.filter(({ name }) => names.includes(name)));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('return snapshots of the time of the request, however much later they are read', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.boolean(), async (commits, isAskedBefore) => {
        const state = emptyState();
        const views = new FlagViews(state);
        const half = commits.length >>> 1;
        for (const commit of commits.slice(0, half)) {
          views.apply(state.apply(commit));
          if (isAskedBefore) await takeAll(views);
        }
        const snapshots = await takeAll(views);
        const expected = (await takeAll(new FlagViews(state))).map(contentOf);
        for (const commit of commits.slice(half)) {
          views.apply(state.apply(commit));
          if (commit.seq % 3 === 0) await takeAll(views);
        }
        expect(snapshots.map(contentOf)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('apply commits that arrive while they scan flags, and never return a mixture', async () => {
    const state = emptyState();
    const views = new FlagViews(state);
    const apply = (changes: readonly Change[]) => views.apply(state.apply(commitOf(state, changes)));
    const put = (features: readonly Feature[]) =>
      apply(features.map((entity) => ({ collection: 'features' as const, key: entity.name, entity })));
    const names = Array.from({ length: 3_000 }, (_, index) => `flag-${index}`);
    apply([{ collection: 'projects', key: 'default', entity: projectOf('default') }]);
    put(names.map((name) => flag(name)));
    for (let round = 1; round <= 5; round++) {
      const before = new Map(state.entries('features'));
      const taken = Promise.resolve(views.snapshotsOf([{ environment: 'development', projects: null }]));
      let isTaken = false;
      void taken.then(() => {
        isTaken = true;
      });
      // The change of round 3 causes a scan of all flags, the others update flag by flag.
      const share = round === 3 ? names : names.filter((_name, index) => index % 7 === round);
      put(share.map((name) => flag(name, { impressionData: round % 2 === 1, description: String(round) })));
      while (!isTaken) await new Promise(setImmediate);
      const [snapshot] = (await taken) as [FlagSnapshot];
      const cells = snapshot.chunks.flatMap((chunk) => chunk.cells);
      expect(cells.map(({ name }) => name)).toEqual([...names].sort());
      const isOf = (moment: (name: string) => Feature | undefined) =>
        cells.every(({ feature }) => feature === moment(feature.name));
      expect(isOf((name) => before.get(name)) || isOf((name) => state.get('features', name))).toBe(true);
    }
  });

  it('reuse what did not change', async () => {
    const state = emptyState();
    const views = new FlagViews(state);
    const names = Array.from({ length: 200 }, (_, index) => `flag-${String(index).padStart(3, '0')}`);
    const apply = (...changes: Change[]) => views.apply(state.apply(commitOf(state, changes)));
    const put = (...features: Feature[]) =>
      apply(...features.map((entity) => ({ collection: 'features' as const, key: entity.name, entity })));
    apply({ collection: 'projects', key: 'default', entity: projectOf('default') });
    put(...names.map((name) => flag(name)));
    const scope = { environment: 'development', projects: null };
    const chunks = async () => (await views.snapshotOf(scope)).chunks;
    await chunks();
    const before = await chunks();
    expect(before.flatMap(({ cells }) => cells).map(({ name }) => name)).toEqual(names);
    expect(await chunks()).toBe(before);
    put(flag('flag-100', { impressionData: true }));
    const after = await chunks();
    const changed = after.filter((chunk, index) => chunk !== before[index]);
    expect(changed).toHaveLength(1);
    const found = changed[0]?.cells.find(({ name }) => name === 'flag-100');
    expect(found?.feature.impressionData).toBe(true);
    put(flag('flag-0500'));
    const listed = (await chunks()).flatMap(({ cells }) => cells).map(({ name }) => name);
    expect(listed).toEqual([...names, 'flag-0500'].sort());
  });

  it('follow a segment that more flags use than are looked up', async () => {
    const state = emptyState();
    const views = new FlagViews(state);
    const apply = (...changes: Change[]) => views.apply(state.apply(commitOf(state, changes)));
    const names = Array.from({ length: 1_001 }, (_, index) => `flag-${index}`);
    const using = names.map((name) => flag(name, { environments: [switchedOn('development', [1])] }));
    const features = [...using, flag('other', { environments: [switchedOn('development')] })];
    apply({ collection: 'projects', key: 'default', entity: projectOf('default') }, segmentOf('b'));
    apply(...features.map((entity) => ({ collection: 'features' as const, key: entity.name, entity })));
    const scope = { environment: 'development', projects: null };
    const snapshot = async () => await views.snapshotOf(scope);
    const namesOn = (of: FlagSnapshot) =>
      (contentOf(of) as { name: string; isEnabled: boolean }[])
        .filter(({ isEnabled }) => isEnabled)
        .map(({ name }) => name);
    const before = await snapshot();
    expect(namesOn(before)).toEqual(['other']);
    apply(segmentOf('a'));
    const after = await snapshot();
    expect(namesOn(after)).toEqual([...names, 'other'].sort());
    expect(after.cell('other')).toBe(before.cell('other'));
    // Who has the earlier flags still sees the earlier segment.
    expect(namesOn(before)).toEqual(['other']);
  });

  it('compile what a change affects in the background, so that later requests do not', async () => {
    const state = emptyState();
    const views = new FlagViews(state);
    const apply = (...changes: Change[]) => views.apply(state.apply(commitOf(state, changes)));
    const features = Array.from({ length: 500 }, (_, index) =>
      flag(`flag-${index}`, { environments: [switchedOn('development', [1])] }),
    );
    const scope = { environment: 'development', projects: null };
    apply({ collection: 'projects', key: 'default', entity: projectOf('default') }, segmentOf('a'));
    apply(...features.map((entity) => ({ collection: 'features' as const, key: entity.name, entity })));
    const cells = async () => (await views.snapshotOf(scope)).chunks.flatMap((chunk) => chunk.cells);
    const before = new Set(await cells());
    apply(segmentOf('b'));
    // New cells, which are not evaluated here.
    expect((await cells()).filter((cell) => before.has(cell))).toEqual([]);
    const isCompiled = async () => (await cells()).every((cell) => cell.flag !== undefined);
    for (let turn = 0; turn < 500 && !(await isCompiled()); turn++) await new Promise(setImmediate);
    expect(await isCompiled()).toBe(true);
  });
});
