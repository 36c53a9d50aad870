import { clientFeatureJson, isServed } from '../model/client-feature.ts';
import type { Feature } from '../model/feature.ts';
import type { Segment } from '../model/segment.ts';
import type { StateReader } from './collections.ts';
import type { Change } from './commit.ts';
import { type PartitionKey, partitionKey } from './revisions.ts';

/**
 * The partitions whose clients see something else after `changes`. Decided once, by the writer, against the exact states before and after,
 * and kept in the commit: a replica that replays the log over a fuzzy snapshot sees older and newer entities side by side and could not
 * find it out again. That is what makes revisions, and so ETags, the same everywhere.
 */
export function touchedPartitions(before: StateReader, after: StateReader, changes: readonly Change[]): PartitionKey[] {
  const touched = new Set<PartitionKey>();
  const touch = (environment: string, project: string) => touched.add(partitionKey(environment, project));
  for (const { collection, key } of changes) {
    if (collection === 'features') touchFeature(before, after, key, touch);
    else if (collection === 'segments') touchSegment(before, after, key, touch);
    else if (collection === 'projects') touchProject(before, after, key, touch);
  }
  return [...touched].sort();
}

type Touch = (environment: string, project: string) => void;

function touchFeature(before: StateReader, after: StateReader, name: string, touch: Touch): void {
  const projects = new Set([before.get('features', name)?.project, after.get('features', name)?.project]);
  for (const project of projects) {
    if (project === undefined) continue;
    for (const environment of environmentsOf(before, after, project)) {
      if (servedJson(before, name, environment, project) !== servedJson(after, name, environment, project))
        touch(environment, project);
    }
  }
}

function touchSegment(before: StateReader, after: StateReader, id: string, touch: Touch): void {
  const [segmentBefore, segmentAfter] = [before.get('segments', id), after.get('segments', id)];
  if (sameForClients(segmentBefore, segmentAfter)) return;
  for (const feature of after.lookup('featuresBySegment', id)) {
    const project = after.get('projects', feature.project);
    for (const { environment, strategies } of feature.environments) {
      if (!isServed(feature, project, environment)) continue;
      const uses = strategies.some((strategy) => !strategy.disabled && strategy.segments.includes(Number(id)));
      if (uses) touch(environment, feature.project);
    }
  }
}

/** Which environments a project has decides where its flags are served; without flags nobody sees a difference. */
function touchProject(before: StateReader, after: StateReader, id: string, touch: Touch): void {
  const had = before.get('projects', id)?.environments ?? [];
  const has = after.get('projects', id)?.environments ?? [];
  const removed = had.filter((name) => !has.includes(name));
  const added = has.filter((name) => !had.includes(name));
  if (removed.length > 0 && hasFlags(before, id)) for (const environment of removed) touch(environment, id);
  if (added.length > 0 && hasFlags(after, id)) for (const environment of added) touch(environment, id);
}

function hasFlags(reader: StateReader, project: string): boolean {
  for (const feature of reader.lookup('featuresByProject', project)) if (!feature.archived) return true;
  return false;
}

function environmentsOf(before: StateReader, after: StateReader, project: string): ReadonlySet<string> {
  return new Set([
    ...(before.get('projects', project)?.environments ?? []),
    ...(after.get('projects', project)?.environments ?? []),
  ]);
}

function servedJson(reader: StateReader, name: string, environment: string, project: string): string | undefined {
  const feature: Feature | undefined = reader.get('features', name);
  if (feature?.project !== project || !isServed(feature, reader.get('projects', project), environment))
    return undefined;
  return clientFeatureJson(feature, environment);
}

function sameForClients(left: Segment | undefined, right: Segment | undefined): boolean {
  if (!left || !right) return left === right;
  return left.name === right.name && JSON.stringify(left.constraints) === JSON.stringify(right.constraints);
}
