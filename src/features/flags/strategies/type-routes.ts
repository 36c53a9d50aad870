import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { deprecateStrategyType, strategyTypes } from './strategy-types.ts';

const route = routesOf('Strategy types');

const deprecationRoute = (action: 'deprecate' | 'reactivate', summary: string) =>
  route(`POST /api/admin/strategies/:name/${action}`, {
    operationId: `${action}Strategy`,
    access: { permission: 'UPDATE_STRATEGY' },
    summary,
    responses: { 200: { description: 'Done' } },
    handle({ params, caller }, services) {
      const input = { name: params.name, deprecated: action === 'deprecate' };
      return change(services, caller, deprecateStrategyType, input);
    },
  });

export const strategyTypeEndpoints = [
  ...strategyTypes.endpoints,
  deprecationRoute('deprecate', 'Marks a strategy type as deprecated; strategies of this type work as before'),
  deprecationRoute('reactivate', 'Marks a strategy type as no longer deprecated'),
];
