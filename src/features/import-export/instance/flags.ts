import { invalid, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { removing } from '../../../engine/command.ts';
import type { Feature, FeatureDependency, FeatureEnvironment, FeatureLink } from '../../../model/feature.ts';
import { ADMIN_TOKEN_USER_ID, type Author } from '../../../model/primitives.ts';
import type { Project } from '../../../model/project.ts';
import type { Strategy } from '../../../model/strategy.ts';
import { comparable } from '../../../model/user.ts';
import type { StateReader } from '../../../state/collections.ts';
import { hasChildren } from '../../flags/archive/commands.ts';
import { PARENT_OBSTACLES, parentObstacle } from '../../flags/dependencies/commands.ts';
import { featureProblem } from '../../flags/limited.ts';
import { linkAddress } from '../../flags/links/commands.ts';
import { validateTags } from '../../flags/tags/flag-tag-commands.ts';
import { validateVariants, withOriginalWeights } from '../../flags/variants/validate.ts';
import { restartLifecycle } from '../../usage/lifecycle-commands.ts';
import { isArchivedIn } from '../import-dependencies.ts';
import type { ImportRun } from './import-run.ts';
import type { ImportedFeature, InstanceImportInput } from './input.ts';
import { segmentNames, strategyContent } from './strategies.ts';

/** Imports flags in the order of the input. The parents of a flag must exist on this instance or come before the flag. */
export function* importFeatures(run: ImportRun, input: InstanceImportInput): Steps<void> {
  const names = segmentNames(input);
  for (const imported of input.features ?? []) {
    yield* run.importItem('features', imported.name, () => importFeature(run, imported, names));
    yield;
  }
}

type SegmentNames = ReadonlyMap<number, string>;

function* importFeature(run: ImportRun, imported: ImportedFeature, names: SegmentNames): Steps<Rejection | undefined> {
  const { draft, limits } = run.context;
  const project = draft.get('projects', imported.project);
  if (!project) return invalid(`The project ${imported.project} does not exist.`);
  const before = draft.get('features', imported.name);
  if (before && before.project !== project.id) {
    return invalid(`The project ${before.project} already has a flag of this name. Delete that flag first.`);
  }
  const archivedAt = imported.archivedAt === undefined ? (before?.archivedAt ?? null) : imported.archivedAt;
  if (project.archivedAt !== null && archivedAt === null) return invalid(`The project ${project.id} is archived.`);
  const after = yield* featureOf(run, { imported, before, project, names, archivedAt });
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
  if (before && !before.archived && after.archived) yield* removing(run.context, 'archivedFlag', after.name);
  if (before?.archived && !after.archived) restartLifecycle(run.context, after.name);
  return undefined;
}

interface FlagImport {
  readonly imported: ImportedFeature;
  readonly before: Feature | undefined;
  readonly project: Project;
  readonly names: SegmentNames;
  /** The value after the import. */
  readonly archivedAt: string | null;
}

function* featureOf(run: ImportRun, flagImport: FlagImport): Steps<Feature | Rejection> {
  const { draft, now } = run.context;
  const { imported, before, project, archivedAt } = flagImport;
  const { name, description = before?.description ?? null, createdAt } = imported;
  const tags = validateTags(draft, imported.tags ?? before?.tags ?? []);
  if (tags instanceof Rejection) return tags;
  const links = linksOf(run, imported, before);
  if (links instanceof Rejection) return links;
  const environments = yield* environmentsOf(run, flagImport);
  if (environments instanceof Rejection) return environments;
  return {
    name,
    project: project.id,
    description,
    archived: archivedAt !== null,
    archivedAt,
    type: imported.type ?? before?.type ?? 'release',
    stale: imported.stale ?? before?.stale ?? false,
    impressionData: imported.impressionData ?? before?.impressionData ?? false,
    createdAt: createdAt ?? before?.createdAt ?? now,
    createdBy: authorOf(run, imported.createdBy, before),
    tags,
    // An archived flag has no dependencies. Otherwise, reviving it could give a parent to a flag that has children.
    dependencies:
      archivedAt === null ? usableDependencies(run, imported, imported.dependencies ?? before?.dependencies ?? []) : [],
    environments,
    ...(links.length > 0 && { links }),
    ...(before?.manifest && { manifest: before.manifest }),
    ...(before?.collaborators && { collaborators: before.collaborators }),
    ...(before?.changedAt && { changedAt: before.changedAt }),
  };
}

/** The dependencies without those on archived flags. These are left out, and reported: without them, the flag can be imported. */
function usableDependencies(
  run: ImportRun,
  { name, project }: ImportedFeature,
  imported: readonly FeatureDependency[],
): FeatureDependency[] {
  return storedDependencies(imported).filter(({ feature }) => {
    const isUsable = !isArchivedIn(run.context.draft, project, feature);
    if (!isUsable) run.refuse('features', name, `Its dependency on ${feature} is left out: that flag is archived.`);
    return isUsable;
  });
}

/** Removes duplicates, which Unleash returns. Two different entries for one parent stay: `dependenciesProblem` refuses them. */
function storedDependencies(imported: readonly FeatureDependency[]): FeatureDependency[] {
  const distinct = new Map(imported.map((dependency) => [JSON.stringify(storedDependency(dependency)), dependency]));
  return [...distinct.values()].map(storedDependency);
}

function storedDependency({ feature, enabled, variants }: FeatureDependency): FeatureDependency {
  return { feature, enabled, variants };
}

/** The creator of the flag: the user with this email or username in this instance or, if there is no such user, only the name. */
function authorOf(run: ImportRun, name: string | null | undefined, before: Feature | undefined): Author {
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
  imported: ImportedFeature,
  before: Feature | undefined,
): FeatureLink[] | Rejection {
  if (imported.links === undefined) return [...(before?.links ?? [])];
  const links: FeatureLink[] = [];
  const ids = new Set<string>();
  for (const { id, url: text, title = null } of imported.links) {
    const url = linkAddress(text);
    if (url instanceof Rejection) return url;
    const known = before?.links?.find((link) => link.url === url);
    const linkId = id || known?.id || context.newId();
    links.push({ id: ids.has(linkId) ? context.newId() : linkId, url, title });
    ids.add(linkId);
  }
  return links;
}

function* environmentsOf(run: ImportRun, flagImport: FlagImport): Steps<FeatureEnvironment[] | Rejection> {
  const { imported, before, project } = flagImport;
  const environments: FeatureEnvironment[] = [];
  for (const sent of imported.environments) {
    const { environment, enabled, variants } = sent;
    if (environments.some((entry) => entry.environment === environment)) {
      return invalid(`The environment ${environment} is listed twice.`);
    }
    if (!project.environments.includes(environment)) {
      return invalid(`The project ${project.id} does not have the environment ${environment}.`);
    }
    const valid = yield* validateVariants(variants);
    if (valid instanceof Rejection) return invalid(`In ${environment}: ${valid.message}`);
    const known = before?.environments.find((entry) => entry.environment === environment);
    const storedStrategies = yield* strategiesOf(run, flagImport, sent, known);
    if (storedStrategies instanceof Rejection) return invalid(`In ${environment}: ${storedStrategies.message}`);
    if (!enabled && storedStrategies.length === 0 && variants.length === 0 && !known) continue;
    environments.push({
      environment,
      enabled: enabled && !isArchived(flagImport),
      strategies: storedStrategies,
      variants: withOriginalWeights(valid, variants),
      // The input does not contain when the flag was first enabled, so only a time that is stored here can be kept.
      ...(known?.firstEnabledAt !== undefined && { firstEnabledAt: known.firstEnabledAt }),
    });
    yield;
  }
  const isImported = ({ environment }: FeatureEnvironment) =>
    imported.environments.some((entry) => entry.environment === environment);
  const others =
    imported.keepsOthers === true ? (before?.environments.filter((entry) => !isImported(entry)) ?? []) : [];
  return inStoredOrder(before, [...environments, ...others]);
}

/** Sorts the environments in the stored order. The order has no meaning, but another order would make an unchanged flag look changed. */
function inStoredOrder(before: Feature | undefined, environments: FeatureEnvironment[]): FeatureEnvironment[] {
  const storedNames = before?.environments.map(({ environment }) => environment) ?? [];
  const positionOf = ({ environment }: FeatureEnvironment) => {
    const index = storedNames.indexOf(environment);
    return index === -1 ? storedNames.length : index;
  };
  return environments.sort((left, right) => positionOf(left) - positionOf(right));
}

/** Whether the flag is archived after the import. Archived flags are off in all environments, so that reviving them switches nothing on. */
function isArchived({ archivedAt }: FlagImport): boolean {
  return archivedAt !== null;
}

function* strategiesOf(
  run: ImportRun,
  { imported: { name: featureName }, project, names }: FlagImport,
  { strategies: imported, isServed }: ImportedFeature['environments'][number],
  known: FeatureEnvironment | undefined,
): Steps<Strategy[] | Rejection> {
  const strategies: Strategy[] = [];
  for (const [sortOrder, strategy] of imported.entries()) {
    const content = yield* strategyContent(run, { project, featureName, names, isServed }, strategy);
    if (content instanceof Rejection) return content;
    const id = strategy.id || known?.strategies[sortOrder]?.id || run.context.newId();
    if (strategies.some((other) => other.id === id)) return invalid(`Two strategies have the id ${id}.`);
    strategies.push({ id, ...content, sortOrder });
    yield;
  }
  return strategies;
}

function* dependenciesProblem(reader: StateReader, after: Feature): Steps<Rejection | undefined> {
  if (after.archived && hasChildren(reader, after.name))
    return invalid('It cannot be archived: other flags depend on it.');
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
