import type { VisibleProjects } from '../../access/visibility.ts';
import type { Slicer } from '../../base/yield-control.ts';
import { usableStrategies } from '../../model/release-plan.ts';
import type { Segment } from '../../model/segment.ts';
import type { StateReader } from '../../state/collections.ts';

/**
 * Returns the segment as the admin API shows it (contract: Segment). The flags that use the segment are read in slices; calls for several segments
 * can share one `slicer`. Flags in projects that the caller must not see are not counted.
 */
export async function presentSegment(segment: Segment, state: StateReader, visible: VisibleProjects, slicer: Slicer) {
  const projects = new Set<string>();
  let usedInFeatures = 0;
  for (const feature of state.lookup('featuresBySegment', String(segment.id))) {
    if (slicer.spent) await slicer.pause();
    if (!visible.has(feature.project)) continue;
    usedInFeatures++;
    projects.add(feature.project);
  }
  const pendingFlags = new Set<string>();
  for (const { featureName, projectId } of pendingStrategies(segment, state, visible)) {
    if (slicer.spent) await slicer.pause();
    projects.add(projectId);
    const feature = state.get('features', featureName);
    const usesSegment = feature?.environments.some((settings) =>
      usableStrategies(settings).some(({ segments }) => segments.includes(segment.id)),
    );
    if (!usesSegment) pendingFlags.add(featureName);
  }
  usedInFeatures += pendingFlags.size;
  const { id, name, description, constraints, project, createdBy, createdAt } = segment;
  return {
    id,
    name,
    description,
    constraints,
    usedInFeatures,
    usedInProjects: projects.size,
    ...(project !== null && { project }),
    createdBy,
    createdAt,
  };
}

/** Yields every strategy that would use the segment if an open change request were applied, with its flag, project and environment. */
export function* pendingStrategies(segment: Segment, state: StateReader, visible: VisibleProjects) {
  for (const request of state.lookup('requestsBySegment', String(segment.id))) {
    const { id, title, project, environment } = request;
    if (!visible.has(project)) continue;
    for (const { feature, usesSegments, input } of request.changes) {
      if (feature === null || !usesSegments.includes(segment.id)) continue;
      const { strategyId, strategy, changes } = input as StrategyChange;
      const stored = strategyId === undefined ? undefined : findStrategyOf(state, feature, strategyId);
      yield {
        ...(strategyId !== undefined && { id: strategyId }),
        featureName: feature,
        projectId: project,
        environment,
        strategyName: strategy?.name ?? changes?.name ?? stored?.name ?? '',
        changeRequest: { id, title },
      };
    }
  }
}

interface StrategyChange {
  readonly strategyId?: string;
  readonly strategy?: { readonly name: string };
  readonly changes?: { readonly name?: string };
}

function findStrategyOf(state: StateReader, featureName: string, strategyId: string) {
  const environments = state.get('features', featureName)?.environments ?? [];
  return environments.flatMap(usableStrategies).find(({ id }) => id === strategyId);
}

/**
 * Yields every strategy that uses the segment, also of later milestones of release plans, with its flag, project and environment, in the projects that
 * the caller may see.
 */
export function* strategiesOfSegment(segment: Segment, state: StateReader, visible: VisibleProjects) {
  for (const feature of state.lookup('featuresBySegment', String(segment.id))) {
    if (!visible.has(feature.project)) continue;
    for (const settings of feature.environments) {
      const { environment } = settings;
      for (const { id, name, segments } of usableStrategies(settings)) {
        if (!segments.includes(segment.id)) continue;
        yield { id, featureName: feature.name, projectId: feature.project, environment, strategyName: name };
      }
    }
  }
}
