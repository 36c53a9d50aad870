import Type from 'typebox';
import { endpoint } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { deprecateStrategyType, strategyTypes } from './strategy-types.ts';

const deprecationRoute = (action: 'deprecate' | 'reactivate', summary: string) =>
  endpoint({
    operationId: `${action}Strategy`,
    method: 'post',
    path: `/api/admin/strategies/:name/${action}`,
    tag: 'Strategy types',
    access: { permission: 'UPDATE_STRATEGY' },
    summary,
    params: Type.Object({ name: Type.String() }),
    responses: { 200: { description: 'Done' } },
    errors: [400, 404],
    handle({ params, caller }, services) {
      const input = { name: params.name, deprecated: action === 'deprecate' };
      return change(services, caller, deprecateStrategyType, input);
    },
  });

export const strategyTypeEndpoints = [
  ...strategyTypes.endpoints,
  deprecationRoute('deprecate', 'Advises against a kind of strategy; it works as before'),
  deprecationRoute('reactivate', 'Takes the advice against a kind of strategy back'),
];
