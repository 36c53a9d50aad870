import { getOrMake } from '../../base/get-or-make.ts';
import { holdsProject } from '../../model/project-list.ts';
import type { BulkUse, ScopeReports } from './report-box.ts';

export interface ProjectFacts {
  /** Whether a token is known that sees all of these projects. */
  seesAll(environment: string, projects: readonly string[]): boolean;
  /** Undefined for what is no flag. */
  projectOf(flag: string): string | undefined;
}

/**
 * What was reported of one scope, so that each part can be sent with some token: upstream counts only flags of projects that the token sees, and says
 * nothing of others. What has no project of its own goes with the first part.
 */
export function partsOf(reports: ScopeReports, { seesAll, projectOf }: ProjectFacts): readonly ScopeReports[] {
  const { environment, projects, metrics } = reports;
  if (seesAll(environment, projects)) return [reports];
  const byProject = new Map<string, BulkUse[]>();
  const rest: BulkUse[] = [];
  for (const use of metrics) {
    const project = projectOf(use.featureName);
    // Another token may see a project that the reporter's does not.
    const isOwn = project !== undefined && holdsProject(projects, project);
    if (isOwn) getOrMake(byProject, project, () => []).push(use);
    else rest.push(use);
  }
  const [first, ...others] = Array.from(byProject, ([project, own]) => ({ projects: [project], metrics: own }));
  if (!first) return [reports];
  return [
    { ...reports, ...first, metrics: [...first.metrics, ...rest] },
    ...others.map((part) => ({ ...reports, ...part, applications: [], impactMetrics: [] })),
  ];
}
