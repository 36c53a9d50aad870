import { conflict, invalid, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import type { Project } from '../../../model/project.ts';
import type { Segment } from '../../../model/segment.ts';
import { ANY_VALUE, validateConstraints } from '../../flags/constraints/validate.ts';
import { foreignDefault } from '../../flags/strategies/first.ts';
import { type StrategyContent, validateStrategy } from '../../flags/strategies/validate.ts';
import { withOriginalWeights } from '../../flags/variants/validate.ts';
import { type DefaultStrategy, defaultStrategyKey } from '../../projects/stored-default-strategy.ts';
import type { ImportRun } from './import-run.ts';
import type { Imported, TakeOverInput } from './input.ts';

/** Imports a segment, found by its name. A new segment keeps its id if no segment here has this id, because people and scripts use it. */
export function* takeSegment(run: ImportRun, taken: Imported<'segments'>): Steps<Rejection | undefined> {
  const { draft, now, by } = run.context;
  const { name, description, project, createdAt, createdBy } = taken;
  if (project !== null && draft.get('projects', project) === undefined) {
    return invalid(`The project ${project} does not exist.`);
  }
  const [before] = draft.lookup('segmentsByName', name);
  const constraints = yield* validateConstraints(draft, taken.constraints, before?.constraints, ANY_VALUE);
  if (constraints instanceof Rejection) return constraints;
  const stranger =
    before && project !== null && before.project !== project ? yield* userElsewhere(run, before, project) : undefined;
  if (stranger !== undefined) return conflict(`It cannot belong only to ${project}: ${stranger} uses it.`);
  const after: Segment = {
    ...{ id: before?.id ?? freeId(run, taken.id), name, description, constraints, project },
    createdBy: createdBy ?? before?.createdBy ?? by.name,
    createdAt: createdAt ?? before?.createdAt ?? now,
  };
  const at = { type: 'segment-import', project: project ?? undefined } as const;
  run.put({ kind: 'segments', name, collection: 'segments', before, after }, at);
  return undefined;
}

function* userElsewhere(
  { context: { draft } }: ImportRun,
  { id }: Segment,
  project: string,
): Steps<string | undefined> {
  const foreign = foreignDefault(draft, id, project);
  if (foreign) return `a default strategy of ${foreign.project}`;
  for (const feature of draft.lookup('featuresBySegment', String(id))) {
    yield;
    if (feature.project !== project) return `${feature.name} of the project ${feature.project}`;
  }
  return undefined;
}

function freeId({ context: { draft } }: ImportRun, wanted: number): number {
  if (draft.get('segments', String(wanted))) return draft.next('segments');
  const last = draft.get('counters', 'segments')?.value ?? 0;
  if (wanted > last) draft.put('counters', { value: wanted }, 'segments');
  return wanted;
}

export function* takeDefaultStrategy(
  run: ImportRun,
  { project: id, environment, strategy }: Imported<'defaultStrategies'>,
  input: TakeOverInput,
): Steps<Rejection | undefined> {
  const { draft } = run.context;
  const project = draft.get('projects', id);
  if (!project?.environments.includes(environment))
    return invalid(`The project ${id} does not have the environment ${environment}.`);
  const before = draft.get('defaultStrategies', defaultStrategyKey(id, environment));
  const content = yield* strategyContent(run, { project, featureName: '', names: segmentNames(input) }, strategy);
  if (content instanceof Rejection) return content;
  const after: DefaultStrategy = { project: id, environment, strategy: content };
  const name = `${id}/${environment}`;
  run.put(
    { kind: 'defaultStrategies', name, collection: 'defaultStrategies', before, after },
    { type: 'default-strategy-updated', project: id, environment },
  );
  return undefined;
}

/** Ids of segments at the source → their names there. */
export function segmentNames({ segmentNames: names = [] }: TakeOverInput): ReadonlyMap<number, string> {
  return new Map(names.map(({ id, name }) => [id, name]));
}

interface Owner {
  readonly project: Project;
  readonly featureName: string;
  readonly names: ReadonlyMap<number, string>;
}

/**
 * The strategy to store. Parameters, weights, and values that are not legal or no longer legal stay as they are: a correction would change the
 * results of the flag.
 */
export function* strategyContent(
  { context: { draft } }: ImportRun,
  { project, featureName, names }: Owner,
  taken: StrategyContent,
): Steps<StrategyContent | Rejection> {
  const segments: number[] = [];
  for (const id of taken.segments) {
    const name = names.get(id);
    const [segment] = name === undefined ? [] : draft.lookup('segmentsByName', name);
    if (!segment) return invalid(`The segment ${name ?? id} is not here.`);
    segments.push(segment.id);
  }
  const owner = { project, featureName, isImported: true };
  const valid = yield* validateStrategy(draft, owner, { ...taken, segments });
  if (valid instanceof Rejection) return valid;
  return {
    ...valid,
    parameters: { ...taken.parameters },
    variants: withOriginalWeights(valid.variants, taken.variants),
  };
}
