import type { VisibleProjects } from '../../access/visibility.ts';
import type { Slicer } from '../../base/yield-control.ts';
import type { ContextField } from '../../model/context-field.ts';
import { usableStrategies } from '../../model/release-plan.ts';
import type { StateReader } from '../../state/collections.ts';

/**
 * Returns the field as the admin API shows it. The flags that use the field are read in slices; calls for several fields can share one `slicer`.
 * Flags in projects that the caller must not see are not counted.
 */
export async function presentContextField(
  field: ContextField,
  state: StateReader,
  visible: VisibleProjects,
  slicer: Slicer,
) {
  const projects = new Set<string>();
  let usedInFeatures = 0;
  for (const feature of state.lookup('featuresByContextField', field.name)) {
    if (slicer.spent) await slicer.pause();
    if (feature.archived || !visible.has(feature.project)) continue;
    usedInFeatures++;
    projects.add(feature.project);
  }
  const { name, description, stickiness, sortOrder, legalValues, createdAt, project = null } = field;
  const use = { usedInFeatures, usedInProjects: projects.size };
  return { name, description, stickiness, sortOrder, legalValues, createdAt, ...use, project };
}

/** Returns the fields as the admin API shows them, by sort order, without the fields of projects that the caller must not see. */
export async function presentContextFields(
  fields: Iterable<ContextField>,
  state: StateReader,
  visible: VisibleProjects,
  slicer: Slicer,
) {
  const visibleFields = [...fields].filter(({ project }) => project === undefined || visible.has(project));
  const sortedFields = visibleFields.sort(
    (left, right) => left.sortOrder - right.sortOrder || (left.name < right.name ? -1 : 1),
  );
  const answers = [];
  for (const field of sortedFields) answers.push(await presentContextField(field, state, visible, slicer));
  return answers;
}

/**
 * Yields every strategy with a constraint on the field, also of later milestones of release plans, with its flag, project and environment. Leaves out
 * archived flags, and flags of projects for which `isVisible` is false. Yields undefined for each flag that is left out: many such flags in a row must
 * not block the event loop.
 */
export function* strategiesOfField(name: string, state: StateReader, isVisible: (project: string) => boolean) {
  for (const feature of state.lookup('featuresByContextField', name)) {
    if (feature.archived || !isVisible(feature.project)) {
      yield undefined;
      continue;
    }
    for (const settings of feature.environments) {
      const { environment } = settings;
      for (const { id, name: strategyName, constraints } of usableStrategies(settings)) {
        if (!constraints.some(({ contextName }) => contextName === name)) continue;
        yield { id, featureName: feature.name, projectId: feature.project, environment, strategyName };
      }
    }
  }
}
