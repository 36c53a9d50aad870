import { type CallerInState, isHidden } from '../../access/permission-problem.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { CommandContext } from '../../engine/command.ts';
import type { Project } from '../../model/project.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { Variant } from '../../model/variant.ts';
import { type StrategyContent, validateStrategy } from '../flags/strategies/validate.ts';
import { validateVariants, withOriginalWeights } from '../flags/variants/validate.ts';
import type { ImportedFlag, ImportInput } from './import-input.ts';
import type { FlagProblems, ImportProblems } from './import-problems.ts';

/** Ids of segments in the export → their ids on this instance. */
export type SegmentIds = ReadonlyMap<number, number>;

/** Finds the segments of the export by their names, because each instance has its own ids. */
export function* segmentIds(
  context: CallerInState,
  { project, segments }: Pick<ImportInput, 'project' | 'segments'>,
  errors: ImportProblems,
): Steps<SegmentIds> {
  const ids = new Map<number, number>();
  for (const { id: exportedId, name } of segments) {
    const [segment] = context.draft.lookup('segmentsByName', name);
    if (!segment) errors.add('These segments do not exist and must be created first:', name);
    else if (segment.project !== null && segment.project !== project) {
      const where = isHidden(context, segment.project) ? '' : ` (in ${segment.project})`;
      errors.add('These segments belong to another project:', name + where);
    } else ids.set(exportedId, segment.id);
    yield;
  }
  return ids;
}

/**
 * Maximum number of values in all constraints of one strategy. A body of the standard size cannot have more, so only an import can exceed it. The
 * limit is needed because a strategy is checked, encoded and served in one step.
 */
const VALUES_MAX = 50_000;

interface StrategyImport {
  readonly project: Project;
  readonly segments: SegmentIds;
  readonly problems: FlagProblems;
}

/** The strategies of the flag, with new ids. */
export function* importStrategies(
  { draft, newId }: CommandContext,
  { name: featureName, strategies }: ImportedFlag,
  { project, segments, problems }: StrategyImport,
): Steps<Strategy[]> {
  const imported: Strategy[] = [];
  for (const [sortOrder, exported] of strategies.entries()) {
    // `segmentIds` has already reported segments that do not exist here.
    const content = { ...exported, segments: exported.segments.flatMap((id) => segments.get(id) ?? []) };
    const valid = sizeProblem(exported) ?? (yield* validateStrategy(draft, { project, featureName }, content));
    if (valid instanceof Rejection) {
      problems.add(featureName, 'These strategies cannot be used:', `${featureName} (${valid.message})`);
    } else {
      const variants = withOriginalWeights(valid.variants, exported.variants);
      imported.push({ id: newId(), ...valid, variants, sortOrder });
    }
    yield;
  }
  return imported;
}

function sizeProblem({ constraints }: StrategyContent): Rejection | undefined {
  const count = constraints.reduce((sum, { values = [] }) => sum + values.length, 0);
  if (count <= VALUES_MAX) return undefined;
  return invalid(`Its constraints have ${count} values in total; the maximum is ${VALUES_MAX}.`, '/constraints');
}

/** The variants of the flag. */
export function* importVariants(
  featureName: string,
  exported: readonly Variant[],
  problems: FlagProblems,
): Steps<Variant[]> {
  const valid = yield* validateVariants(exported);
  if (valid instanceof Rejection) {
    problems.add(featureName, 'These variants cannot be used:', `${featureName} (${valid.message})`);
    return [];
  }
  return withOriginalWeights(valid, exported);
}
