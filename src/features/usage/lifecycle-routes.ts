import Type from 'typebox';
import { type VisibleProjects, visibleProjects } from '../../access/visibility.ts';
import { Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import { ok } from '../../http/answer.ts';
import type { StateReader } from '../../state/collections.ts';
import { routesOf } from '../endpoint.ts';
import { change } from '../shared/change.ts';
import { findFeature } from '../shared/lookup.ts';
import { countFlags } from './flag-counts.ts';
import type { LifecycleStage } from './lifecycle.ts';
import { Completion, completeFeature, lifecycleOf, lifecycleSteps, uncompleteFeature } from './lifecycle-commands.ts';
import { LifecycleSchema } from './lifecycle-schema.ts';

const route = routesOf('Features');

const path = '/api/admin/projects/:projectId/features/:featureName/lifecycle';

const getLifecycle = route(`GET ${path}`, 'getFeatureLifecycle', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'The stages that a flag has entered, oldest first',
  description:
    'A new flag is in the stage `initial`. Use in any environment moves it to `pre-live`, and use in a production environment to `live`. ' +
    'Users complete and archive it.',
  responses: {
    200: { description: 'The stages', schema: Type.Array(LifecycleSchema, { $id: 'featureLifecycle' }) },
  },
  handle({ params }, { state }) {
    const feature = findFeature(state, params.projectId, params.featureName, 'any');
    if (feature instanceof Rejection) return feature;
    return ok(lifecycleSteps(state, feature).map(({ statusValue: _statusValue, ...step }) => step));
  },
});

const complete = route(`POST ${path}/complete`, 'complete', {
  access: { permission: 'UPDATE_FEATURE', project: 'path.projectId' },
  summary: 'Completes a flag',
  body: Type.Object(Completion, { $id: 'featureCompletion' }),
  responses: { 200: { description: 'The flag is in the stage `completed`' } },
  handle({ params, body: { status, statusValue }, caller }, services) {
    const input = { project: params.projectId, name: params.featureName, status, statusValue };
    return change(services, caller, completeFeature, input);
  },
});

const uncomplete = route(`POST ${path}/uncomplete`, 'uncomplete', {
  access: { permission: 'UPDATE_FEATURE', project: 'path.projectId' },
  summary: 'Reverts the completion of a flag: it returns to its previous stage',
  responses: { 200: { description: 'The flag is not in the stage `completed`' } },
  handle: ({ params, caller }, services) =>
    change(services, caller, uncompleteFeature, { project: params.projectId, name: params.featureName }),
});

const count = (stage: LifecycleStage) => Type.Integer({ minimum: 0, description: `Flags whose stage is \`${stage}\`` });

const countLifecycles = route('GET /api/admin/lifecycle/count', 'getFeatureLifecycleCount', {
  access: { permission: 'READ' },
  summary: 'How many flags are in each stage',
  responses: {
    200: {
      description: 'The counts for all projects that the caller may see',
      schema: Type.Object(
        {
          initial: count('initial'),
          preLive: count('pre-live'),
          live: count('live'),
          completed: count('completed'),
          archived: count('archived'),
        },
        { $id: 'lifecycleCount' },
      ),
    },
  },
  async handle({ caller, asker }, { state }) {
    const visible = visibleProjects(state, caller);
    const counts = await inSlices(countStages(state, visible), Slicer.of(asker));
    const of = (stage: LifecycleStage) => counts.get(stage) ?? 0;
    const { active, archived } = await inSlices(countFlags(state, visible), Slicer.of(asker));
    const others = { preLive: of('pre-live'), live: of('live'), completed: of('completed') };
    const { preLive, live, completed } = others;
    return ok({ initial: Math.max(0, active - preLive - live - completed), ...others, archived });
  },
});

/** The number of active flags in visible projects that have left the first stage, by their current stage. */
function* countStages(state: StateReader, visible: VisibleProjects): Steps<ReadonlyMap<LifecycleStage, number>> {
  const counts = new Map<LifecycleStage, number>();
  for (const { feature: name } of state.values('lifecycles')) {
    yield;
    const feature = state.get('features', name);
    if (!feature || feature.archived || !visible.has(feature.project)) continue;
    const { stage } = lifecycleOf(state, feature);
    counts.set(stage, (counts.get(stage) ?? 0) + 1);
  }
  return counts;
}

export const lifecycleEndpoints = [getLifecycle, complete, uncomplete, countLifecycles];
