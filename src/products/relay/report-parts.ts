import { getOrMake } from '../../base/get-or-make.ts';
import { holdsProject } from '../../model/project-list.ts';
import type { BulkUse, ScopeReports } from './report-box.ts';

export interface ProjectLookup {
  /** Whether there is a known token with access to all of these projects. */
  seesAll(environment: string, projects: readonly string[]): boolean;
  /** The project of a flag; undefined for an unknown flag. */
  projectOf(flag: string): string | undefined;
}

/**
 * Splits the reports of one scope so that each part can be sent with one token. Upstream counts only flags of projects that the token can access, and
 * ignores other flags without an error. Reports without a known project are added to the first part.
 */
export function partsOf(reports: ScopeReports, { seesAll, projectOf }: ProjectLookup): readonly ScopeReports[] {
  const { environment, projects, metrics } = reports;
  if (seesAll(environment, projects)) return [reports];
  const byProject = new Map<string, BulkUse[]>();
  const otherUses: BulkUse[] = [];
  for (const use of metrics) {
    const project = projectOf(use.featureName);
    // The flag may be in a project that only another token can access.
    const isOwn = project !== undefined && holdsProject(projects, project);
    if (isOwn) getOrMake(byProject, project, () => []).push(use);
    else otherUses.push(use);
  }
  const [first, ...others] = Array.from(byProject, ([project, uses]) => ({ projects: [project], metrics: uses }));
  if (!first) return [reports];
  return [
    { ...reports, ...first, metrics: [...first.metrics, ...otherUses] },
    ...others.map((part) => ({ ...reports, ...part, applications: [], impactMetrics: [] })),
  ];
}
