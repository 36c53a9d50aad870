import { type CallerInState, isHidden, permissionProblem } from '../../access/permission-problem.ts';
import { Rejection } from '../../base/rejection.ts';
import { isSameJson } from '../../base/same-json.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, longCommand } from '../../engine/command.ts';
import { type Feature, type FeatureDependency, featureEnvironment } from '../../model/feature.ts';
import type { Project } from '../../model/project.ts';
import type { StateReader } from '../../state/collections.ts';
import { createContextField } from '../context-fields/commands.ts';
import { withEnvironment } from '../flags/environments/settings.ts';
import { addedFlagsProblem, featureProblem } from '../flags/limited.ts';
import { linkAddress } from '../flags/links/commands.ts';
import { namingProblem } from '../flags/naming.ts';
import { featureLimitProblem } from '../flags/project-flag-limit.ts';
import { validateTags } from '../flags/tags/flag-tag-commands.ts';
import { createTagType } from '../flags/tags/tag-types.ts';
import { countProblem } from '../shared/limit-checks.ts';
import { findProjectEnvironment } from '../shared/lookup.ts';
import { importDependencies, isArchivedIn, reportOrphans } from './import-dependencies.ts';
import { type ImportedFlag, ImportInput } from './import-input.ts';
import { ImportPermissions } from './import-permissions.ts';
import { FlagProblems, ImportProblems } from './import-problems.ts';
import { importStrategies, importVariants, type SegmentIds, segmentIds } from './import-strategies.ts';

interface ImportedFeature {
  readonly before: Feature | undefined;
  readonly after: Feature;
}

/** The result of an import. */
export interface ImportResult {
  /** Number of imported flags; with `keepsUnchanged`, of changed flags. */
  readonly imported: number;
  /** What was left out. */
  readonly warnings: ReturnType<ImportProblems['list']>;
}

/**
 * Imports the flags of an export into a project and one environment. A flag that cannot be imported is left out; if the export as a whole has a
 * problem, or if no flag is left, nothing is imported. Missing flags, context fields and tag types are
 * created. For existing flags, the import replaces the metadata and tags and, in the environment, the strategies, the variants and whether the flag
 * is on. It adds dependencies. Archived flags do not change. Segments are found by name and must exist.
 */
export const importFeatures = longCommand({
  name: 'import-features',
  input: ImportInput,
  *decide(context, input) {
    const outcome = yield* prepareImport(context, input);
    if (outcome instanceof Rejection) return outcome;
    const { errors, warnings, features, missingPermissions } = outcome;
    const rejection = missingPermissions.rejection() ?? errors.rejection();
    if (rejection) return rejection;
    const { project, environment } = input;
    const changed = input.keepsUnchanged ? features.filter(isChanged) : features;
    for (const imported of changed) {
      context.draft.put('features', imported.after);
      emitImported(context, imported, environment);
      yield;
    }
    const names = changed.map(({ after }) => after.name);
    if (names.length > 0 || !input.keepsUnchanged)
      context.emit({ type: 'features-imported', project, environment, data: { features: names } });
    return { imported: names.length, warnings: warnings.list() } satisfies ImportResult;
  },
});

/** Whether the import changes the flag. The ids of its strategies do not count, because every import makes new ones. */
function isChanged({ before, after }: ImportedFeature): boolean {
  return before === undefined || !isSameJson(withoutStrategyIds(before), withoutStrategyIds(after));
}

function withoutStrategyIds(feature: Feature) {
  return {
    ...feature,
    environments: feature.environments.map((config) => ({
      ...config,
      strategies: config.strategies.map(({ id: _id, ...strategy }) => strategy),
    })),
  };
}

/** The result of a prepared import. If there are errors or missing permissions, `features` may be incomplete and must not be stored. */
export interface PreparedImport {
  readonly errors: ImportProblems;
  /** What the import leaves out. */
  readonly warnings: ImportProblems;
  /** Permissions that the import needs and the caller does not have. */
  readonly missingPermissions: ImportProblems;
  readonly features: readonly ImportedFeature[];
}

/**
 * Decides an import, flag by flag, without putting the flags into the draft. Context fields and tag types are put into the draft, because flags are
 * checked against them.
 */
export function* prepareImport(context: CommandContext, sent: ImportInput): Steps<PreparedImport | Rejection> {
  const { draft } = context;
  const refusal = permissionProblem(context, ['UPDATE_FEATURE'], sent.project);
  if (refusal) return refusal;
  const environment = findProjectEnvironment(draft, sent.project, sent.environment);
  if (environment instanceof Rejection) return environment;
  const warnings = new ImportProblems();
  const input = yield* withoutArchived(draft, sent, warnings);
  const project = draft.get('projects', input.project) as Project;
  const errors = new ImportProblems();
  for (const { message, item, isConflict } of input.problems) {
    errors.add(message, item, isConflict ? 'conflict' : 'invalid');
    yield;
  }
  const permissions = new ImportPermissions(context, input);
  permissions.checkSharedEntities();
  if (!(yield* isWithinLimits(context, input, errors)))
    return { errors, warnings, features: [], missingPermissions: permissions.problems };
  yield* createMissing(context, input, errors);
  const segments = yield* segmentIds(context, input, errors);
  const problems = new FlagProblems();
  for (const { name, reason } of input.leftOut ?? [])
    problems.add(name, 'These features cannot be read:', `${name} (${reason})`);
  const dependencies = yield* importDependencies(draft, input, { problems, warnings });
  const prepared = yield* prepareFlags(context, input, { project, segments, dependencies, problems });
  const features = prepared.filter(({ after }) => !problems.has(after.name));
  if (features.length === 0) problems.addTo(errors);
  else problems.addAsLeftOut(warnings);
  for (const { before, after } of features) {
    permissions.checkFlag(before, after);
    yield;
  }
  const addedCount = features.filter(({ before }) => !before).length;
  const projectLimitProblem = featureLimitProblem(draft, project, addedCount);
  if (projectLimitProblem)
    errors.add('The project may not have so many features:', projectLimitProblem.message, 'limit');
  const totalLimitProblem = addedFlagsProblem(draft, addedCount, context.limits);
  if (totalLimitProblem) errors.add('There may not be so many features:', totalLimitProblem.message, 'limit');
  return { errors, warnings, features, missingPermissions: permissions.problems };
}

interface FlagsImport {
  readonly project: Project;
  readonly segments: SegmentIds;
  readonly dependencies: ReadonlyMap<string, readonly FeatureDependency[]>;
  readonly problems: FlagProblems;
}

/** The flags before and after the import. A flag with a problem may be incomplete and must not be stored. */
function* prepareFlags(
  context: CommandContext,
  input: ImportInput,
  { project, segments, dependencies, problems }: FlagsImport,
): Steps<ImportedFeature[]> {
  const { draft } = context;
  const prepared: ImportedFeature[] = [];
  for (const flag of input.flags) {
    const before = draft.get('features', flag.name);
    if (before && reportIfElsewhere(context, { before, project, problems })) continue;
    if (!before && namingProblem(project, flag.name))
      problems.add(flag.name, 'These names do not match the pattern of the project:', flag.name);
    const flagDependencies = dependencies.get(flag.name) ?? [];
    const after = yield* importFlag(context, { flag, before, project, input, segments, flagDependencies, problems });
    const limitProblem = yield* featureProblem({ before: draft, after: draft }, after, context.limits);
    if (limitProblem)
      problems.add(flag.name, 'These features go beyond a limit:', `${flag.name} (${limitProblem.message})`);
    prepared.push({ before, after });
    yield;
  }
  yield* reportOrphans(draft, input, problems);
  return prepared;
}

/** Leaves out flags that are archived in the project, with a warning, because an import does not revive flags. */
function* withoutArchived(reader: StateReader, input: ImportInput, warnings: ImportProblems): Steps<ImportInput> {
  const flags: ImportedFlag[] = [];
  for (const flag of input.flags) {
    if (isArchivedIn(reader, input.project, flag.name))
      warnings.add('These features are archived and are left out; revive them first to import them:', flag.name);
    else flags.push(flag);
    yield;
  }
  return { ...input, flags };
}

/** Checks limits before anything is created, because an import can contain a hundred times more context fields and tag types than allowed. */
function* isWithinLimits(
  { draft, limits }: CommandContext,
  input: ImportInput,
  errors: ImportProblems,
): Steps<boolean> {
  let isWithin = true;
  for (const collection of ['contextFields', 'tagTypes'] as const) {
    const missing = new Set<string>();
    for (const { name } of input[collection]) {
      if (!draft.get(collection, name)) missing.add(name);
      yield;
    }
    const problem = missing.size > 0 && countProblem(collection, draft.size(collection) + missing.size, limits);
    if (!problem) continue;
    errors.add('The import would go beyond a limit.', problem.message);
    isWithin = false;
  }
  return isWithin;
}

function* createMissing(context: CommandContext, input: ImportInput, errors: ImportProblems): Steps<void> {
  const note = (kind: string, name: string, outcome: unknown) => {
    if (outcome instanceof Rejection) errors.add(`These ${kind} cannot be created:`, `${name} (${outcome.message})`);
  };
  for (const field of input.contextFields) {
    if (!context.draft.get('contextFields', field.name))
      note('context fields', field.name, createContextField.decide(context, field));
    yield;
  }
  yield* checkLegalValues(context.draft, input, errors);
  for (const tagType of input.tagTypes) {
    if (!context.draft.get('tagTypes', tagType.name))
      note('tag types', tagType.name, createTagType.decide(context, tagType));
    yield;
  }
}

/**
 * An existing context field keeps its legal values. Additional legal values in the import are an error, because a person must decide: without these
 * values, later constraints from the source could not be imported; with them, existing constraints would change their meaning. A field of another
 * project does not apply and is not checked, so that errors do not reveal its values.
 */
function* checkLegalValues(
  reader: StateReader,
  { project, contextFields }: ImportInput,
  errors: ImportProblems,
): Steps<void> {
  const legal = new Map<string, ReadonlySet<string>>();
  for (const { name, legalValues = [] } of contextFields) {
    const known = reader.get('contextFields', name);
    const field = known?.project === undefined || known.project === project ? known : undefined;
    let values = legal.get(name);
    if (!values) {
      values = new Set(field?.legalValues.map(({ value }) => value));
      legal.set(name, values);
    }
    const missing = legalValues.find(({ value }) => !values.has(value));
    if (missing && field) {
      errors.add(
        'These context fields exist without all the legal values of the import:',
        `${name} (${missing.value})`,
      );
    }
    yield;
  }
}

interface ExistingFlag {
  readonly before: Feature;
  readonly project: Project;
  readonly problems: FlagProblems;
}

/** Adds a problem if the flag exists in another project. Returns whether it does. */
function reportIfElsewhere(context: CallerInState, { before, project, problems }: ExistingFlag): boolean {
  if (before.project === project.id) return false;
  const where = isHidden(context, before.project) ? '' : ` (in ${before.project})`;
  problems.add(before.name, 'These features exist in another project:', before.name + where, 'conflict');
  return true;
}

interface FlagImport {
  readonly flag: ImportedFlag;
  readonly before: Feature | undefined;
  readonly project: Project;
  readonly input: ImportInput;
  readonly segments: SegmentIds;
  readonly flagDependencies: readonly FeatureDependency[];
  readonly problems: FlagProblems;
}

function* importFlag(
  context: CommandContext,
  { flag, before, project, input, segments, flagDependencies, problems }: FlagImport,
): Steps<Feature> {
  const { draft, now, by } = context;
  const tags = validateTags(draft, flag.tags);
  if (tags instanceof Rejection)
    problems.add(flag.name, 'These tags cannot be used:', `${flag.name} (${tags.message})`);
  const feature: Feature = {
    name: flag.name,
    project: project.id,
    type: flag.type ?? before?.type ?? 'release',
    description: flag.description,
    stale: flag.stale,
    archived: false,
    archivedAt: null,
    impressionData: flag.impressionData,
    createdAt: before?.createdAt ?? now,
    createdBy: before?.createdBy ?? by,
    tags: tags instanceof Rejection ? [] : tags,
    dependencies: flagDependencies,
    environments: before?.environments ?? [],
    ...(before?.manifest && { manifest: before.manifest }),
    ...(before?.collaborators && { collaborators: before.collaborators }),
    ...(before?.changedAt && { changedAt: before.changedAt }),
    ...importLinks(context, flag, before, problems),
  };
  // If the export does not contain this environment, keep the flag's strategies: without strategies the flag would be on.
  if (flag.setting === undefined && flag.strategies.length === 0) return feature;
  const config = featureEnvironment(feature, input.environment);
  const enabled = flag.setting?.enabled ?? config.enabled;
  const firstEnabledAt = config.firstEnabledAt ?? (enabled ? now : undefined);
  return withEnvironment(feature, {
    environment: input.environment,
    enabled,
    ...(firstEnabledAt !== undefined && { firstEnabledAt }),
    variants: flag.setting ? yield* importVariants(flag.name, flag.setting.variants, problems) : config.variants,
    strategies: yield* importStrategies(context, flag, { project, segments, problems }),
  });
}

/** The links of the flag, and the links of the import whose address the flag does not have yet. */
function importLinks(
  { newId }: CommandContext,
  { name, links = [] }: ImportedFlag,
  before: Feature | undefined,
  problems: FlagProblems,
): Pick<Feature, 'links'> {
  const linkByUrl = new Map((before?.links ?? []).map((link) => [link.url, link]));
  for (const { url, title = null } of links) {
    const address = linkAddress(url);
    if (address instanceof Rejection) problems.add(name, 'These links cannot be used:', `${name} (${address.message})`);
    else if (!linkByUrl.has(address)) linkByUrl.set(address, { id: newId(), url: address, title });
  }
  return linkByUrl.size > 0 ? { links: [...linkByUrl.values()] } : {};
}

/** Emits the events for one flag: its creation and its switch, as other commands do, and one event with the flag before and after the import. */
function emitImported({ emit }: CommandContext, { before, after }: ImportedFeature, environment: string): void {
  const at = { project: after.project, featureName: after.name, tags: after.tags };
  if (!before)
    emit({ ...at, type: 'feature-created', data: { ...after, tags: [], dependencies: [], environments: [] } });
  emit({ ...at, environment, type: 'feature-import', data: after, preData: before });
  const wasEnabled = before ? featureEnvironment(before, environment).enabled : false;
  const { enabled } = featureEnvironment(after, environment);
  if (enabled === wasEnabled) return;
  const type = enabled ? 'feature-environment-enabled' : 'feature-environment-disabled';
  emit({ ...at, environment, type, data: { enabled }, preData: { enabled: wasEnabled } });
}
