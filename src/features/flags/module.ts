import { strategyTypes } from '../../model/strategy-type.ts';
import { feature } from '../feature-module.ts';
import { FLAG_EVENTS } from './events.ts';
import { favorites } from './favorites/favorite.ts';
import { features } from './feature-collection.ts';
import { FLAG_LIMITS } from './limits.ts';
import { tags } from './tags/tag.ts';
import { tagTypes } from './tags/tag-type.ts';
import { featureTypes, staleMarks } from './types/feature-type.ts';

export const flagsFeature = feature({
  name: 'flags',
  exports: [
    'archive/commands.ts',
    'batch-schemas.ts',
    'constraints/validate.ts',
    'dependencies/commands.ts',
    'environments/commands.ts',
    'favorites/commands.ts',
    'favorites/favorite.ts',
    'project-flag-limit.ts',
    'limits.ts',
    'links/commands.ts',
    'naming.ts',
    'present.ts',
    'schemas.ts',
    'stale/commands.ts',
    'strategies/commands.ts',
    'strategies/default-strategies.ts',
    'strategies/routes.ts',
    'strategies/strategy-types.ts',
    'strategies/validate.ts',
    'tags/commands.ts',
    'tags/tag-commands.ts',
    'tags/tag-type.ts',
    'tags/tag-types.ts',
    'types/commands.ts',
    'variants/commands.ts',
    'variants/validate.ts',
  ],
  collections: { features, featureTypes, staleMarks, strategyTypes, tags, tagTypes, favorites },
  events: FLAG_EVENTS,
  limits: FLAG_LIMITS,
  guards: async () => [(await import('./collaborators.ts')).collaboratorGuard],
  parts: async () => (await import('./parts.ts')).flagParts,
  http: async () => (await import('./http.ts')).http,
});
