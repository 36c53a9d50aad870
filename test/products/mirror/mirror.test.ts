import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rejection } from '../../../src/base/rejection.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { decideInSteps } from '../../../src/engine/command.ts';
import type { Scope } from '../../../src/model/caller.ts';
import { systemCaller } from '../../../src/model/caller.ts';
import { mirror } from '../../../src/products/mirror/mirror.ts';
import type {
  SourceConstraint,
  SourceFlag,
  SourceScope,
  SourceSegment,
  SourceVariant,
} from '../../../src/products/mirror/mirror-input.ts';
import { mirrorTokens } from '../../../src/products/mirror/mirror-tokens.ts';
import { Draft } from '../../../src/state/draft.ts';
import { State } from '../../../src/state/state.ts';
import { ClientViews } from '../../../src/views/client/client-views.ts';
import { commitOf } from '../../support/random-state.ts';
import { contextOf } from '../../support/stored-commands.ts';

/** The state and the views of an instance that mirrors its flags from a source. */
class World {
  readonly state = new State();
  readonly views = new ClientViews(this.state);

  /** Returns the number of changes in the commit. */
  take(...scopes: readonly SourceScope[]): number {
    return this.#decide({ scopes: [...scopes] });
  }

  forget(environment: string, projects: string[], kept: string[] = []): number {
    return this.#decide({ scopes: [], forgotten: [{ environment, projects, kept }] });
  }

  #decide(input: Parameters<typeof mirror.decide>[1]): number {
    const draft = new Draft(this.state);
    atOnce(decideInSteps(mirror, contextOf(draft, systemCaller(), []), input));
    const changes = draft.changes();
    if (changes.length > 0) this.views.apply(this.state.apply(commitOf(this.state, changes)));
    return changes.length;
  }

  async list(scope: Scope): Promise<{ etag: string; features: SourceFlag[]; segments: SourceSegment[] }> {
    const view = this.views.view(scope, 2);
    await view.refresh();
    const { features, segments } = JSON.parse(Buffer.concat(view.identity.parts).toString());
    return { etag: view.etag, features, segments };
  }
}

const PROJECTS = ['a', 'b', 'c'];
const ENVIRONMENTS = ['development', 'production'];

interface Upstream {
  readonly flags: readonly SourceFlag[];
  /** By environment: names of flags that are absent in it. */
  readonly absent: Readonly<Record<string, readonly string[]>>;
  readonly segments: readonly SourceSegment[];
}

const flag = (name: string): fc.Arbitrary<SourceFlag> =>
  fc.record({
    name: fc.constant(name),
    type: fc.constantFrom('release', 'a type of theirs'),
    enabled: fc.boolean(),
    project: fc.constantFrom(...PROJECTS),
    stale: fc.boolean(),
    strategies: fc.array(
      fc
        .record({
          name: fc.constantFrom('default', 'flexibleRollout', 'their-own'),
          constraints: fc.constantFrom<SourceConstraint[]>(
            [],
            [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
            [{ contextName: 'x', operator: 'AN_OPERATOR_OF_TOMORROW', value: '1', inverted: true }],
          ),
          parameters: fc.constantFrom<Record<string, string>>({}, { rollout: '50', constructor: 'é' }),
          segments: fc.subarray([1, 2]),
        })
        .map(({ segments, ...rest }) => ({ ...rest, ...(segments.length > 0 && { segments }) })),
      { maxLength: 3 },
    ),
    variants: fc.constantFrom<SourceVariant[]>(
      [],
      [{ name: 'v', weight: 1000, payload: { type: 'yaml', value: 'a: 1' } }],
    ),
    description: fc.constantFrom(null, 'text'),
    impressionData: fc.boolean(),
  });

const NAMES = ['__proto__', 'constructor', 'Z', 'a', 'a-', ...Array.from({ length: 8 }, (_, index) => `flag-${index}`)];

const upstream: fc.Arbitrary<Upstream> = fc
  .record({
    flags: fc.tuple(...NAMES.map((name) => fc.option(flag(name), { nil: undefined }))),
    absent: fc.record({ development: fc.subarray(NAMES), production: fc.subarray(NAMES) }),
    values: fc.tuple(fc.constantFrom('x', 'y'), fc.constantFrom('x', 'y')),
  })
  .map(({ flags, absent, values }) => ({
    flags: flags.filter((each) => each !== undefined),
    absent,
    segments: values.map((value, index) => ({
      id: index + 1,
      name: `segment ${index + 1}`,
      constraints: [{ contextName: 'userId', operator: 'IN', values: [value] }],
    })),
  }));

/** The answer of an upstream to a token of the scope. */
function answerOf(from: Upstream, environment: string, projects: readonly string[]): SourceScope {
  const features = from.flags.filter(
    ({ name, project }) =>
      !from.absent[environment]?.includes(name) && (projects.includes('*') || projects.includes(project ?? '')),
  );
  const used = new Set(
    features.flatMap(({ strategies }) => (strategies ?? []).flatMap(({ segments }) => segments ?? [])),
  );
  const segments = from.segments.filter(({ id }) => used.has(id));
  return { environment, projects: [...projects], etag: null, features, segments, removed: null };
}

function expected({ features, segments }: SourceScope) {
  const sortKey = ({ project, name }: SourceFlag) => `${project}/${name}`;
  const inOrder = [...features].sort((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1));
  return { features: inOrder, segments };
}

const SCOPES: readonly (readonly [environment: string, projects: readonly string[]])[] = [
  ...ENVIRONMENTS.map((environment) => [environment, ['*']] as const),
];
const NARROW: readonly (readonly [environment: string, projects: readonly string[]])[] = ENVIRONMENTS.flatMap(
  (environment) => [
    [environment, ['a']],
    [environment, ['b', 'c']],
  ],
);

describe.each([
  ['all projects', SCOPES],
  ['some projects each', NARROW],
] as const)('the content that a source sends for scopes of %s', (_what, scopes) => {
  it('is the answer to SDKs of each scope, independent of earlier content', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(upstream, { minLength: 1, maxLength: 4 }), async (moments) => {
        const world = new World();
        for (const moment of moments) {
          for (const [environment, projects] of scopes) world.take(answerOf(moment, environment, projects));
          for (const [environment, projects] of scopes) {
            const scope = { environment, projects: projects.includes('*') ? null : new Set(projects) };
            const { features, segments } = await world.list(scope);
            expect({ features, segments }).toEqual(expected(answerOf(moment, environment, projects)));
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('changes nothing when the source sends it again', async () => {
    await fc.assert(
      fc.asyncProperty(upstream, async (moment) => {
        const world = new World();
        const all = scopes.map(([environment, projects]) => answerOf(moment, environment, projects));
        world.take(...all);
        const { seq } = world.state;
        expect(world.take(...structuredClone(all))).toBe(0);
        expect(world.state.seq).toBe(seq);
      }),
    );
  });
});

const DEVELOPMENT = { environment: 'development', projects: null };
const PRODUCTION = { environment: 'production', projects: null };

function one(environment: string, ...features: SourceFlag[]): SourceScope {
  return { environment, projects: ['*'], etag: null, features, segments: [], removed: null };
}

describe('mirroring', () => {
  it('accepts changes as well as a full list', async () => {
    const world = new World();
    world.take(one('development', { name: 'a', enabled: true }, { name: 'b', enabled: true }));
    const changes = { ...one('development', { name: 'c', enabled: true }), removed: ['a', 'never-was'] };
    world.take(changes);
    const { features } = await world.list(DEVELOPMENT);
    expect(features.map(({ name }) => name)).toEqual(['b', 'c']);
  });

  it('keeps a flag that moved, whichever of its two projects arrives first', async () => {
    const of = (project: string, ...names: string[]): SourceScope => ({
      ...one('development', ...names.map((name) => ({ name, enabled: true, project }))),
      projects: [project],
    });
    for (const order of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const world = new World();
      world.take(of('a', 'moving'), of('b'));
      const moved: Record<string, SourceScope> = {
        a: { ...of('a'), removed: ['moving'] },
        b: { ...of('b', 'moving'), removed: [] },
      };
      for (const project of order) world.take(moved[project] as SourceScope);
      const { features } = await world.list({ environment: 'development', projects: new Set(['b']) });
      expect(features.map(({ name }) => name)).toEqual(['moving']);
    }
  });

  it('drops the ETag of a scope when another scope changes flags of its projects', () => {
    const world = new World();
    const of = (project: string, etag: string, ...names: string[]): SourceScope => ({
      ...one('development', ...names.map((name) => ({ name, enabled: true, project }))),
      projects: [project],
      etag,
    });
    const etags = () =>
      [...world.state.values('mirroredScopes')].map(({ projects: [id], etag }) => `${id} ${etag}`).sort();
    world.take(of('a', 'a1', 'moving'), of('b', 'b1'), of('c', 'c1', 'other'));
    world.take(of('b', 'b2', 'moving'));
    expect(etags()).toEqual(['a null', 'b b2', 'c c1']);
    // A list from before the move arrives late.
    world.take(of('a', 'a1', 'moving'));
    expect(etags()).toEqual(['a a1', 'b null', 'c c1']);
    world.take(of('b', 'b2', 'moving'));
    world.take(of('a', 'a2'));
    const flags = [...world.state.values('features')].map(({ name, project }) => `${project} ${name}`);
    expect(flags.sort()).toEqual(['b moving', 'c other']);
    expect(etags()).toEqual(['a a2', 'b b2', 'c c1']);
  });

  it('stores a dependency once when environments send it several times and in different orders', async () => {
    const world = new World();
    const [parent, other] = [{ feature: 'parent' }, { feature: 'other', enabled: false }];
    const child = (...dependencies: object[]) => ({ name: 'child', enabled: true, dependencies }) as SourceFlag;
    world.take(one('development', child(parent, other, parent)), one('production', child(parent, other)));
    expect(world.take(one('development', child(other, parent, parent, other)))).toBe(0);
    expect(world.take(one('production', child(other, parent)))).toBe(0);
    const [stored] = (await world.list(DEVELOPMENT)).features;
    expect(stored?.dependencies?.map(({ feature }) => feature)).toEqual(['other', 'parent']);
  });

  it('shows a flag only in the environment that the source sent it for', async () => {
    const world = new World();
    world.take(one('development', { name: 'a', enabled: true }), one('production', { name: 'b', enabled: true }));
    expect((await world.list(DEVELOPMENT)).features.map(({ name }) => name)).toEqual(['a']);
    expect((await world.list(PRODUCTION)).features.map(({ name }) => name)).toEqual(['b']);
  });

  it('changes the ETag only of the scope whose content changed', async () => {
    const world = new World();
    world.take(one('development', { name: 'a', enabled: true }), one('production', { name: 'a', enabled: true }));
    const [development, production] = [await world.list(DEVELOPMENT), await world.list(PRODUCTION)];
    world.take(one('production', { name: 'a', enabled: false }));
    expect((await world.list(DEVELOPMENT)).etag).toBe(development.etag);
    expect((await world.list(PRODUCTION)).etag).not.toBe(production.etag);
  });

  it('removes a segment with the last strategy that uses it', () => {
    const world = new World();
    const segments = [{ id: 7, name: 'seven', constraints: [] }];
    const uses = { name: 'a', enabled: true, strategies: [{ name: 'default', segments: [7] }] };
    world.take({ ...one('development', uses), segments }, { ...one('production', uses), segments });
    world.take(one('development', { name: 'a', enabled: true }));
    expect(world.state.get('segments', '7')).toBeDefined();
    world.take(one('production'));
    expect(world.state.get('segments', '7')).toBeUndefined();
  });

  it('keeps a segment without strategies until the source removes it', () => {
    const world = new World();
    const change = { ...one('development'), removed: [] };
    const kept = () => [...world.state.values('segments')].map(({ id }) => id);
    world.take({ ...one('development'), segments: [{ id: 7 }, { id: 8 }] });
    world.take({ ...change, segments: [{ id: 9 }] });
    expect(kept()).toEqual([7, 8, 9]);
    const uses = { name: 'a', enabled: true, strategies: [{ name: 'default', segments: [7] }] };
    world.take({ ...change, features: [uses], removedSegments: [7, 8, 10] });
    expect(kept()).toEqual([7, 9]);
    world.take({ ...change, removed: ['a'] });
    expect(kept()).toEqual([7, 9]);
    world.take({ ...one('development'), segments: [{ id: 9 }] });
    expect(kept()).toEqual([9]);
  });

  it('stores the ETag of the source', () => {
    const world = new World();
    const scope = { ...one('development', { name: 'a', enabled: true }), etag: '"1"' };
    world.take(scope);
    expect(world.take(scope)).toBe(0);
    expect(world.take({ ...scope, etag: '"2"' })).toBe(1);
    expect(world.state.get('mirroredScopes', '["development","*"]')?.etag).toBe('"2"');
  });

  it('refuses a list whose segments would be gigabytes inside the strategies for SDKs', () => {
    const refusalOf = (flags: number, strategies: number, segmentBytes: number) => {
      const values = ['x'.repeat(segmentBytes)];
      const segments = [{ id: 1, constraints: [{ contextName: 'userId', operator: 'IN', values }] }];
      const strategy = { name: 'default', segments: [1] };
      const features = Array.from({ length: flags }, (_, index) => ({
        name: `flag-${index}`,
        enabled: true,
        strategies: Array.from({ length: strategies }, () => strategy),
      }));
      const scope = { environment: 'development', projects: ['*'], etag: null, features, segments, removed: null };
      const draft = new Draft(new State());
      const outcome = atOnce(decideInSteps(mirror, contextOf(draft, systemCaller(), []), { scopes: [scope] }));
      return outcome instanceof Rejection ? outcome.message : null;
    };
    expect(refusalOf(1, 50, 100_000)).toBe(null);
    expect(refusalOf(1, 90, 100_000)).toMatch(/segments of the flag flag-0.*more than 8 MB/);
    expect(refusalOf(60, 40, 100_000)).toBe(null);
    expect(refusalOf(70, 40, 100_000)).toMatch(/segments of all flags.*more than 256 MB/);
  });

  it('removes the flags of a forgotten scope that are in no other scope', async () => {
    const world = new World();
    const flags = ['a', 'b', 'c'].map((project) => ({ name: `of-${project}`, enabled: true, project }));
    const [a, b, c] = flags as [SourceFlag, SourceFlag, SourceFlag];
    world.take(
      { ...one('development', a, b), projects: ['a', 'b'] },
      { ...one('development', b, c), projects: ['b', 'c'] },
    );
    world.forget('development', ['a', 'b']);
    expect([...world.state.values('features')].map(({ name }) => name).sort()).toEqual(['of-b', 'of-c']);
    world.forget('development', ['b', 'c']);
    expect([world.state.size('features'), world.state.size('mirroredScopes')]).toEqual([0, 0]);
    expect(world.forget('development', ['b', 'c'])).toBe(0);
  });

  it('keeps the projects of a forgotten scope that are still requested, as a separate scope', async () => {
    const world = new World();
    const flags = ['a', 'b', 'c'].map((project) => ({ name: `of-${project}`, enabled: true, project }));
    world.take({ ...one('development', ...flags), etag: '"1"', projects: ['*'] });
    world.forget('development', ['*'], ['c', 'a']);
    expect([...world.state.values('features')].map(({ name }) => name).sort()).toEqual(['of-a', 'of-c']);
    expect([...world.state.values('mirroredScopes')]).toMatchObject([{ projects: ['a', 'c'], etag: null }]);
  });

  it('assigns a project of the scope to a flag without a project', async () => {
    const world = new World();
    world.take({ ...one('development', { name: 'a', enabled: true }), projects: ['b', 'c'] });
    const { features } = await world.list({ environment: 'development', projects: new Set(['b', 'c']) });
    expect(features).toMatchObject([{ name: 'a', project: 'b' }]);
  });
});

describe('mirroring tokens', () => {
  it('stores tokens that the source confirmed, removes deleted ones, and changes nothing for the same input', () => {
    const state = new State();
    const take = (tokens: { secret: string; projects: string[] }[], gone: string[] = []) => {
      const draft = new Draft(state);
      const defaults = { type: 'client' as const, environment: 'development' };
      mirrorTokens.decide(contextOf(draft, systemCaller(), []), {
        tokens: tokens.map((token) => ({ ...defaults, ...token })),
        gone,
      });
      const changes = draft.changes();
      if (changes.length > 0) state.apply(commitOf(state, changes));
      return changes.length;
    };
    expect(take([{ secret: 's1', projects: ['b', 'a'] }])).toBe(1);
    expect(take([{ secret: 's1', projects: ['a', 'b'] }])).toBe(0);
    expect(
      take([
        { secret: 's1', projects: ['*'] },
        { secret: 's2', projects: ['a'] },
      ]),
    ).toBe(2);
    expect(take([], ['s1', 'never-was'])).toBe(1);
    expect([...state.values('apiTokens')].map(({ secret }) => secret)).toEqual(['s2']);
  });
});
