import Type from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { done, ok, okText } from '../../../http/answer.ts';
import { endpoint } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { oneFeatureText, presentEnvironment } from '../present.ts';
import { BatchFeaturesBody, FeatureEnvironmentParams, FeatureEnvironmentSchema, FeatureSchema } from '../schemas.ts';
import { findFeaturePlace, switchFeatures } from './commands.ts';

const getFeatureEnvironment = endpoint({
  operationId: 'getFeatureEnvironment',
  method: 'get',
  path: '/api/admin/projects/:projectId/features/:featureName/environments/:environment',
  tag: 'Features',
  access: { permission: 'READ', project: 'path.projectId', environment: 'path.environment' },
  summary: 'The configuration of a flag in one environment',
  params: FeatureEnvironmentParams,
  responses: { 200: { description: 'The configuration', schema: FeatureEnvironmentSchema } },
  errors: [404],
  handle({ params: { projectId: project, featureName, environment } }, services) {
    const found = findFeaturePlace(services.state, { project, featureName, environment }, 'any');
    return found instanceof Rejection ? found : ok(presentEnvironment(found.feature, environment, services));
  },
});

const SwitchQuery = Type.Object({
  shouldActivateDisabledStrategies: Type.Optional(
    Type.Boolean({ default: false, description: 'Takes disabled strategies into use instead of adding one' }),
  ),
});

const SUMMARIES = {
  on: 'on in one environment; one that has no active strategy gets one for everybody',
  off: 'off in one environment; its strategies stay',
};

const switchOne = (position: 'on' | 'off') =>
  endpoint({
    operationId: position === 'on' ? 'toggleFeatureEnvironmentOn' : 'toggleFeatureEnvironmentOff',
    method: 'post',
    path: `/api/admin/projects/:projectId/features/:featureName/environments/:environment/${position}`,
    tag: 'Features',
    access: {
      permission: 'UPDATE_FEATURE_ENVIRONMENT',
      project: 'path.projectId',
      environment: 'path.environment',
    },
    summary: `Switches a flag ${SUMMARIES[position]}`,
    params: FeatureEnvironmentParams,
    query: SwitchQuery,
    responses: { 200: { description: 'The flag as it is now', schema: FeatureSchema } },
    errors: [400, 404],
    handle({ params, query, caller }, services) {
      const input = {
        project: params.projectId,
        names: [params.featureName],
        environment: params.environment,
        enabled: position === 'on',
        activateDisabledStrategies: query.shouldActivateDisabledStrategies ?? false,
      };
      return change(services, caller, switchFeatures, input, ([feature]) =>
        feature ? okText(oneFeatureText(feature, services, caller)) : done(),
      );
    },
  });

const switchMany = (position: 'on' | 'off') =>
  endpoint({
    operationId: position === 'on' ? 'bulkToggleFeaturesEnvironmentOn' : 'bulkToggleFeaturesEnvironmentOff',
    method: 'post',
    path: `/api/admin/projects/:projectId/bulk_features/environments/:environment/${position}`,
    tag: 'Features',
    access: {
      permission: 'UPDATE_FEATURE_ENVIRONMENT',
      project: 'path.projectId',
      environment: 'path.environment',
    },
    summary: `Switches flags of a project, all or none, ${SUMMARIES[position]}`,
    params: Type.Object({ projectId: Type.String(), environment: Type.String() }),
    query: SwitchQuery,
    body: BatchFeaturesBody,
    responses: { 200: { description: `They are ${position}` } },
    errors: [400, 404],
    handle({ params, query, body, caller }, services) {
      const input = {
        project: params.projectId,
        names: body.features,
        environment: params.environment,
        enabled: position === 'on',
        activateDisabledStrategies: query.shouldActivateDisabledStrategies ?? false,
      };
      return change(services, caller, switchFeatures, input, () => done());
    },
  });

export const featureEnvironmentEndpoints = [
  getFeatureEnvironment,
  switchOne('on'),
  switchOne('off'),
  switchMany('on'),
  switchMany('off'),
];
