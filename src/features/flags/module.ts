import { favorites } from '../../model/favorite.ts';
import { features } from '../../model/feature-collection.ts';
import { featureTypes, staleMarks } from '../../model/feature-type.ts';
import { strategyTypes } from '../../model/strategy-type.ts';
import { tags } from '../../model/tag.ts';
import { tagTypes } from '../../model/tag-type.ts';
import { feature } from '../feature-module.ts';
import { FLAG_LIMITS } from './limits.ts';

export const flagsFeature = feature({
  name: 'flags',
  collections: { features, featureTypes, staleMarks, strategyTypes, tags, tagTypes, favorites },
  limits: FLAG_LIMITS,
  guards: async () => [(await import('./collaborators.ts')).collaboratorGuard],
  parts: async () => (await import('./parts.ts')).flagParts,
  http: async () => (await import('./http.ts')).http,
});
