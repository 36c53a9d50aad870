import { ALL_PROJECTS, type VisibleProjects } from '../../access/visibility.ts';
import type { Asker } from '../../base/asker.ts';
import { Slicer, type Steps } from '../../base/yield-control.ts';
import type { Feature } from '../../model/feature.ts';
import type { StateReader } from '../../state/collections.ts';
import type { State } from '../../state/state.ts';

/**
 * The number of flags in visible projects that are on and not archived, by environment. Reads every flag, in slices: people rarely request these
 * counts, so they are neither kept in memory nor updated at each write. If a flag changes during the read, its old or its new state is counted.
 */
export async function countEnabled(
  state: State,
  features: Iterable<Feature>,
  asker: Asker,
  visible: VisibleProjects = ALL_PROJECTS,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const slicer = Slicer.of(asker);
  for (const feature of features) {
    if (slicer.spent) await slicer.pause();
    if (feature.archived || !visible.has(feature.project)) continue;
    const served = state.get('projects', feature.project)?.environments ?? [];
    for (const { environment, enabled } of feature.environments) {
      if (enabled && served.includes(environment)) counts.set(environment, (counts.get(environment) ?? 0) + 1);
    }
  }
  return counts;
}

/** The numbers of active and of archived flags in visible projects. Needs one look-up for each project, not for each flag. */
export function* countFlags(state: StateReader, visible: VisibleProjects): Steps<{ active: number; archived: number }> {
  let [all, archived] = [0, 0];
  for (const { id } of [...state.values('projects')]) {
    yield;
    if (!visible.has(id)) continue;
    all += state.count('featuresByProject', id);
    archived += state.count('archivedByProject', id);
  }
  return { active: all - archived, archived };
}
