import Type from 'typebox';
import { convertedInSteps } from '../../../base/converted.ts';
import { Rejection, withPathPrefix } from '../../../base/rejection.ts';
import { ok } from '../../../http/answer.ts';
import { featureEnvironment } from '../../../model/feature.ts';
import { Variant } from '../../../model/variant.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { JsonPatch } from '../../shared/json-patch.ts';
import { findFeature } from '../../shared/lookup.ts';
import { findFeatureLocation } from '../environments/settings.ts';
import { environmentNames } from '../present.ts';
import { patchVariants, setVariants, setVariantsEverywhere, VariantEnvironments, Variants } from './commands.ts';

const route = routesOf('Variants', { mend: convertedInSteps });

const FEATURE_PATH = '/api/admin/projects/:projectId/features/:featureName';
const ENVIRONMENT_PATH = `${FEATURE_PATH}/environments/:environment/variants`;

const ENVIRONMENT_WRITE = {
  permission: 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
  project: 'path.projectId',
  environment: 'path.environment',
} as const;

const VariantsSchema = Type.Object({ version: Type.Integer(), variants: Type.Array(Variant) }, { $id: 'variants' });

const responses = { 200: { description: 'The variants. The sum of their weights is 1000', schema: VariantsSchema } };

function variantsAnswer(variants: readonly Variant[]) {
  return ok({ version: 1, variants });
}

const getFeatureVariants = route(`GET ${FEATURE_PATH}/variants`, 'getFeatureVariants', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'The variants of a flag in the first environment in which it has variants',
  deprecated: true,
  responses,
  handle({ params }, { state }) {
    const feature = findFeature(state, params.projectId, params.featureName, 'any');
    if (feature instanceof Rejection) return feature;
    const lists = environmentNames(feature.project, state).map((name) => featureEnvironment(feature, name).variants);
    return variantsAnswer(lists.find((variants) => variants.length > 0) ?? []);
  },
});

const overwriteFeatureVariants = route(`PUT ${FEATURE_PATH}/variants`, 'overwriteFeatureVariants', {
  access: { permission: 'UPDATE_FEATURE_VARIANTS', project: 'path.projectId' },
  edits: 'feature',
  summary: 'Replaces the variants of a flag in all environments',
  body: Variants,
  responses,
  handle({ params, body, caller }, services) {
    const input = { project: params.projectId, featureName: params.featureName, variants: body };
    return change(services, caller, setVariantsEverywhere, input, variantsAnswer);
  },
});

const overwriteVariantsOnEnvironments = route(
  `PUT ${FEATURE_PATH}/variants-batch`,
  'overwriteFeatureVariantsOnEnvironments',
  {
    access: {
      permission: 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
      project: 'path.projectId',
      environment: 'body.environments',
    },
    edits: 'feature',
    summary: 'Replaces the variants of a flag in the specified environments, all or none',
    body: Type.Object({ variants: Variants, environments: VariantEnvironments }, { $id: 'variantsBatch' }),
    responses,
    async handle({ params, body, caller }, services) {
      const input = {
        project: params.projectId,
        featureName: params.featureName,
        environments: body.environments,
        variants: body.variants,
        isBatch: true,
      };
      const answer = await change(services, caller, setVariants, input, variantsAnswer);
      return answer instanceof Rejection ? withPathPrefix(answer, '/variants') : answer;
    },
  },
);

const getEnvironmentVariants = route(`GET ${ENVIRONMENT_PATH}`, 'getEnvironmentFeatureVariants', {
  access: { permission: 'READ', project: 'path.projectId', environment: 'path.environment' },
  summary: 'The variants of a flag in one environment',
  responses,
  handle({ params: { projectId: project, featureName, environment } }, { state }) {
    const found = findFeatureLocation(state, { project, featureName, environment }, 'any');
    return found instanceof Rejection ? found : variantsAnswer(found.config.variants);
  },
});

const overwriteEnvironmentVariants = route(`PUT ${ENVIRONMENT_PATH}`, 'overwriteEnvironmentFeatureVariants', {
  access: ENVIRONMENT_WRITE,
  edits: 'featureEnvironment',
  summary: 'Replaces the variants of a flag in one environment',
  body: Variants,
  responses,
  handle({ params, body, caller }, services) {
    const input = {
      project: params.projectId,
      featureName: params.featureName,
      environments: [params.environment],
      variants: body,
    };
    return change(services, caller, setVariants, input, variantsAnswer);
  },
});

const patchEnvironmentVariants = route(`PATCH ${ENVIRONMENT_PATH}`, 'patchEnvironmentsFeatureVariants', {
  access: ENVIRONMENT_WRITE,
  edits: 'featureEnvironment',
  summary: 'Changes the variants of a flag in one environment by a JSON Patch',
  body: JsonPatch,
  responses,
  handle({ params, body, caller }, services) {
    const input = {
      project: params.projectId,
      featureName: params.featureName,
      environment: params.environment,
      patch: body,
    };
    return change(services, caller, patchVariants, input, variantsAnswer);
  },
});

export const variantEndpoints = [
  getFeatureVariants,
  overwriteFeatureVariants,
  overwriteVariantsOnEnvironments,
  getEnvironmentVariants,
  overwriteEnvironmentVariants,
  patchEnvironmentVariants,
];
