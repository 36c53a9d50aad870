import type { VisibleProjects } from '../../access/visibility.ts';
import { Slicer } from '../../base/yield-control.ts';
import type { State } from '../../state/state.ts';
import type { ContextField } from './context-field.ts';

/**
 * The field as the admin API returns it. The flags that use it are read in slices; several fields can share one `slicer`. Flags in projects that the
 * caller must not see are not counted.
 */
export async function presentContextField(
  field: ContextField,
  state: State,
  visible: VisibleProjects,
  slicer = new Slicer(),
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

/** The fields as the admin API returns them, by sort order, without the fields of projects that the caller must not see. */
export async function presentContextFields(fields: Iterable<ContextField>, state: State, visible: VisibleProjects) {
  const slicer = new Slicer();
  const shown = [...fields].filter(({ project }) => project === undefined || visible.has(project));
  const sorted = shown.sort((left, right) => left.sortOrder - right.sortOrder || (left.name < right.name ? -1 : 1));
  const presented = [];
  for (const field of sorted) presented.push(await presentContextField(field, state, visible, slicer));
  return presented;
}

/**
 * Yields every strategy with a constraint on the field, with its flag, project and environment. Leaves out archived flags and the projects for which
 * `isLogged` is false. Yields undefined for each flag that is left out: many such flags in a row must not block the event loop.
 */
export function* strategiesOfField(name: string, state: State, isLogged: (project: string) => boolean) {
  for (const feature of state.lookup('featuresByContextField', name)) {
    if (feature.archived || !isLogged(feature.project)) {
      yield undefined;
      continue;
    }
    for (const { environment, strategies } of feature.environments) {
      for (const { id, name: strategyName, constraints } of strategies) {
        if (!constraints.some(({ contextName }) => contextName === name)) continue;
        yield { id, featureName: feature.name, projectId: feature.project, environment, strategyName };
      }
    }
  }
}
