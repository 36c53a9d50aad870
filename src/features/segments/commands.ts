import Type from 'typebox';
import { type CallerInState, isHidden, permissionProblem } from '../../access/permission-problem.ts';
import { conflict, invalid, notFound, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, longCommand } from '../../engine/command.ts';
import type { Feature, FeatureEnvironment } from '../../model/feature.ts';
import { Segment } from '../../model/segment.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { StateReader } from '../../state/collections.ts';
import { validateConstraints } from '../flags/constraints/validate.ts';
import { defaultStrategyOfOtherProject, defaultStrategyUseProblem } from '../flags/strategies/default-strategies.ts';
import { writtenFields } from '../shared/entity-fields.ts';

/** A description that is left out does not change; in a new segment it is null. A project that is left out becomes null. */
export const SegmentFields = writtenFields(Segment, 'name', 'description?', 'project?', 'constraints');

/** The permission that is sufficient for a segment that belongs to a project. */
const IN_PROJECT = 'UPDATE_PROJECT_SEGMENT';

const SegmentId = Type.Integer({ minimum: 1 });

export const createSegment = longCommand({
  name: 'create-segment',
  input: Type.Object(SegmentFields),
  *decide({ draft, caller, by, now, emit }, input) {
    const refusal = permissionProblem({ draft, caller }, ['CREATE_SEGMENT', IN_PROJECT], input.project ?? null);
    if (refusal) return refusal;
    const problem = segmentNameProblem(draft, input.name) ?? missingProjectProblem(draft, input.project);
    if (problem) return problem;
    const fieldProjects = { has: (id: string) => id === input.project };
    const constraints = yield* validateConstraints(draft, input.constraints, [], fieldProjects);
    if (constraints instanceof Rejection) return constraints;
    const segment: Segment = {
      id: draft.next('segments'),
      name: input.name,
      description: input.description ?? null,
      constraints,
      project: input.project ?? null,
      createdBy: by.name,
      createdAt: now,
    };
    draft.put('segments', segment);
    emit({ type: 'segment-created', project: segment.project ?? undefined, data: segment });
    return segment;
  },
});

/** Replaces the name, the constraints and the project of a segment. The change takes effect at once in all strategies that use the segment. */
export const updateSegment = longCommand({
  name: 'update-segment',
  input: Type.Object({ id: SegmentId, ...SegmentFields }),
  *decide({ draft, caller, emit }, input) {
    const before = findSegment({ draft, caller }, input.id);
    if (before instanceof Rejection) return before;
    const project = input.project ?? null;
    const problem =
      permissionProblem({ draft, caller }, ['UPDATE_SEGMENT', IN_PROJECT], before.project) ??
      permissionProblem({ draft, caller }, ['UPDATE_SEGMENT', IN_PROJECT], project) ??
      segmentNameProblem(draft, input.name, input.id) ??
      missingProjectProblem(draft, project) ??
      (project === before.project ? undefined : yield* otherProjectsProblem(draft, input.id, project));
    if (problem) return problem;
    const fieldProjects = { has: (id: string) => id === project };
    const constraints = yield* validateConstraints(draft, input.constraints, before.constraints, fieldProjects);
    if (constraints instanceof Rejection) return constraints;
    const { name } = input;
    const description = input.description === undefined ? before.description : input.description;
    const after: Segment = { ...before, name, constraints, description, project };
    draft.put('segments', after);
    emit({ type: 'segment-updated', project: eventProjects(before, after), data: after, preData: before });
    return after;
  },
});

/**
 * Returns the projects of the event about a change. If the segment moves from one project to another, the event contains data of both projects. Then
 * only callers that may read both projects see the event.
 */
function eventProjects({ project: from }: Segment, { project: to }: Segment): string | undefined {
  if (from === null || to === null || from === to) return from ?? to ?? undefined;
  return `${from},${to}`;
}

/** Maximum number of strategies from which the deletion of a segment removes it. Each strategy adds an event to the commit. */
const ARCHIVED_USES_MAX = 1_000;

/**
 * Deletes a segment that no live flag uses. Strategies of archived flags lose the segment and are disabled: without the condition of the segment, a
 * revived flag would reach more people than before.
 */
export const deleteSegment = longCommand({
  name: 'delete-segment',
  input: Type.Object({ id: SegmentId }),
  *decide(context, { id }) {
    const { draft, caller, emit } = context;
    const segment = findSegment({ draft, caller }, id);
    if (segment instanceof Rejection) return segment;
    const refusal = permissionProblem({ draft, caller }, ['DELETE_SEGMENT', IN_PROJECT], segment.project);
    if (refusal) return refusal;
    const useProblem = defaultStrategyUseProblem(
      draft,
      'defaultStrategiesBySegment',
      String(id),
      `The segment ${segment.name}`,
    );
    const problem = useProblem ?? (yield* removeFromArchivedFlags(context, segment));
    if (problem) return problem;
    draft.remove('segments', String(id));
    emit({ type: 'segment-deleted', project: segment.project ?? undefined, preData: segment });
    return undefined;
  },
});

/** Removes a segment from the archived flags that use it. Returns a rejection if a flag that uses it is not archived. */
function* removeFromArchivedFlags(
  { draft, emit }: CommandContext,
  { id, name }: Segment,
): Steps<Rejection | undefined> {
  // The flags are collected first, because the lookup would return changed flags again.
  const archivedFlags: Feature[] = [];
  let user: string | undefined;
  for (const feature of draft.lookup('featuresBySegment', String(id))) {
    if (feature.archived) archivedFlags.push(feature);
    else if (user === undefined || feature.name < user) user = feature.name;
    yield;
  }
  // The first by name, because the order of the index depends on the order of earlier changes: a preview and a save name the same one.
  if (user !== undefined) return conflict(`The segment ${name} cannot be deleted: the feature ${user} uses it.`);
  let uses = 0;
  for (const feature of archivedFlags) {
    const environments: FeatureEnvironment[] = [];
    for (const entry of feature.environments) {
      const location = { project: feature.project, featureName: feature.name, environment: entry.environment };
      const without = (before: Strategy): Strategy => {
        if (!before.segments.includes(id)) return before;
        uses++;
        return { ...before, segments: before.segments.filter((other) => other !== id), disabled: true };
      };
      const strategies = entry.strategies.map((before) => {
        const data = without(before);
        if (data !== before) emit({ ...location, type: 'feature-strategy-update', data, preData: before });
        return data;
      });
      const milestones = entry.releasePlan?.milestones.map((milestone) => ({
        ...milestone,
        strategies: milestone.strategies.map(without),
      }));
      const { releasePlan } = entry;
      const plan = releasePlan && milestones && { releasePlan: { ...releasePlan, milestones } };
      environments.push({ ...entry, strategies, ...plan });
    }
    if (uses > ARCHIVED_USES_MAX)
      return conflict(
        `The segment ${name} is used by more than ${ARCHIVED_USES_MAX} strategies of archived features: delete some of these features first.`,
      );
    draft.put('features', { ...feature, environments });
    yield;
  }
  return undefined;
}

/** Returns the segment, or a rejection if it does not exist or belongs to a project that the caller must not see. */
export function findSegment(context: CallerInState, id: number): Segment | Rejection {
  const segment = context.draft.get('segments', String(id));
  if (segment && !isHidden(context, segment.project)) return segment;
  return notFound(`The segment ${id} does not exist.`);
}

/** Returns a rejection if another segment already has the name. */
export function segmentNameProblem(reader: StateReader, name: string, ownId?: number): Rejection | undefined {
  for (const segment of reader.lookup('segmentsByName', name)) {
    if (segment.id !== ownId) return conflict(`A segment named ${name} already exists.`);
  }
  return undefined;
}

function missingProjectProblem(reader: StateReader, project: string | null | undefined): Rejection | undefined {
  if (project === null || project === undefined) return undefined;
  const entity = reader.get('projects', project);
  return entity?.archivedAt === null ? undefined : invalid(`The project ${project} does not exist.`, '/project');
}

/** Returns a rejection if other projects use the segment. Otherwise these projects would lose the segment when it is assigned to `project`. */
function* otherProjectsProblem(reader: StateReader, id: number, project: string | null): Steps<Rejection | undefined> {
  if (project === null) return undefined;
  const otherDefault = defaultStrategyOfOtherProject(reader, id, project);
  if (otherDefault)
    return conflict(
      `The segment cannot belong to ${project} alone: a default strategy of ${otherDefault.project} uses it.`,
    );
  for (const feature of reader.lookup('featuresBySegment', String(id))) {
    yield;
    if (feature.project === project) continue;
    return conflict(
      `The segment cannot belong to ${project} alone: ${feature.name} of the project ${feature.project} uses it.`,
    );
  }
  return undefined;
}
