import Type, { type Static } from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { done, ok, okText } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import { withPast } from '../../past/with-past.ts';
import { change } from '../../shared/change.ts';
import { oneFeatureText, presentEnvironment } from '../present.ts';
import { BatchFeaturesBody, FeatureSchema, OneFeatureEnvironmentSchema } from '../schemas.ts';
import { presentMeasures } from './measures.ts';
import { findFeatureLocation } from './settings.ts';
import { switchFeatures } from './switch-features.ts';

const route = routesOf('Features');

const getFeatureEnvironment = route(
  'GET /api/admin/projects/:projectId/features/:featureName/environments/:environment',
  'getFeatureEnvironment',
  {
    access: { permission: 'READ', project: 'path.projectId', environment: 'path.environment' },
    edits: 'featureEnvironment',
    summary: 'The configuration of a flag in one environment',
    responses: { 200: { description: 'The configuration', schema: OneFeatureEnvironmentSchema } },
    async handle({ params: { projectId: project, featureName, environment }, asker }, services) {
      const found = findFeatureLocation(services.state, { project, featureName, environment }, 'any');
      if (found instanceof Rejection) return found;
      const { feature } = found;
      const presented = presentEnvironment(feature, environment, services);
      return ok({ ...presented, measures: await presentMeasures(services, feature, environment, asker) });
    },
  },
);

const SwitchQuery = Type.Object({
  shouldActivateDisabledStrategies: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether disabled strategies are enabled; otherwise a flag without an active strategy gets a new one',
    }),
  ),
});

const SWITCHING = {
  permission: 'UPDATE_FEATURE_ENVIRONMENT',
  project: 'path.projectId',
  environment: 'path.environment',
} as const;

/** The second part of a summary. */
const SUMMARIES = {
  on: 'on in one environment; a flag without an active strategy gets a new strategy',
  off: 'off in one environment; strategies stay',
};

function switchInput(
  { projectId: project, environment }: { readonly projectId: string; readonly environment: string },
  names: readonly string[],
  position: 'on' | 'off',
  { shouldActivateDisabledStrategies: activateDisabledStrategies = false }: Static<typeof SwitchQuery>,
) {
  return { project, names: [...names], environment, enabled: position === 'on', activateDisabledStrategies };
}

const switchOne = (position: 'on' | 'off') =>
  route(
    `POST /api/admin/projects/:projectId/features/:featureName/environments/:environment/${position}`,
    position === 'on' ? 'toggleFeatureEnvironmentOn' : 'toggleFeatureEnvironmentOff',
    {
      access: SWITCHING,
      edits: 'featureEnvironment',
      summary: `Switches a flag ${SUMMARIES[position]}`,
      query: SwitchQuery,
      responses: { 200: { description: 'The flag as it is now', schema: FeatureSchema } },
      handle({ params, query, caller }, services) {
        const input = switchInput(params, [params.featureName], position, query);
        return change(services, caller, switchFeatures, input, ([feature]) =>
          feature ? okText(oneFeatureText(feature, services, caller)) : done(),
        );
      },
    },
  );

const switchMany = (position: 'on' | 'off') =>
  route(
    `POST /api/admin/projects/:projectId/bulk_features/environments/:environment/${position}`,
    position === 'on' ? 'bulkToggleFeaturesEnvironmentOn' : 'bulkToggleFeaturesEnvironmentOff',
    {
      access: SWITCHING,
      summary: `Switches flags of a project, all or none, ${SUMMARIES[position]}`,
      query: SwitchQuery,
      body: BatchFeaturesBody,
      responses: { 200: { description: `The flags are ${position}` } },
      handle({ params, query, body, caller }, services) {
        const input = switchInput(params, body.features, position, query);
        return change(services, caller, switchFeatures, input, () => done());
      },
    },
  );

export const featureEnvironmentEndpoints = [
  withPast(getFeatureEnvironment, 'flag'),
  switchOne('on'),
  switchOne('off'),
  switchMany('on'),
  switchMany('off'),
];
