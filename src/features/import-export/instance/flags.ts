import { invalid, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import type { Feature, FeatureDependency, FeatureEnvironment, FeatureLink } from '../../../model/feature.ts';
import { ADMIN_TOKEN_USER_ID, type Author } from '../../../model/primitives.ts';
import type { Project } from '../../../model/project.ts';
import type { Strategy } from '../../../model/strategy.ts';
import { comparable } from '../../../model/user.ts';
import type { StateReader } from '../../../state/collections.ts';
import { suspendSchedulesOfFeature } from '../../change-requests/schedule.ts';
import { hasChildren } from '../../flags/archive/commands.ts';
import { PARENT_OBSTACLES, parentObstacle } from '../../flags/dependencies/commands.ts';
import { linkAddress } from '../../flags/links/commands.ts';
import { validateTags } from '../../flags/tags/commands.ts';
import { validateVariants, withOriginalWeights } from '../../flags/variants/validate.ts';
import { featureProblem } from '../../limits/limit-rules.ts';
import { restartLifecycle } from '../../usage/lifecycle-commands.ts';
import type { ImportRun } from './import-run.ts';
import type { ImportedFeature, TakeOverInput } from './input.ts';
import { segmentNames, strategyContent } from './strategies.ts';

/** Imports flags in the order of the input. The parents of a flag must exist on this instance or come before the flag. */
export function* takeFeatures(run: ImportRun, input: TakeOverInput): Steps<void> {
  const names = segmentNames(input);
  for (const taken of input.features ?? []) {
    yield* run.take('features', taken.name, () => takeFeature(run, taken, names));
    yield;
  }
}

type SegmentNames = ReadonlyMap<number, string>;

function* takeFeature(run: ImportRun, taken: ImportedFeature, names: SegmentNames): Steps<Rejection | undefined> {
  const { draft, limits } = run.context;
  const project = draft.get('projects', taken.project);
  if (!project) return invalid(`The project ${taken.project} does not exist.`);
  const before = draft.get('features', taken.name);
  if (before && before.project !== project.id) {
    return invalid(`A flag of this name is in the project ${before.project} already; delete it there first.`);
  }
  const archivedAt = taken.archivedAt === undefined ? (before?.archivedAt ?? null) : taken.archivedAt;
  if (project.archivedAt !== null && archivedAt === null) return invalid(`The project ${project.id} is archived.`);
  const after = yield* featureOf(run, { taken, before, project, names, archivedAt });
  if (after instanceof Rejection) return after;
  const problem =
    (yield* dependenciesProblem(draft, after)) ??
    (yield* featureProblem({ before: draft, after: draft }, after, limits));
  if (problem) return problem;
  const at = { project: project.id, featureName: after.name, tags: after.tags };
  run.put(
    { kind: 'features', name: after.name, collection: 'features', before, after },
    { ...at, type: 'feature-import' },
  );
  if (before && !before.archived && after.archived) suspendSchedulesOfFeature(run.context, after.name);
  if (before?.archived && !after.archived) restartLifecycle(run.context, after.name);
  return undefined;
}

interface Taking {
  readonly taken: ImportedFeature;
  readonly before: Feature | undefined;
  readonly project: Project;
  readonly names: SegmentNames;
  /** The value after the import. */
  readonly archivedAt: string | null;
}

function* featureOf(run: ImportRun, taking: Taking): Steps<Feature | Rejection> {
  const { draft, now } = run.context;
  const { taken, before, project, archivedAt } = taking;
  const { name, description = before?.description ?? null, createdAt } = taken;
  const tags = validateTags(draft, taken.tags ?? before?.tags ?? []);
  if (tags instanceof Rejection) return tags;
  const links = linksOf(run, taken, before);
  if (links instanceof Rejection) return links;
  const environments = yield* environmentsOf(run, taking);
  if (environments instanceof Rejection) return environments;
  return {
    ...{ name, project: project.id, description, archived: archivedAt !== null, archivedAt },
    type: taken.type ?? before?.type ?? 'release',
    stale: taken.stale ?? before?.stale ?? false,
    impressionData: taken.impressionData ?? before?.impressionData ?? false,
    createdAt: createdAt ?? before?.createdAt ?? now,
    createdBy: authorNamed(run, taken.createdBy, before),
    tags,
    // Archived flags have no dependencies: reviving one must not make a parent a child.
    dependencies: archivedAt === null ? storedDependencies(taken.dependencies ?? before?.dependencies ?? []) : [],
    environments,
    ...(links.length > 0 && { links }),
    ...(before?.collaborators && { collaborators: before.collaborators }),
  };
}

/** Removes duplicates, which Unleash returns. Two different entries for one parent are not removed; they are refused later. */
function storedDependencies(taken: readonly FeatureDependency[]): FeatureDependency[] {
  const presented = new Map(taken.map((dependency) => [JSON.stringify(storedDependency(dependency)), dependency]));
  return [...presented.values()].map(storedDependency);
}

function storedDependency({ feature, enabled, variants }: FeatureDependency): FeatureDependency {
  return { feature, enabled, variants };
}

/** The creator of the flag: the user of this instance with this email or username or, if there is no such user, only the name. */
function authorNamed(run: ImportRun, name: string | null | undefined, before: Feature | undefined): Author {
  const { draft, by } = run.context;
  if (before && (!name || before.createdBy.name === name)) return before.createdBy;
  if (!name) return by;
  const [user] = [
    ...draft.lookup('usersByEmail', comparable(name)),
    ...draft.lookup('usersByUsername', comparable(name)),
  ];
  return { id: user?.id ?? ADMIN_TOKEN_USER_ID, name };
}

/** The imported links, or the existing ones if the input has none. A link without an id keeps the id of the existing link with the same address. */
function linksOf(
  { context }: ImportRun,
  taken: ImportedFeature,
  before: Feature | undefined,
): FeatureLink[] | Rejection {
  if (taken.links === undefined) return [...(before?.links ?? [])];
  const links: FeatureLink[] = [];
  const ids = new Set<string>();
  for (const { id, url: text, title = null } of taken.links) {
    const url = linkAddress(text);
    if (url instanceof Rejection) return url;
    const known = before?.links?.find((link) => link.url === url);
    const kept = id || known?.id || context.newId();
    links.push({ id: ids.has(kept) ? context.newId() : kept, url, title });
    ids.add(kept);
  }
  return links;
}

function* environmentsOf(run: ImportRun, taking: Taking): Steps<FeatureEnvironment[] | Rejection> {
  const { taken, before, project } = taking;
  const environments: FeatureEnvironment[] = [];
  for (const { environment, enabled, strategies, variants } of taken.environments) {
    if (environments.some((location) => location.environment === environment)) {
      return invalid(`The environment ${environment} is listed twice.`);
    }
    if (!project.environments.includes(environment)) {
      return invalid(`The project ${project.id} does not have the environment ${environment}.`);
    }
    const valid = yield* validateVariants(variants);
    if (valid instanceof Rejection) return invalid(`In ${environment}: ${valid.message}`);
    const known = before?.environments.find((entry) => entry.environment === environment);
    const taken = yield* strategiesOf(run, taking, strategies, known);
    if (taken instanceof Rejection) return invalid(`In ${environment}: ${taken.message}`);
    if (!enabled && taken.length === 0 && variants.length === 0 && !known) continue;
    environments.push({
      ...{ environment, enabled: enabled && !isArchived(taking), strategies: taken },
      variants: withOriginalWeights(valid, variants),
      // The input does not contain when the flag was first enabled. If this instance does not know the time either, it is left out.
      ...(known?.firstEnabledAt !== undefined && { firstEnabledAt: known.firstEnabledAt }),
    });
    yield;
  }
  const isLogged = ({ environment }: FeatureEnvironment) =>
    taken.environments.some((presented) => presented.environment === environment);
  const others = taken.keepsOthers === true ? (before?.environments.filter((entry) => !isLogged(entry)) ?? []) : [];
  return inOrderOf(before, [...environments, ...others]);
}

/** Sorts the environments in the stored order: the order has no meaning, and must not make equal flags differ. */
function inOrderOf(before: Feature | undefined, environments: FeatureEnvironment[]): FeatureEnvironment[] {
  const locations = before?.environments.map(({ environment }) => environment) ?? [];
  const location = ({ environment }: FeatureEnvironment) => {
    const index = locations.indexOf(environment);
    return index === -1 ? locations.length : index;
  };
  return environments.sort((left, right) => location(left) - location(right));
}

/** Whether the flag is archived after the import. Archived flags are off in all environments, so that reviving them switches nothing on. */
function isArchived({ archivedAt }: Taking): boolean {
  return archivedAt !== null;
}

function* strategiesOf(
  run: ImportRun,
  { taken: { name: featureName }, project, names }: Taking,
  taken: ImportedFeature['environments'][number]['strategies'],
  known: FeatureEnvironment | undefined,
): Steps<Strategy[] | Rejection> {
  const strategies: Strategy[] = [];
  for (const [sortOrder, strategy] of taken.entries()) {
    const content = yield* strategyContent(run, { project, featureName, names }, strategy);
    if (content instanceof Rejection) return content;
    const id = strategy.id || known?.strategies[sortOrder]?.id || run.context.newId();
    if (strategies.some((other) => other.id === id)) return invalid(`Two strategies have the id ${id}.`);
    strategies.push({ id, ...content, sortOrder });
    yield;
  }
  return strategies;
}

function* dependenciesProblem(reader: StateReader, after: Feature): Steps<Rejection | undefined> {
  if (after.archived && hasChildren(reader, after.name)) return invalid('It cannot be archived: others depend on it.');
  const parents = new Set<string>();
  for (const dependency of after.dependencies) {
    const { feature } = dependency;
    if (parents.has(feature)) return invalid(`It cannot depend on ${feature}: this parent is listed twice.`);
    parents.add(feature);
    const obstacle = parentObstacle((name) => reader.get('features', name), after, dependency);
    if (obstacle) return invalid(`It cannot depend on ${feature}: ${PARENT_OBSTACLES[obstacle]}.`);
    yield;
  }
  if (after.dependencies.length > 0 && hasChildren(reader, after.name)) {
    return invalid('It cannot depend on a flag: another flag depends on it.');
  }
  return undefined;
}
