import { atOnce, type Steps } from '../base/yield-control.ts';
import { clientFeatureJson, isSentAsOn, isServed } from '../model/client-feature.ts';
import { type Feature, type FeatureEnvironment, featureEnvironment } from '../model/feature.ts';
import type { Segment } from '../model/segment.ts';
import type { StateReader } from './collections.ts';
import type { Change } from './commit.ts';
import { type PartitionKey, partitionKey } from './revisions.ts';

/**
 * The partitions whose clients see a difference after `changes`. The writer finds them once, from the exact states before and after the changes, and
 * stores them in the commit. A replica could not find them: when it replays the log over a fuzzy snapshot, it sees a mixture of older and newer
 * entities. So revisions, and therefore ETags, are the same on every replica.
 */
export function touchedPartitions(before: StateReader, after: StateReader, changes: readonly Change[]): PartitionKey[] {
  return atOnce(findTouched(before, after, changes));
}

/** Same as `touchedPartitions`, one step per change; one step per flag if many flags use a changed segment. */
export function* findTouched(
  before: StateReader,
  after: StateReader,
  changes: readonly Change[],
): Steps<PartitionKey[]> {
  const search = new Search(before, after);
  for (const { collection, key } of changes) {
    if (collection === 'features') search.feature(key);
    else if (collection === 'segments') yield* search.segment(key);
    else if (collection === 'projects') search.project(key);
    yield;
  }
  return [...search.touched].sort();
}

class Search {
  readonly touched = new Set<PartitionKey>();
  readonly #before: StateReader;
  readonly #after: StateReader;
  /** Project → its environments before or after. Cached, because an import needs the same project for every flag. */
  readonly #environments = new Map<string, ReadonlySet<string>>();

  constructor(before: StateReader, after: StateReader) {
    this.#before = before;
    this.#after = after;
  }

  feature(name: string): void {
    const before = this.#before.get('features', name);
    const after = this.#after.get('features', name);
    if (before && after && before.project === after.project) {
      this.#compare(before.project, before, after);
      return;
    }
    if (before) this.#compare(before.project, before, undefined);
    if (after) this.#compare(after.project, undefined, after);
  }

  *segment(id: string): Steps<void> {
    const [segmentBefore, segmentAfter] = [this.#before.get('segments', id), this.#after.get('segments', id)];
    if (sameForClients(segmentBefore, segmentAfter)) return;
    for (const feature of this.#after.lookup('featuresBySegment', id)) {
      const project = this.#after.get('projects', feature.project);
      for (const { environment, strategies } of feature.environments) {
        if (!isServed(feature, project, environment)) continue;
        const isUsed = strategies.some((strategy) => !strategy.disabled && strategy.segments.includes(Number(id)));
        if (isUsed) this.#touch(environment, feature.project);
      }
      yield;
    }
  }

  /** Compares the environments of a project: its flags are served only in these. If the project has no flags, clients see no difference. */
  project(id: string): void {
    const environmentsBefore = this.#before.get('projects', id)?.environments ?? [];
    const environmentsAfter = this.#after.get('projects', id)?.environments ?? [];
    const removed = environmentsBefore.filter((name) => !environmentsAfter.includes(name));
    const added = environmentsAfter.filter((name) => !environmentsBefore.includes(name));
    if (removed.length > 0 && hasFlags(this.#before, id)) for (const name of removed) this.#touch(name, id);
    if (added.length > 0 && hasFlags(this.#after, id)) for (const name of added) this.#touch(name, id);
  }

  /** Compares the flag for the clients of this project; undefined means that the flag is not in the project. */
  #compare(project: string, before: Feature | undefined, after: Feature | undefined): void {
    const projectBefore = this.#before.get('projects', project);
    const projectAfter = this.#after.get('projects', project);
    for (const environment of this.#environmentsOf(project)) {
      if (this.touched.has(partitionKey(environment, project))) continue;
      const servedBefore = before && isServed(before, projectBefore, environment) ? before : undefined;
      const servedAfter = after && isServed(after, projectAfter, environment) ? after : undefined;
      if (
        servedBefore && servedAfter
          ? !looksTheSame(servedBefore, servedAfter, environment)
          : servedBefore !== servedAfter
      )
        this.#touch(environment, project);
    }
  }

  #environmentsOf(project: string): ReadonlySet<string> {
    let environments = this.#environments.get(project);
    if (!environments) {
      environments = new Set([
        ...(this.#before.get('projects', project)?.environments ?? []),
        ...(this.#after.get('projects', project)?.environments ?? []),
      ]);
      this.#environments.set(project, environments);
    }
    return environments;
  }

  #touch(environment: string, project: string): void {
    this.touched.add(partitionKey(environment, project));
  }
}

function hasFlags(reader: StateReader, project: string): boolean {
  for (const feature of reader.lookup('featuresByProject', project)) if (!feature.archived) return true;
  return false;
}

/**
 * Whether clients of `environment` get the same content for both versions of a flag; both are served. The comparison of their JSON decides. It is
 * expensive, so it is skipped if the parts of the versions are the same objects, or if the versions clearly differ.
 */
function looksTheSame(before: Feature, after: Feature, environment: string): boolean {
  if (before.type !== after.type || before.stale !== after.stale) return false;
  if (before.description !== after.description || before.impressionData !== after.impressionData) return false;
  const configBefore = featureEnvironment(before, environment);
  const configAfter = featureEnvironment(after, environment);
  if (before.dependencies === after.dependencies && sameConfiguration(configBefore, configAfter)) return true;
  if (isSentAsOn(configBefore) !== isSentAsOn(configAfter)) return false;
  return clientFeatureJson(before, environment) === clientFeatureJson(after, environment);
}

function sameConfiguration(left: FeatureEnvironment, right: FeatureEnvironment): boolean {
  if (left === right) return true;
  const isSame = left.strategies === right.strategies && left.variants === right.variants;
  return isSame && left.enabled === right.enabled;
}

function sameForClients(left: Segment | undefined, right: Segment | undefined): boolean {
  if (!left || !right) return left === right;
  return left.name === right.name && JSON.stringify(left.constraints) === JSON.stringify(right.constraints);
}
