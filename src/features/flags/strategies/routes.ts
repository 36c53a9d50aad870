import Type from 'typebox';
import type { Asker } from '../../../base/asking/asker.ts';
import { convertedInSteps } from '../../../base/converted.ts';
import { Rejection } from '../../../base/rejection.ts';
import { type Answer, ok } from '../../../http/answer.ts';
import { parametersAsText, SentStrategy, type Strategy, type StrategyInput } from '../../../model/strategy.ts';
import { routesOf } from '../../endpoint.ts';
import { withPast } from '../../past/with-past.ts';
import type { Services } from '../../services.ts';
import { change } from '../../shared/change.ts';
import { JsonPatch } from '../../shared/json-patch.ts';
import { presentMeasures } from '../environments/measures.ts';
import { findFeatureLocation } from '../environments/settings.ts';
import { presentStrategies, presentStrategy } from '../present.ts';
import { FeatureStrategySchema, WrittenStrategySchema } from '../schemas.ts';
import {
  addStrategy,
  findStrategy,
  patchStrategy,
  removeStrategy,
  StrategyOrder,
  sortStrategies,
  updateStrategy,
} from './commands.ts';

const route = routesOf('Strategies', { mend: convertedInSteps });

const STRATEGIES_PATH = '/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies';

interface Params {
  readonly projectId: string;
  readonly featureName: string;
  readonly environment: string;
}

function locationOf({ projectId: project, featureName, environment }: Params) {
  return { project, featureName, environment };
}

/** Returns the properties of a body that commands accept. */
export function strategyInput(body: Partial<SentStrategy>): Partial<StrategyInput> {
  const { name, title, disabled, sortOrder, constraints, segments, variants } = body;
  const parameters = body.parameters && parametersAsText(body.parameters);
  return { name, title, disabled, sortOrder, parameters, constraints, segments, variants };
}

/** The strategy, with the measures of the rules as they are after the write. They are missing if the flag does not exist any more. */
async function writtenStrategy(
  services: Services,
  { featureName, environment }: Params,
  strategy: Strategy,
  asker: Asker,
): Promise<Answer> {
  const presented = presentStrategy(strategy, featureName);
  const feature = services.state.get('features', featureName);
  if (!feature) return ok(presented);
  return ok({ ...presented, measures: await presentMeasures(services, feature, environment, asker) });
}

const listStrategies = route(`GET ${STRATEGIES_PATH}`, 'getFeatureStrategies', {
  access: { permission: 'READ', project: 'path.projectId', environment: 'path.environment' },
  summary: 'The strategies of a flag in one environment, in the order of evaluation',
  responses: { 200: { description: 'The strategies', schema: Type.Array(FeatureStrategySchema) } },
  handle({ params }, { state }) {
    const found = findFeatureLocation(state, locationOf(params), 'any');
    if (found instanceof Rejection) return found;
    return ok(presentStrategies(found.config, params.featureName));
  },
});

const addFeatureStrategy = route(`POST ${STRATEGIES_PATH}`, 'addFeatureStrategy', {
  access: { permission: 'CREATE_FEATURE_STRATEGY', project: 'path.projectId', environment: 'path.environment' },
  edits: 'featureEnvironment',
  summary: 'Adds a strategy to a flag in one environment',
  body: SentStrategy,
  responses: { 200: { description: 'The strategy', schema: WrittenStrategySchema } },
  handle({ params, body, caller, asker }, services) {
    const input = { ...locationOf(params), strategy: { ...strategyInput(body), name: body.name } };
    return change(services, caller, addStrategy, input, (strategy) =>
      writtenStrategy(services, params, strategy, asker),
    );
  },
});

const getFeatureStrategy = route(`GET ${STRATEGIES_PATH}/:strategyId`, 'getFeatureStrategy', {
  access: { permission: 'READ', project: 'path.projectId', environment: 'path.environment' },
  edits: 'strategy',
  summary: 'One strategy of a flag',
  responses: { 200: { description: 'The strategy', schema: FeatureStrategySchema } },
  handle({ params }, { state }) {
    const strategy = findStrategy(state, { ...locationOf(params), strategyId: params.strategyId });
    return strategy instanceof Rejection ? strategy : ok(presentStrategy(strategy, params.featureName));
  },
});

const updateFeatureStrategy = route(`PUT ${STRATEGIES_PATH}/:strategyId`, 'updateFeatureStrategy', {
  access: { permission: 'UPDATE_FEATURE_STRATEGY', project: 'path.projectId', environment: 'path.environment' },
  edits: 'strategy',
  summary: 'Changes the specified properties of a strategy',
  body: Type.Partial(SentStrategy, { $id: 'updateFeatureStrategy' }),
  responses: { 200: { description: 'The strategy as it is now', schema: WrittenStrategySchema } },
  handle({ params, body, caller, asker }, services) {
    const input = { ...locationOf(params), strategyId: params.strategyId, changes: strategyInput(body) };
    return change(services, caller, updateStrategy, input, (strategy) =>
      writtenStrategy(services, params, strategy, asker),
    );
  },
});

const patchFeatureStrategy = route(`PATCH ${STRATEGIES_PATH}/:strategyId`, 'patchFeatureStrategy', {
  access: { permission: 'UPDATE_FEATURE_STRATEGY', project: 'path.projectId', environment: 'path.environment' },
  edits: 'strategy',
  summary: 'Changes a strategy by a JSON Patch',
  body: JsonPatch,
  responses: { 200: { description: 'The strategy as it is now', schema: WrittenStrategySchema } },
  handle({ params, body, caller, asker }, services) {
    const input = { ...locationOf(params), strategyId: params.strategyId, patch: body };
    return change(services, caller, patchStrategy, input, (strategy) =>
      writtenStrategy(services, params, strategy, asker),
    );
  },
});

const deleteFeatureStrategy = route(`DELETE ${STRATEGIES_PATH}/:strategyId`, 'deleteFeatureStrategy', {
  access: { permission: 'DELETE_FEATURE_STRATEGY', project: 'path.projectId', environment: 'path.environment' },
  edits: 'strategy',
  summary: 'Removes a strategy; a flag that then has no active strategy is switched off',
  responses: { 200: { description: 'The strategy was removed' } },
  errors: [409],
  handle: ({ params, caller }, services) =>
    change(services, caller, removeStrategy, { ...locationOf(params), strategyId: params.strategyId }),
});

const setStrategySortOrder = route(`POST ${STRATEGIES_PATH}/set-sort-order`, 'setStrategySortOrder', {
  access: { permission: 'UPDATE_FEATURE_STRATEGY', project: 'path.projectId', environment: 'path.environment' },
  edits: 'featureEnvironment',
  summary: 'Sets the order in which the strategies of a flag are evaluated',
  body: StrategyOrder,
  handle({ params, body, caller }, services) {
    const order = body.map(({ id, sortOrder }) => ({ id, sortOrder }));
    return change(services, caller, sortStrategies, { ...locationOf(params), order });
  },
});

export const strategyEndpoints = [
  withPast(listStrategies, 'flag'),
  addFeatureStrategy,
  setStrategySortOrder,
  withPast(getFeatureStrategy, 'flag'),
  updateFeatureStrategy,
  patchFeatureStrategy,
  deleteFeatureStrategy,
];
