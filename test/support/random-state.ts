import fc from 'fast-check';
import type { Constraint } from '../../src/model/constraint.ts';
import type { Feature } from '../../src/model/feature.ts';
import type { Project } from '../../src/model/project.ts';
import type { Segment } from '../../src/model/segment.ts';
import type { StrategyVariant, Variant } from '../../src/model/variant.ts';
import type { Change, Commit } from '../../src/state/commit.ts';
import { Draft } from '../../src/state/draft.ts';
import { State } from '../../src/state/state.ts';
import { touchedPartitions } from '../../src/state/touched.ts';

const AT = '2026-01-01T00:00:00.000Z';
const PROJECTS = ['default', 'p1', 'p2'];
const ENVIRONMENTS = ['development', 'production'];
/** Includes names that are special to careless code, and neighbours in sort order. */
const FLAG_NAMES = [
  '__proto__',
  'constructor',
  'A',
  'Z',
  'a',
  'a-',
  'a.b',
  'b',
  ...Array.from({ length: 40 }, (_, index) => `flag-${index}`),
];

const project = (id: string): fc.Arbitrary<Project> =>
  fc.subarray(ENVIRONMENTS).map((environments) => ({
    id,
    name: id,
    description: null,
    mode: 'open',
    defaultStickiness: 'default',
    featureLimit: null,
    environments,
    createdAt: AT,
    updatedAt: AT,
    archivedAt: null,
  }));

const strategy = fc.record({
  id: fc.uuid(),
  name: fc.constantFrom('default', 'flexibleRollout'),
  title: fc.constant(null),
  disabled: fc.boolean(),
  sortOrder: fc.nat(5),
  parameters: fc.constantFrom<Record<string, string>>({}, { rollout: '50', stickiness: 'default', groupId: 'é' }),
  constraints: fc.constantFrom<Constraint[]>([], [{ contextName: 'userId', operator: 'IN', values: ['ä', '"'] }]),
  segments: fc.subarray([1, 2, 3]),
  variants: fc.constant<StrategyVariant[]>([]),
});

const feature = (name: string): fc.Arbitrary<Feature> =>
  fc
    .record({
      project: fc.constantFrom(...PROJECTS),
      description: fc.constantFrom(null, 'text', '\u{1f6a9}'),
      archived: fc.boolean(),
      stale: fc.boolean(),
      tags: fc.subarray([
        { type: 'simple', value: 'one' },
        { type: 'simple', value: 'two' },
      ]),
      environments: fc.subarray(ENVIRONMENTS).chain((names) =>
        fc.tuple(
          ...names.map((environment) =>
            fc.record({
              environment: fc.constant(environment),
              enabled: fc.boolean(),
              strategies: fc.array(strategy, { maxLength: 3 }),
              variants: fc.constant<Variant[]>([]),
            }),
          ),
        ),
      ),
    })
    .map((rest) => ({
      name,
      type: 'release',
      archivedAt: rest.archived ? AT : null,
      impressionData: false,
      createdAt: AT,
      createdBy: { id: 1, name: 'somebody' },
      dependencies: [],
      ...rest,
    }));

const segment = (id: number): fc.Arbitrary<Segment> =>
  fc.constantFrom<string[]>(['a'], ['b'], ['a', 'b']).map((values) => ({
    id,
    name: `segment-${id}`,
    description: null,
    constraints: [{ contextName: 'userId', operator: 'IN', values }],
    project: null,
    createdBy: 'somebody',
    createdAt: AT,
  }));

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .constantFrom(...FLAG_NAMES)
      .chain((key) => feature(key).map((entity) => ({ collection: 'features', key, entity }) as Change)),
  },
  { weight: 3, arbitrary: fc.constantFrom(...FLAG_NAMES).map((key) => ({ collection: 'features', key }) as Change) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(1, 2, 3)
      .chain((id) => segment(id).map((entity) => ({ collection: 'segments', key: String(id), entity }) as Change)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1, 2, 3).map((id) => ({ collection: 'segments', key: String(id) }) as Change),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...PROJECTS)
      .chain((key) => project(key).map((entity) => ({ collection: 'projects', key, entity }) as Change)),
  },
);

/** Any history of commits that a log can hold: every project exists from the first commit on; after that, any change is possible. */
export const history: fc.Arbitrary<readonly Commit[]> = fc
  .tuple(
    fc.tuple(...PROJECTS.map(project)),
    fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 60 }),
  )
  .map(([projects, batches]) => {
    const first = projects.map((entity) => ({ collection: 'projects', key: entity.id, entity }) as Change);
    const state = new State();
    return [first, ...batches].map((changes) => {
      const commit = commitOf(state, changes);
      state.apply(commit);
      return commit;
    });
  });

/** The commit that the writer would make of these changes. */
export function commitOf(state: State, changes: readonly Change[]): Commit {
  const draft = new Draft(state);
  draft.absorb(changes);
  const seq = state.seq + 1;
  const touched = touchedPartitions(state, draft, draft.changes());
  return {
    seq,
    writeId: `w${seq}`,
    at: AT,
    by: { id: 1, name: 'somebody' },
    changes: draft.changes(),
    touched,
    events: { firstId: 1, count: 0 },
  };
}
