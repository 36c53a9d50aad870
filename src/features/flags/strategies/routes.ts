import Type from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { ok } from '../../../http/answer.ts';
import { parametersAsText, SentStrategy, type StrategyInput } from '../../../model/strategy.ts';
import { endpoint } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { JsonPatch } from '../../shared/json-patch.ts';
import { findFeaturePlace } from '../environments/commands.ts';
import { presentStrategy } from '../present.ts';
import { FeatureEnvironmentParams, FeatureStrategySchema } from '../schemas.ts';
import {
  addStrategy,
  findStrategy,
  patchStrategy,
  removeStrategy,
  StrategyOrder,
  sortStrategies,
  updateStrategy,
} from './commands.ts';

const STRATEGIES_PATH = '/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies';

const StrategyParams = Type.Object({
  projectId: Type.String(),
  featureName: Type.String(),
  environment: Type.String(),
  strategyId: Type.String(),
});

interface Params {
  readonly projectId: string;
  readonly featureName: string;
  readonly environment: string;
}

function placeOf({ projectId: project, featureName, environment }: Params) {
  return { project, featureName, environment };
}

/** The known properties of a body. */
export function strategyInput(body: Partial<SentStrategy>): Partial<StrategyInput> {
  const { name, title, disabled, sortOrder, constraints, segments, variants } = body;
  const parameters = body.parameters && parametersAsText(body.parameters);
  return { name, title, disabled, sortOrder, parameters, constraints, segments, variants };
}

const listStrategies = endpoint({
  operationId: 'getFeatureStrategies',
  method: 'get',
  path: STRATEGIES_PATH,
  tag: 'Strategies',
  access: { permission: 'READ', project: 'path.projectId', environment: 'path.environment' },
  summary: 'The strategies of a flag in one environment, in the order in which they are asked',
  params: FeatureEnvironmentParams,
  responses: { 200: { description: 'The strategies', schema: Type.Array(FeatureStrategySchema) } },
  errors: [404],
  handle({ params }, { state }) {
    const found = findFeaturePlace(state, placeOf(params), 'any');
    if (found instanceof Rejection) return found;
    return ok(found.config.strategies.map((strategy) => presentStrategy(strategy, params.featureName)));
  },
});

const addFeatureStrategy = endpoint({
  operationId: 'addFeatureStrategy',
  method: 'post',
  path: STRATEGIES_PATH,
  tag: 'Strategies',
  access: { permission: 'CREATE_FEATURE_STRATEGY', project: 'path.projectId', environment: 'path.environment' },
  summary: 'Adds a strategy to a flag in one environment',
  params: FeatureEnvironmentParams,
  body: SentStrategy,
  responses: { 200: { description: 'The strategy', schema: FeatureStrategySchema } },
  errors: [400, 404],
  handle({ params, body, caller }, services) {
    const input = { ...placeOf(params), strategy: { ...strategyInput(body), name: body.name } };
    return change(services, caller, addStrategy, input, (strategy) =>
      ok(presentStrategy(strategy, params.featureName)),
    );
  },
});

const getFeatureStrategy = endpoint({
  operationId: 'getFeatureStrategy',
  method: 'get',
  path: `${STRATEGIES_PATH}/:strategyId`,
  tag: 'Strategies',
  access: { permission: 'READ', project: 'path.projectId', environment: 'path.environment' },
  summary: 'One strategy of a flag',
  params: StrategyParams,
  responses: { 200: { description: 'The strategy', schema: FeatureStrategySchema } },
  errors: [404],
  handle({ params }, { state }) {
    const strategy = findStrategy(state, { ...placeOf(params), strategyId: params.strategyId });
    return strategy instanceof Rejection ? strategy : ok(presentStrategy(strategy, params.featureName));
  },
});

const updateFeatureStrategy = endpoint({
  operationId: 'updateFeatureStrategy',
  method: 'put',
  path: `${STRATEGIES_PATH}/:strategyId`,
  tag: 'Strategies',
  access: { permission: 'UPDATE_FEATURE_STRATEGY', project: 'path.projectId', environment: 'path.environment' },
  summary: 'Changes the given properties of a strategy',
  params: StrategyParams,
  body: Type.Partial(SentStrategy, { $id: 'updateFeatureStrategy' }),
  responses: { 200: { description: 'The strategy as it is now', schema: FeatureStrategySchema } },
  errors: [400, 404],
  handle({ params, body, caller }, services) {
    const input = { ...placeOf(params), strategyId: params.strategyId, changes: strategyInput(body) };
    return change(services, caller, updateStrategy, input, (strategy) =>
      ok(presentStrategy(strategy, params.featureName)),
    );
  },
});

const patchFeatureStrategy = endpoint({
  operationId: 'patchFeatureStrategy',
  method: 'patch',
  path: `${STRATEGIES_PATH}/:strategyId`,
  tag: 'Strategies',
  access: { permission: 'UPDATE_FEATURE_STRATEGY', project: 'path.projectId', environment: 'path.environment' },
  summary: 'Changes a strategy by a JSON Patch',
  params: StrategyParams,
  body: JsonPatch,
  responses: { 200: { description: 'The strategy as it is now', schema: FeatureStrategySchema } },
  errors: [400, 404],
  handle({ params, body, caller }, services) {
    const input = { ...placeOf(params), strategyId: params.strategyId, patch: body };
    return change(services, caller, patchStrategy, input, (strategy) =>
      ok(presentStrategy(strategy, params.featureName)),
    );
  },
});

const deleteFeatureStrategy = endpoint({
  operationId: 'deleteFeatureStrategy',
  method: 'delete',
  path: `${STRATEGIES_PATH}/:strategyId`,
  tag: 'Strategies',
  access: { permission: 'DELETE_FEATURE_STRATEGY', project: 'path.projectId', environment: 'path.environment' },
  summary: 'Removes a strategy; a flag that is left without an active one is switched off',
  params: StrategyParams,
  responses: { 200: { description: 'It is gone' } },
  errors: [404],
  handle({ params, caller }, services) {
    const input = { ...placeOf(params), strategyId: params.strategyId };
    return change(services, caller, removeStrategy, input);
  },
});

const setStrategySortOrder = endpoint({
  operationId: 'setStrategySortOrder',
  method: 'post',
  path: `${STRATEGIES_PATH}/set-sort-order`,
  tag: 'Strategies',
  access: { permission: 'UPDATE_FEATURE_STRATEGY', project: 'path.projectId', environment: 'path.environment' },
  summary: 'Sets the order in which the strategies of a flag are asked',
  params: FeatureEnvironmentParams,
  body: StrategyOrder,
  responses: { 200: { description: 'Done' } },
  errors: [400, 404],
  handle({ params, body, caller }, services) {
    const order = body.map(({ id, sortOrder }) => ({ id, sortOrder }));
    return change(services, caller, sortStrategies, { ...placeOf(params), order });
  },
});

export const strategyEndpoints = [
  listStrategies,
  addFeatureStrategy,
  setStrategySortOrder,
  getFeatureStrategy,
  updateFeatureStrategy,
  patchFeatureStrategy,
  deleteFeatureStrategy,
];
