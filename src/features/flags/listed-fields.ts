import { type Feature, featureEnvironment } from '../../model/feature.ts';
import { lifecycleOf } from '../usage/lifecycle-commands.ts';
import {
  childNames,
  environmentNames,
  type FlagSources,
  presentAuthor,
  presentEnvironments,
  presentTags,
} from './present.ts';
import type { ListedField } from './schemas.ts';

/** A flag of a list, with what its fields are computed from. */
export interface ListedFlag {
  readonly feature: Feature;
  readonly sources: FlagSources;
  /** Names of the caller's favourites. */
  readonly favorites: ReadonlySet<string>;
}

/** The fields that both lists and searches have. Each function computes one field, so an answer computes only the fields that it has. */
export const COMMON_FIELDS = {
  name: ({ feature }: ListedFlag) => feature.name,
  type: ({ feature }: ListedFlag) => feature.type,
  description: ({ feature }: ListedFlag) => feature.description,
  project: ({ feature }: ListedFlag) => feature.project,
  stale: ({ feature }: ListedFlag) => feature.stale,
  favorite: ({ feature, favorites }: ListedFlag) => favorites.has(feature.name),
  impressionData: ({ feature }: ListedFlag) => feature.impressionData,
  createdAt: ({ feature }: ListedFlag) => feature.createdAt,
  createdBy: ({ feature, sources }: ListedFlag) => presentAuthor(feature.createdBy, sources.state),
  archivedAt: ({ feature }: ListedFlag) => feature.archivedAt,
  lastSeenAt: ({ feature, sources: { state, flagUse } }: ListedFlag) =>
    flagUse.newestSeenAt(feature, state.get('projects', feature.project)?.environments ?? []),
  lifecycle: ({ feature, sources }: ListedFlag) => lifecycleOf(sources.state, feature),
  tags: ({ feature, sources }: ListedFlag) => presentTags(feature.tags, sources.state),
};

const NOTHING: readonly never[] = [];

/** The fields of `presentFeature`. */
export const LISTED_FIELDS: Readonly<Record<ListedField, (flag: ListedFlag) => unknown>> = {
  ...COMMON_FIELDS,
  archived: ({ feature }) => feature.archived,
  enabled: ({ feature, sources: { state } }) =>
    environmentNames(feature.project, state).some((name) => featureEnvironment(feature, name).enabled),
  environments: ({ feature, sources }) => presentEnvironments(feature, sources),
  variants: () => NOTHING,
  strategies: () => NOTHING,
  children: ({ feature, sources }) => childNames(feature, sources.state),
  dependencies: ({ feature }) => feature.dependencies,
  links: ({ feature }) => feature.links ?? NOTHING,
};
