import { feature } from '../feature-module.ts';
import { addonAttempts, addonDeliveries, addons } from './addon.ts';
import { ADDON_LIMITS } from './limits.ts';

/** Why their changes are not undone. */
const INTEGRATIONS =
  'the history does not record integrations, because their parameters contain secrets. Create or change the integration again.';

export const addonsFeature = feature({
  name: 'addons',
  exports: ['addon.ts', 'commands.ts', 'limits.ts', 'parameters.ts', 'providers/providers.ts'],
  collections: { addons, addonDeliveries, addonAttempts },
  shown: {
    addons: { type: 'addon', named: ({ id }) => ({ id }), isForAdmins: true },
    addonDeliveries: null,
    addonAttempts: null,
  },
  events: {
    'addon-config-created': ['Integration created', 'created the integration {what}', INTEGRATIONS],
    'addon-config-updated': ['Integration changed', 'changed the integration {what}', INTEGRATIONS],
    'addon-config-deleted': ['Integration deleted', 'deleted the integration {what}', INTEGRATIONS],
  },
  limits: ADDON_LIMITS,
  optionsCheck: async () => (await import('./parts.ts')).destinationsOf,
  whenRemoved: async () => (await import('./when-removed.ts')).whenRemoved,
  parts: async () => (await import('./parts.ts')).addonParts,
  gauges: async () => (await import('./delivery/gauges.ts')).gauges,
  http: async () => (await import('./http.ts')).http,
});
