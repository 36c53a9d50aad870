import { feature } from '../feature-module.ts';
import { changeRequestConfigs, changeRequests } from './change-request.ts';
import { CHANGE_REQUEST_EVENTS } from './events.ts';
import { CHANGE_REQUEST_LIMITS } from './limits.ts';

export const changeRequestsFeature = feature({
  name: 'change-requests',
  exports: ['change-request.ts', 'commands.ts', 'config.ts', 'endings.ts', 'lookup.ts', 'schedule.ts'],
  collections: { changeRequestConfigs, changeRequests },
  events: CHANGE_REQUEST_EVENTS,
  limits: CHANGE_REQUEST_LIMITS,
  guards: async () => [
    (await import('./size.ts')).changeRequestQuotaGuard,
    (await import('./protection.ts')).protectionGuard,
  ],
  parts: async () => (await import('./parts.ts')).changeRequestParts,
  http: async () => (await import('./http.ts')).http,
});
