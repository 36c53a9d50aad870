import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { deprecateStrategyType, strategyTypes } from './strategy-types.ts';

const route = routesOf('Strategy types');

const deprecationRoute = (action: 'deprecate' | 'reactivate', summary: string) =>
  route(`POST /api/admin/strategies/:name/${action}`, `${action}Strategy`, {
    access: { permission: 'UPDATE_STRATEGY' },
    summary,
    handle: ({ params, caller }, services) =>
      change(services, caller, deprecateStrategyType, { name: params.name, deprecated: action === 'deprecate' }),
  });

export const strategyTypeEndpoints = [
  ...strategyTypes.endpoints,
  deprecationRoute('deprecate', 'Marks a strategy type as deprecated; its strategies work as before'),
  deprecationRoute('reactivate', 'Marks a strategy type as no longer deprecated'),
];
