import { VERSION } from '../../../base/version.ts';
import { BUILT_IN_ROLES } from '../../../model/role.ts';
import type { CollectionName } from '../../../state/collections.ts';
import type { Gauge } from './gauge.ts';

/** The number of entities in a collection. */
function sizeOf(name: string, collection: CollectionName, what: string): Gauge {
  return { name, help: `How many ${what} there are`, type: 'gauge', read: ({ state }) => state.size(collection) };
}

/** Numbers of entities, under the metric names of Unleash. */
export const UNLEASH_GAUGES: readonly Gauge[] = [
  {
    name: 'feature_toggles_total',
    help: 'How many flags there are that are not archived',
    type: 'gauge',
    read: ({ state }) => [[{ version: VERSION }, state.size('features') - state.count('archivedFeatures', '')]],
  },
  {
    name: 'feature_toggles_archived_total',
    help: 'How many archived flags there are',
    type: 'gauge',
    read: ({ state }) => state.count('archivedFeatures', ''),
  },
  sizeOf('projects_total', 'projects', 'projects'),
  sizeOf('environments_total', 'environments', 'environments'),
  sizeOf('segments_total', 'segments', 'segments'),
  sizeOf('context_total', 'contextFields', 'context fields'),
  sizeOf('strategies_total', 'strategyTypes', 'kinds of strategies'),
  sizeOf('users_total', 'users', 'users'),
  sizeOf('groups_total', 'groups', 'groups'),
  {
    name: 'roles_total',
    help: 'How many roles there are',
    type: 'gauge',
    read: ({ state }) => BUILT_IN_ROLES.size + state.size('roles'),
  },
  {
    name: 'client_apps_total',
    help: 'How many applications are known',
    type: 'gauge',
    read: ({ state }) => [[{ range: 'allTime' }, state.size('applications')]],
  },
];
