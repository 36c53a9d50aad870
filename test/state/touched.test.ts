import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientFeatureJson, isServed } from '../../src/model/client-feature.ts';
import type { Feature } from '../../src/model/feature.ts';
import type { StateReader } from '../../src/state/collections.ts';
import type { Change } from '../../src/state/commit.ts';
import { Draft } from '../../src/state/draft.ts';
import { partitionKey } from '../../src/state/revisions.ts';
import { State } from '../../src/state/state.ts';
import { touchedPartitions } from '../../src/state/touched.ts';
import { history } from '../support/random-state.ts';

const ENVIRONMENTS = ['development', 'production'];

/** Small changes of a flag: visible and invisible to clients; unchanged parts stay the same object or become a copy. */
const TWEAKS: readonly ((feature: Feature, other: Feature) => Feature)[] = [
  (feature) => feature,
  (feature) => structuredClone(feature),
  (feature) => ({ ...feature, tags: [] }),
  (feature) => ({ ...feature, stale: !feature.stale }),
  (feature) => ({ ...feature, type: 'experiment' }),
  (feature) => ({ ...feature, description: 'tweaked' }),
  (feature) => ({ ...feature, impressionData: true }),
  (feature) => ({ ...feature, archived: !feature.archived }),
  (feature) => ({ ...feature, dependencies: [{ feature: 'A', enabled: true, variants: [] }] }),
  (feature) => ({ ...feature, dependencies: [] }),
  (feature, other) => ({ ...feature, project: other.project }),
  (feature, other) => ({ ...feature, environments: other.environments }),
  (feature) => ({ ...feature, environments: feature.environments.map((entry) => ({ ...entry })) }),
  (feature) => ({
    ...feature,
    environments: feature.environments.map((entry) => ({ ...entry, enabled: !entry.enabled })),
  }),
  (feature) => ({
    ...feature,
    environments: feature.environments.map((entry) => ({ ...entry, strategies: entry.strategies.slice(1) })),
  }),
];

const tweaks = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.constantFrom(...TWEAKS)), { maxLength: 4 });

function served(reader: StateReader, name: string, environment: string, project: string): string | undefined {
  const feature = reader.get('features', name);
  const isThere = feature?.project === project && isServed(feature, reader.get('projects', project), environment);
  return isThere ? clientFeatureJson(feature, environment) : undefined;
}

function hasFlags(reader: StateReader, project: string): boolean {
  return [...reader.lookup('featuresByProject', project)].some((feature) => !feature.archived);
}

/** The definition as code: compares everything, for every partition. */
function touchedByDefinition(before: StateReader, after: StateReader, changes: readonly Change[]): string[] {
  const projects = new Set([...before.values('projects'), ...after.values('projects')].map(({ id }) => id));
  const isTouchedBy = ({ collection, key }: Change, environment: string, project: string): boolean => {
    if (collection === 'features')
      return served(before, key, environment, project) !== served(after, key, environment, project);
    if (collection === 'projects') {
      const had = before.get('projects', key)?.environments.includes(environment) ?? false;
      const has = after.get('projects', key)?.environments.includes(environment) ?? false;
      return key === project && had !== has && hasFlags(had ? before : after, project);
    }
    if (collection !== 'segments') return false;
    const visibleIn = (reader: StateReader) => {
      const segment = reader.get('segments', key);
      return segment && JSON.stringify([segment.name, segment.constraints]);
    };
    if (visibleIn(before) === visibleIn(after)) return false;
    return [...after.lookup('featuresBySegment', key)].some(
      (feature) =>
        feature.project === project &&
        isServed(feature, after.get('projects', project), environment) &&
        feature.environments
          .find((entry) => entry.environment === environment)
          ?.strategies.some((strategy) => !strategy.disabled && strategy.segments.includes(Number(key))),
    );
  };
  return [...projects]
    .flatMap((project) =>
      ENVIRONMENTS.filter((environment) => changes.some((change) => isTouchedBy(change, environment, project))).map(
        (environment) => partitionKey(environment, project),
      ),
    )
    .sort();
}

describe('the partitions that changes touch', () => {
  it('are those whose answers to clients change, although only a part of both states is serialized to find them', () => {
    fc.assert(
      fc.property(history, tweaks, (commits, picks) => {
        const [last, ...earlier] = [...commits].reverse();
        const state = new State();
        for (const commit of earlier.reverse()) state.apply(commit);
        const draft = new Draft(state);
        draft.absorb(last?.changes ?? []);
        const features = [...draft.values('features')];
        for (const [index, otherIndex, tweak] of picks) {
          const feature = features[index % features.length];
          const other = features[otherIndex % features.length];
          if (feature && other) draft.put('features', tweak(feature, other));
        }
        const changes = draft.changes();
        expect(touchedPartitions(state, draft, changes)).toEqual(touchedByDefinition(state, draft, changes));
      }),
      { numRuns: 1500 },
    );
  });
});
