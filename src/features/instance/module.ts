import { banners } from '../../model/banner.ts';
import { feedback } from '../../model/feedback.ts';
import { settings } from '../../model/setting.ts';
import { seenSplashes } from '../../model/splash.ts';
import { feature } from '../feature-module.ts';
import { INSTANCE_LIMITS } from './limits.ts';

export const instanceFeature = feature({
  name: 'instance',
  exports: ['banners/banners.ts', 'feedback/routes.ts', 'frontend-origins.ts', 'maintenance/commands.ts'],
  collections: { settings, banners, seenSplashes, feedback },
  limits: INSTANCE_LIMITS,
  guards: async () => [(await import('./maintenance/commands.ts')).maintenanceGuard],
  parts: async () => (await import('./parts.ts')).instanceParts,
  http: async () => (await import('./http.ts')).http,
});
