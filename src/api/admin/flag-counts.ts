import { Slicer } from '../../base/yield-control.ts';
import type { Feature } from '../../model/feature.ts';
import type { State } from '../../state/state.ts';

/**
 * How many flags that are not archived are on, by environment. Looks at every flag given, in slices: these figures are asked for by people
 * and now and then, so nothing is kept in memory, or updated at each write, for them. A flag that changes meanwhile counts as before or after.
 */
export async function countEnabled(state: State, features: Iterable<Feature>): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const slicer = new Slicer();
  for (const feature of features) {
    if (slicer.spent) await slicer.pause();
    if (feature.archived) continue;
    const served = state.get('projects', feature.project)?.environments ?? [];
    for (const { environment, enabled } of feature.environments) {
      if (enabled && served.includes(environment)) counts.set(environment, (counts.get(environment) ?? 0) + 1);
    }
  }
  return counts;
}
