import { conflict, invalid, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type DefaultStrategy, defaultStrategyKey } from '../../../model/default-strategy.ts';
import type { Project } from '../../../model/project.ts';
import type { Segment } from '../../../model/segment.ts';
import { LEGAL_VALUES_IGNORED, validateConstraints } from '../../flags/constraints/validate.ts';
import { defaultStrategyOfOtherProject } from '../../flags/strategies/default-strategies.ts';
import { type StrategyContent, validateStrategy } from '../../flags/strategies/validate.ts';
import { withOriginalWeights } from '../../flags/variants/validate.ts';
import type { ImportRun } from './import-run.ts';
import type { Imported, InstanceImportInput } from './input.ts';

/** Imports a segment, found by its name. A new segment keeps its id if the id is free, because people and scripts use ids of segments. */
export function* importSegment(run: ImportRun, imported: Imported<'segments'>): Steps<Rejection | undefined> {
  const { draft, now, by } = run.context;
  const { name, description, project, createdAt, createdBy } = imported;
  if (project !== null && draft.get('projects', project) === undefined) {
    return invalid(`The project ${project} does not exist.`);
  }
  const [before] = draft.lookup('segmentsByName', name);
  const constraints = yield* validateConstraints(
    draft,
    imported.constraints,
    before?.constraints,
    LEGAL_VALUES_IGNORED,
  );
  if (constraints instanceof Rejection) return constraints;
  const otherUse =
    before && project !== null && before.project !== project
      ? yield* useInOtherProject(run, before, project)
      : undefined;
  if (otherUse !== undefined) return conflict(`It cannot belong only to ${project}: ${otherUse} uses it.`);
  const after: Segment = {
    id: before?.id ?? freeSegmentId(run, imported.id),
    name,
    description,
    constraints,
    project,
    createdBy: createdBy ?? before?.createdBy ?? by.name,
    createdAt: createdAt ?? before?.createdAt ?? now,
  };
  const at = { type: 'segment-import', project: project ?? undefined } as const;
  run.put({ kind: 'segments', name, collection: 'segments', before, after }, at);
  return undefined;
}

/** A use of the segment in another project, as text for users; undefined if there is none. */
function* useInOtherProject(
  { context: { draft } }: ImportRun,
  { id }: Segment,
  project: string,
): Steps<string | undefined> {
  const defaultStrategy = defaultStrategyOfOtherProject(draft, id, project);
  if (defaultStrategy) return `a default strategy of ${defaultStrategy.project}`;
  for (const feature of draft.lookup('featuresBySegment', String(id))) {
    yield;
    if (feature.project !== project) return `${feature.name} of the project ${feature.project}`;
  }
  return undefined;
}

function freeSegmentId({ context: { draft } }: ImportRun, id: number): number {
  if (draft.get('segments', String(id))) return draft.next('segments');
  const lastId = draft.get('counters', 'segments')?.value ?? 0;
  if (id > lastId) draft.put('counters', { value: id }, 'segments');
  return id;
}

export function* importDefaultStrategy(
  run: ImportRun,
  { project: id, environment, strategy, isServed }: Imported<'defaultStrategies'>,
  input: InstanceImportInput,
): Steps<Rejection | undefined> {
  const { draft } = run.context;
  const project = draft.get('projects', id);
  if (!project?.environments.includes(environment))
    return invalid(`The project ${id} does not have the environment ${environment}.`);
  const before = draft.get('defaultStrategies', defaultStrategyKey(id, environment));
  const content = yield* strategyContent(
    run,
    { project, featureName: '', names: segmentNames(input), isServed },
    strategy,
  );
  if (content instanceof Rejection) return content;
  const after: DefaultStrategy = { project: id, environment, strategy: content };
  const name = `${id}/${environment}`;
  run.put(
    { kind: 'defaultStrategies', name, collection: 'defaultStrategies', before, after },
    { type: 'default-strategy-updated', project: id, environment },
  );
  return undefined;
}

/** Ids of segments in the source → names of segments. */
export function segmentNames({ segmentNames: names = [] }: InstanceImportInput): ReadonlyMap<number, string> {
  return new Map(names.map(({ id, name }) => [id, name]));
}

interface StrategyOwner {
  readonly project: Project;
  readonly featureName: string;
  readonly names: ReadonlyMap<number, string>;
  readonly isServed: boolean | undefined;
}

/**
 * The strategy to store. Weights are not corrected, and values may be illegal values of their context field: a correction would change the results of
 * the flag.
 */
export function* strategyContent(
  { context: { draft } }: ImportRun,
  { project, featureName, names, isServed = false }: StrategyOwner,
  imported: StrategyContent,
): Steps<StrategyContent | Rejection> {
  const segments: number[] = [];
  for (const id of imported.segments) {
    const name = names.get(id);
    const [segment] = name === undefined ? [] : draft.lookup('segmentsByName', name);
    if (!segment) return invalid(`This instance has no segment ${name ?? id}.`);
    segments.push(segment.id);
  }
  const owner = { project, featureName, isImported: true, isServed };
  const valid = yield* validateStrategy(draft, owner, { ...imported, segments });
  if (valid instanceof Rejection) return valid;
  return {
    ...valid,
    variants: withOriginalWeights(valid.variants, imported.variants),
  };
}
