import type { ChangeRequest } from '../../../model/change-request.ts';
import type { StateReader } from '../../../state/collections.ts';
import { COMMON_FIELDS, type ListedFlag } from '../listed-fields.ts';
import { pickFields } from '../page-parameters.ts';
import { environmentNames, summariseEnvironment } from '../present.ts';
import { isPotentiallyStale } from '../stale/commands.ts';
import { segmentNames } from './filters.ts';
import type { FoundField } from './schemas.ts';

interface FoundFlag extends ListedFlag {
  readonly nowMs: number;
}

/** All fields, in the order in which an answer has them. */
const FOUND_FIELDS: Readonly<Record<FoundField, (flag: FoundFlag) => unknown>> = (() => {
  const { name, type, description, project, stale, ...common } = COMMON_FIELDS;
  const { favorite, impressionData, createdAt, createdBy, archivedAt, lastSeenAt, lifecycle, tags } = common;
  return {
    name,
    type,
    description,
    project,
    stale,
    potentiallyStale: ({ feature, sources, nowMs }) => isPotentiallyStale(sources.state, feature, nowMs),
    favorite,
    impressionData,
    createdAt,
    createdBy,
    archivedAt,
    lastSeenAt,
    lifecycle,
    dependencyType({ feature, sources: { state } }) {
      if (state.count('featuresByParent', feature.name) > 0) return 'parent';
      return feature.dependencies.length > 0 ? 'child' : null;
    },
    environments({ feature, sources }) {
      const requests = requestsOf(feature.name, sources.state);
      return environmentNames(feature.project, sources.state).map((environment) => ({
        ...summariseEnvironment(feature, environment, sources),
        changeRequestIds: requests.filter((request) => request.environment === environment).map(({ id }) => id),
      }));
    },
    segments: ({ feature, sources }) => segmentNames(feature, sources.state),
    tags,
  };
})();

const NO_REQUESTS: readonly ChangeRequest[] = [];

/** The change requests that wait for a decision and would change the flag, by their ids. Only its author sees a draft: it is left out. */
function requestsOf(name: string, state: StateReader): readonly ChangeRequest[] {
  if (state.count('requestsByFeature', name) === 0) return NO_REQUESTS;
  const requests = [...state.lookup('requestsByFeature', name)].filter((request) => request.state !== 'Draft');
  return requests.sort((left, right) => left.id - right.id);
}

const ALL_FIELDS = Object.keys(FOUND_FIELDS) as FoundField[];

/** A flag as a search returns it, with the named fields. */
export function presentFound(flag: FoundFlag, fields: readonly FoundField[] = ALL_FIELDS): Record<string, unknown> {
  return pickFields(fields, FOUND_FIELDS, flag);
}
