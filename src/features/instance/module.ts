import { feature } from '../feature-module.ts';
import { bannerName, banners } from './banners/banner.ts';
import { feedback } from './feedback/feedback.ts';
import { seenSplashes } from './feedback/splash.ts';
import { INSTANCE_LIMITS } from './limits.ts';
import { settings } from './setting.ts';

/** Why their changes are not undone. */
const SETTINGS =
  'the earlier value of a setting of the instance is not recorded, because settings may contain secrets. Set it again.';

export const instanceFeature = feature({
  name: 'instance',
  exports: [
    'banners/banner.ts',
    'banners/banners.ts',
    'feedback/routes.ts',
    'frontend-origins.ts',
    'operations/prometheus-page.ts',
    'setting.ts',
  ],
  collections: { settings, banners, seenSplashes, feedback },
  shown: {
    banners: { type: 'banner', named: ({ id }) => ({ id }) },
    settings: {
      type: 'setting',
      named: ({ name }) => ({ id: name }),
      // Maintenance concerns everybody who wants to change something (GET /api/admin/ui-config).
      isForAdmins: ({ name }) => name !== 'maintenance',
    },
    feedback: null,
    seenSplashes: null,
  },
  history: {
    banners: {
      type: 'banner',
      nameOf: bannerName,
      undo: async () => (await import('./banners/banners.ts')).undoBanner,
    },
  },
  events: {
    'setting-created': ['Setting created', 'created the setting {what}', SETTINGS],
    'setting-updated': ['Setting changed', 'changed the setting {what}', SETTINGS],
    'setting-deleted': ['Setting deleted', 'deleted the setting {what}', SETTINGS],
    'banner-created': ['Banner created', 'created a banner'],
    'banner-updated': ['Banner changed', 'changed a banner'],
    'banner-deleted': ['Banner deleted', 'deleted a banner'],
  },
  limits: INSTANCE_LIMITS,
  guards: async () => [(await import('./maintenance/commands.ts')).maintenanceGuard],
  whenRemoved: async () => (await import('./when-removed.ts')).whenRemoved,
  parts: async () => (await import('./parts.ts')).instanceParts,
  gauges: async () => (await import('./backups/gauges.ts')).gauges,
  http: async () => (await import('./http.ts')).http,
});
