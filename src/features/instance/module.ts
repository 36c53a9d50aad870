import { feature } from '../feature-module.ts';
import { banners } from './banners/banner.ts';
import { INSTANCE_EVENTS } from './events.ts';
import { feedback } from './feedback/feedback.ts';
import { seenSplashes } from './feedback/splash.ts';
import { INSTANCE_LIMITS } from './limits.ts';
import { settings } from './setting.ts';

export const instanceFeature = feature({
  name: 'instance',
  exports: [
    'banners/banner.ts',
    'banners/banners.ts',
    'feedback/feedback.ts',
    'feedback/routes.ts',
    'feedback/splash.ts',
    'frontend-origins.ts',
    'maintenance/commands.ts',
    'setting.ts',
  ],
  collections: { settings, banners, seenSplashes, feedback },
  events: INSTANCE_EVENTS,
  limits: INSTANCE_LIMITS,
  guards: async () => [(await import('./maintenance/commands.ts')).maintenanceGuard],
  parts: async () => (await import('./parts.ts')).instanceParts,
  http: async () => (await import('./http.ts')).http,
});
