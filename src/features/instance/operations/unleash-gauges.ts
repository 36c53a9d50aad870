import { VERSION } from '../../../base/version.ts';
import { BUILT_IN_ROLES } from '../../../model/role.ts';
import type { CollectionName } from '../../../state/collections.ts';
import { type Gauge, gauge } from '../../shared/gauge.ts';

/** The number of entities in a collection. */
function sizeOf(name: string, collection: CollectionName, what: string): Gauge {
  return gauge(name, `How many ${what} there are`, ({ state }) => state.size(collection));
}

/** Numbers of entities, under the metric names of Unleash. */
export const UNLEASH_GAUGES: readonly Gauge[] = [
  gauge('feature_toggles_total', 'How many flags there are that are not archived', ({ state }) => [
    [{ version: VERSION }, state.size('features') - state.count('archivedFeatures', '')],
  ]),
  gauge('feature_toggles_archived_total', 'How many archived flags there are', ({ state }) =>
    state.count('archivedFeatures', ''),
  ),
  sizeOf('projects_total', 'projects', 'projects'),
  sizeOf('environments_total', 'environments', 'environments'),
  sizeOf('segments_total', 'segments', 'segments'),
  sizeOf('context_total', 'contextFields', 'context fields'),
  sizeOf('strategies_total', 'strategyTypes', 'kinds of strategies'),
  sizeOf('users_total', 'users', 'users'),
  sizeOf('groups_total', 'groups', 'groups'),
  gauge('roles_total', 'How many roles there are', ({ state }) => BUILT_IN_ROLES.size + state.size('roles')),
  gauge('client_apps_total', 'How many applications are known', ({ state }) => [
    [{ range: 'allTime' }, state.size('applications')],
  ]),
];
