import { assert } from '../../base/assert.ts';
import type { Caller } from '../../model/caller.ts';
import {
  type Feature,
  type FeatureEnvironment,
  type FeatureLink,
  featureEnvironment,
  type Tag,
} from '../../model/feature.ts';
import type { Author } from '../../model/primitives.ts';
import { activeMilestone } from '../../model/release-plan.ts';
import type { Strategy } from '../../model/strategy.ts';
import { authorOf, type User } from '../../model/user.ts';
import type { Variant } from '../../model/variant.ts';
import type { StateReader } from '../../state/collections.ts';
import { imageUrlOf } from '../people/users/present.ts';
import { ListTexts } from '../shared/list-texts.ts';
import type { FlagUse } from '../usage/flag-use.ts';
import { lifecycleOf } from '../usage/lifecycle-commands.ts';
import { favoriteNames } from './favorites/commands.ts';
import { presentPlans } from './plans/present.ts';

const NOTHING: readonly never[] = [];
const NO_LINKS: readonly FeatureLink[] = [];

/** What an answer about a flag is computed from: the state, and the reports of SDKs about the use of flags. */
export interface FlagSources {
  readonly state: StateReader;
  readonly flagUse: Pick<FlagUse, 'lastSeenAt' | 'newestSeenAt' | 'recentUse'>;
}

/** Returns the names of the flags that the caller marked as favourites. */
export function favoriteFeatures({ state }: FlagSources, { user }: Caller): ReadonlySet<string> {
  return favoriteNames(state, user, 'feature');
}

/**
 * Returns the flag as the admin API shows it (contract: Feature), with one entry for each environment of its project, in order. `favorites` are the
 * names of the caller's favourite flags, collected once per answer.
 */
export function presentFeature(feature: Feature, sources: FlagSources, favorites: ReadonlySet<string>) {
  const environments = presentEnvironments(feature, sources);
  return presentedFeature(feature, sources, favorites, environments, environments);
}

/** `environmentsInAnswer` becomes the property `environments` of the answer; other values are computed from `environments`. */
function presentedFeature(
  feature: Feature,
  { state }: FlagSources,
  favorites: ReadonlySet<string>,
  environments: readonly { readonly enabled: boolean; readonly lastSeenAt: string | null }[],
  environmentsInAnswer: readonly object[],
) {
  return {
    name: feature.name,
    type: feature.type,
    description: feature.description,
    archived: feature.archived,
    project: feature.project,
    enabled: environments.some((environment) => environment.enabled),
    stale: feature.stale,
    favorite: favorites.has(feature.name),
    impressionData: feature.impressionData,
    createdAt: feature.createdAt,
    createdBy: presentAuthor(feature.createdBy, state),
    archivedAt: feature.archivedAt,
    lastSeenAt: newest(environments.map(({ lastSeenAt }) => lastSeenAt)),
    lifecycle: lifecycleOf(state, feature),
    environments: environmentsInAnswer,
    variants: [],
    strategies: [],
    tags: presentTags(feature.tags, state),
    children: childNames(feature, state),
    dependencies: feature.dependencies,
    links: feature.links ?? NO_LINKS,
  };
}

export function childNames({ name }: Feature, state: StateReader): readonly string[] {
  if (state.count('featuresByParent', name) === 0) return NOTHING;
  return [...state.lookup('featuresByParent', name)].map((child) => child.name).sort();
}

/** For answers about one flag: like `presentFeature`, but from the current state of the flag, and with its collaborators. */
export function presentOneFeature(feature: Feature, sources: FlagSources, caller: Caller) {
  const { state } = sources;
  const current = state.get('features', feature.name) ?? feature;
  const featureFields = presentFeature(current, sources, favoriteFeatures(sources, caller));
  return { ...featureFields, collaborators: presentCollaborators(current, state) };
}

/**
 * Marks the points of a flag's JSON text where the lists of the environments are inserted. The JSON text contains this text at no other point: quotes
 * inside strings are escaped, and no other object has these three lists.
 */
const LISTS_MARK = '"strategies":[],"variants":[],"releasePlans":[]';

const strategyTexts = new ListTexts<Strategy>();
const variantTexts = new ListTexts<Variant>();

/**
 * Returns exactly the JSON text of `presentOneFeature`, but faster if changes follow each other quickly. Switching a flag on or off does not change
 * its strategies and variants, which are most of the text. So their texts are cached.
 */
export function oneFeatureText(feature: Feature, sources: FlagSources, caller: Caller): string {
  const { state } = sources;
  const current = state.get('features', feature.name) ?? feature;
  const names = environmentNames(current.project, state);
  const emptyEnvironments = names.map((name) => presentedEnvironment(current, name, sources, NO_LISTS));
  const favorites = favoriteFeatures(sources, caller);
  const withoutLists = presentedFeature(current, sources, favorites, emptyEnvironments, emptyEnvironments);
  const parts = JSON.stringify(withoutLists).split(LISTS_MARK);
  assert(parts.length === names.length + 1, 'the JSON text has one mark for each environment');
  let text = parts[0] as string;
  for (const [index, name] of names.entries()) text += listsText(current, name) + parts[index + 1];
  return `${text.slice(0, -1)},"collaborators":${JSON.stringify(presentCollaborators(current, state))}}`;
}

function listsText(feature: Feature, environmentName: string): string {
  const config = featureEnvironment(feature, environmentName);
  const { strategies, variants, releasePlan } = config;
  // Names of flags contain no space.
  const basis = releasePlan ? `${feature.name} ${releasePlan.activeMilestoneId}` : feature.name;
  const strategiesJson = strategyTexts.textOf(strategies, basis, () =>
    JSON.stringify(presentStrategies(config, feature.name)),
  );
  const variantsJson = variantTexts.textOf(variants, '', variantsText);
  const plansJson = releasePlan ? JSON.stringify(presentPlans(feature, config)) : '[]';
  return `"strategies":${strategiesJson},"variants":${variantsJson},"releasePlans":${plansJson}`;
}

function variantsText(variants: readonly Variant[]): string {
  return JSON.stringify(variants);
}

/** Returns the flag's configuration in one environment (contract: Feature environment). */
export function presentEnvironment(feature: Feature, environmentName: string, sources: FlagSources) {
  const config = featureEnvironment(feature, environmentName);
  return presentedEnvironment(feature, environmentName, sources, {
    strategies: presentStrategies(config, feature.name),
    variants: config.variants,
    releasePlans: presentPlans(feature, config),
  });
}

/** Like `presentEnvironment`, without strategies, variants and plans: a search page would build and discard thousands of them. */
export function summariseEnvironment(feature: Feature, environmentName: string, sources: FlagSources) {
  const {
    strategies: _strategies,
    variants: _variants,
    releasePlans: _plans,
    ...summary
  } = presentedEnvironment(feature, environmentName, sources, NO_LISTS);
  return summary;
}

/** The lists of an environment as answers show them. */
interface PresentedLists<Presented, Plan> {
  readonly strategies: readonly Presented[];
  readonly variants: readonly Variant[];
  readonly releasePlans: readonly Plan[];
}

const NO_LISTS: PresentedLists<never, never> = { strategies: NOTHING, variants: NOTHING, releasePlans: NOTHING };

/** Returns the environment as answers show it, with the specified lists. */
function presentedEnvironment<Presented, Plan>(
  feature: Feature,
  environmentName: string,
  { state, flagUse }: FlagSources,
  lists: PresentedLists<Presented, Plan>,
) {
  const environment = state.get('environments', environmentName);
  const config = featureEnvironment(feature, environmentName);
  const { enabled, strategies, variants } = config;
  return {
    name: environmentName,
    featureName: feature.name,
    environment: environmentName,
    type: environment?.type ?? '',
    enabled,
    sortOrder: environment?.sortOrder ?? 0,
    variantCount: variants.length,
    strategies: lists.strategies,
    variants: lists.variants,
    releasePlans: lists.releasePlans,
    lastSeenAt: flagUse.lastSeenAt(feature, environmentName),
    ...flagUse.recentUse(feature, environmentName),
    hasStrategies: strategies.length > 0,
    hasEnabledStrategies: strategies.some((strategy) => !strategy.disabled),
  };
}

/** Contract: Feature strategy. */
export function presentStrategy(strategy: Strategy, featureName: string) {
  return { ...strategy, featureName };
}

/** The strategies of an environment. Those that a release plan put there name the active milestone. */
export function presentStrategies({ strategies, releasePlan }: FeatureEnvironment, featureName: string) {
  const milestone = releasePlan && activeMilestone(releasePlan);
  if (!milestone) return strategies.map((strategy) => presentStrategy(strategy, featureName));
  const ids = new Set(milestone.strategies.map(({ id }) => id));
  return strategies.map((strategy) =>
    ids.has(strategy.id)
      ? { ...presentStrategy(strategy, featureName), milestoneId: milestone.id }
      : presentStrategy(strategy, featureName),
  );
}

/** Returns the names of the project's environments, by sort order. */
export function environmentNames(project: string, state: StateReader): string[] {
  const sortOrder = (name: string) => state.get('environments', name)?.sortOrder ?? 0;
  const names = state.get('projects', project)?.environments ?? [];
  if (names.length < 2) return [...names];
  return [...names].sort((left, right) => sortOrder(left) - sortOrder(right) || (left < right ? -1 : 1));
}

export function presentEnvironments(feature: Feature, sources: FlagSources) {
  return environmentNames(feature.project, sources.state).map((name) => presentEnvironment(feature, name, sources));
}

/** Returns the latest of the times, or null if all are null. All times have the same RFC 3339 form, so the greater text is the later time. */
function newest(times: readonly (string | null)[]): string | null {
  return times.reduce((left, right) => ((right ?? '') > (left ?? '') ? right : left), null);
}

/** Returns the tags with the colours of their types. */
export function presentTags(tags: readonly Tag[], state: StateReader) {
  return tags.map(({ type, value }) => ({ type, value, color: state.get('tagTypes', type)?.color ?? null }));
}

/** Returns the author of an action: the name recorded with the action, and the user's current picture ("" if the user was deleted). */
export function presentAuthor({ id, name }: Author, state: StateReader) {
  const user = state.get('users', String(id));
  return { id, name, imageUrl: user ? pictureOf(user) : '' };
}

const pictures = new WeakMap<User, string>();

/** Computed once per user: a list may name the same few users a hundred thousand times. */
function pictureOf(user: User): string {
  let url = pictures.get(user);
  if (url === undefined) {
    url = imageUrlOf(user);
    pictures.set(user, url);
  }
  return url;
}

/** Contract: Feature, collaborators. */
function presentCollaborators({ collaborators = [] }: Feature, state: StateReader) {
  const users = collaborators.map((id) => {
    const user = state.get('users', String(id));
    return user ? presentAuthor(authorOf(user), state) : { id, name: 'unknown', imageUrl: '' };
  });
  return { users };
}
