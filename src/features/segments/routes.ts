import Type from 'typebox';
import { permissionProblem } from '../../access/permission-problem.ts';
import { type VisibleProjects, visibleProjects } from '../../access/visibility.ts';
import type { Asker } from '../../base/asking/asker.ts';
import { convertedInSteps } from '../../base/converted.ts';
import { notFound, Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import { created, done, listAnswer, listPieces, ok } from '../../http/answer.ts';
import { createdResponses } from '../../http/endpoint.ts';
import { featureEnvironment } from '../../model/feature.ts';
import type { Segment } from '../../model/segment.ts';
import type { State } from '../../state/state.ts';
import { routesOf } from '../endpoint.ts';
import { setStrategySegments } from '../flags/strategies/commands.ts';
import { withPast } from '../past/with-past.ts';
import { change } from '../shared/change.ts';
import { suppliedFields } from '../shared/supplied-fields.ts';
import {
  createSegment,
  deleteSegment,
  findSegment,
  SegmentFields,
  segmentNameProblem,
  updateSegment,
} from './commands.ts';
import { pendingStrategies, presentSegment, strategiesOfSegment } from './present.ts';
import {
  AdminSegmentSchema,
  SegmentListSchema,
  SegmentNameBody,
  SegmentStrategiesSchema,
  StrategySegments,
  UpsertSegmentBody,
} from './schemas.ts';

const route = routesOf('Segments', { mend: convertedInSteps });

const SegmentParams = { id: Type.Integer({ maximum: 2_147_483_647 }) };

const listSegments = route('GET /api/admin/segments', 'getSegments', {
  access: { permission: 'READ' },
  summary: 'Every segment, sorted by name',
  responses: { 200: { description: 'The segments', schema: SegmentListSchema } },
  async handle({ caller, asker }, { state }) {
    const visible = visibleProjects(state, caller);
    const segments = [...state.values('segments')]
      .filter(({ project }) => project === null || visible.has(project))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
    return listAnswer({}, 'segments', await presentAll(segments, state, visible, asker), (segment) => segment);
  },
});

async function presentAll(segments: readonly Segment[], state: State, visible: VisibleProjects, asker: Asker) {
  const slicer = Slicer.of(asker);
  const answers = [];
  for (const segment of segments) answers.push(await presentSegment(segment, state, visible, slicer));
  return answers;
}

const getSegment = route('GET /api/admin/segments/:id', 'getSegment', {
  access: { permission: 'READ' },
  edits: 'segment',
  summary: 'One segment',
  params: SegmentParams,
  responses: { 200: { description: 'The segment', schema: AdminSegmentSchema } },
  async handle({ params, caller, asker }, { state }) {
    const segment = findSegment({ draft: state, caller }, params.id);
    if (segment instanceof Rejection) return segment;
    return ok(await presentSegment(segment, state, visibleProjects(state, caller), Slicer.of(asker)));
  },
});

const addSegment = route('POST /api/admin/segments', 'createSegment', {
  access: { permission: ['CREATE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'], project: 'body.project' },
  summary: 'Creates a segment',
  body: UpsertSegmentBody,
  responses: createdResponses('The segment', AdminSegmentSchema),
  errors: [409],
  handle: ({ body, caller, asker }, services) =>
    change(services, caller, createSegment, suppliedFields(SegmentFields, body), async (segment) =>
      created(
        await presentSegment(segment, services.state, visibleProjects(services.state, caller), Slicer.of(asker)),
        `${services.config.basePath}/api/admin/segments/${segment.id}`,
      ),
    ),
});

const changeSegment = route('PUT /api/admin/segments/:id', 'updateSegment', {
  access: { permission: ['UPDATE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'], project: 'entity.segments' },
  edits: 'segment',
  summary: 'Replaces a segment. If `project` is left out, every project can use the segment',
  params: SegmentParams,
  body: UpsertSegmentBody,
  responses: { 204: { description: 'Done' } },
  errors: [409],
  handle: ({ params, body, caller }, services) =>
    change(services, caller, updateSegment, { id: params.id, ...suppliedFields(SegmentFields, body) }, () => done(204)),
});

const removeSegment = route('DELETE /api/admin/segments/:id', 'removeSegment', {
  access: { permission: ['DELETE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'], project: 'entity.segments' },
  edits: 'segment',
  summary: 'Deletes a segment. Only archived flags may use the segment: their strategies lose it and are disabled',
  params: SegmentParams,
  responses: { 204: { description: 'The segment was deleted' } },
  errors: [409],
  handle: ({ params, caller }, services) => change(services, caller, deleteSegment, { id: params.id }, () => done(204)),
});

const validateSegment = route('POST /api/admin/segments/validate', 'validateSegment', {
  access: { permission: 'READ' },
  summary: 'Checks whether a segment with this name could be created',
  body: SegmentNameBody,
  responses: { 204: { description: 'The segment could be created' } },
  errors: [409],
  handle: ({ body }, { state }) => segmentNameProblem(state, body.name) ?? done(204),
});

const getStrategiesBySegment = route('GET /api/admin/segments/:id/strategies', 'getStrategiesBySegmentId', {
  access: { permission: 'READ' },
  summary: 'The strategies that use a segment',
  params: SegmentParams,
  responses: { 200: { description: 'The strategies', schema: SegmentStrategiesSchema } },
  handle({ params, caller, asker }, { fixedStates }) {
    const state = fixedStates.until(asker);
    const segment = findSegment({ draft: state, caller }, params.id);
    if (segment instanceof Rejection) return segment;
    const visible = visibleProjects(state, caller);
    const jsonOf = (strategy: object) => [JSON.stringify(strategy)];
    const pieces = listPieces({}, [
      ['strategies', strategiesOfSegment(segment, state, visible), jsonOf],
      ['changeRequestStrategies', pendingStrategies(segment, state, visible), jsonOf],
    ]);
    return { status: 200, pieces };
  },
});

const getSegmentsByStrategy = route('GET /api/admin/segments/strategies/:strategyId', 'getSegmentsByStrategyId', {
  access: { permission: 'READ' },
  summary: 'The segments that a strategy uses; empty if the strategy does not exist',
  responses: { 200: { description: 'The segments', schema: SegmentListSchema } },
  neverMissing: true,
  async handle({ params, caller, asker }, { state }) {
    const visible = visibleProjects(state, caller);
    const segments: Segment[] = [];
    const slicer = Slicer.of(asker);
    // The segments are searched and not the flags, because strategies have no index and few flags use segments.
    for (const segment of [...state.values('segments')]) {
      for (const strategy of strategiesOfSegment(segment, state, visible)) {
        if (slicer.spent) await slicer.pause();
        if (strategy.id !== params.strategyId) continue;
        segments.push(segment);
        break;
      }
    }
    return ok({ segments: await presentAll(segments, state, visible, asker) });
  },
});

const updateStrategySegments = route('POST /api/admin/segments/strategies', 'updateFeatureStrategySegments', {
  access: {
    permission: 'UPDATE_FEATURE_STRATEGY',
    project: 'body.projectId',
    environment: 'body.environmentId',
  },
  summary: 'Replaces the segments of a strategy',
  body: StrategySegments,
  responses: { 201: { description: 'The segments of the strategy', schema: StrategySegments } },
  errors: [404],
  async handle({ body, caller, asker }, services) {
    const { projectId: project, environmentId: environment, strategyId, segmentIds } = body;
    const { state } = services;
    const refusal = permissionProblem({ draft: state, caller }, ['UPDATE_FEATURE_STRATEGY'], project, environment);
    if (refusal) return refusal;
    const featureName = await inSlices(flagOfStrategy(state, project, environment, strategyId), Slicer.of(asker));
    if (featureName === undefined) {
      return notFound(`The project ${project} has no strategy ${strategyId} in the environment ${environment}.`);
    }
    const input = { project, environment, featureName, strategyId, segments: segmentIds };
    return change(services, caller, setStrategySegments, input, ({ segments }) =>
      created({ projectId: project, environmentId: environment, strategyId, segmentIds: segments }),
    );
  },
});

/**
 * Returns the name of the flag that has the strategy, or undefined. Strategies have no index, so this function searches the flags of the project. The
 * flag may change before the command runs, so the command checks again whether the flag has the strategy.
 */
function* flagOfStrategy(
  state: State,
  project: string,
  environment: string,
  strategyId: string,
): Steps<string | undefined> {
  for (const feature of state.lookup('featuresByProject', project)) {
    const { strategies } = featureEnvironment(feature, environment);
    if (strategies.some(({ id }) => id === strategyId)) return feature.name;
    yield;
  }
  return undefined;
}

export const segmentEndpoints = [
  withPast(listSegments, 'all'),
  withPast(getSegment, 'all'),
  addSegment,
  changeSegment,
  removeSegment,
  validateSegment,
  getStrategiesBySegment,
  getSegmentsByStrategy,
  updateStrategySegments,
];
