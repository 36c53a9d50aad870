import { invalid, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { removing } from '../../../engine/command.ts';
import type { ContextField } from '../../../model/context-field.ts';
import { tagText } from '../../../model/feature.ts';
import type { Project } from '../../../model/project.ts';
import { BUILT_IN_STRATEGY_NAMES, type StrategyTypeParameter } from '../../../model/strategy-type.ts';
import { legalValuesProblem, pickLegalValues } from '../../context-fields/commands.ts';
import { parametersProblem } from '../../flags/strategies/strategy-types.ts';
import { tagExists } from '../../flags/tags/tag-commands.ts';
import { makeOwner } from '../../projects/access.ts';
import { checkedSettings } from '../../projects/commands.ts';
import { detachEnvironment } from '../../projects/environments.ts';
import type { ImportRun } from './import-run.ts';
import type { Imported } from './input.ts';

export function importEnvironment(run: ImportRun, imported: Imported<'environments'>): undefined {
  const { name, type, enabled, protected: isProtected, sortOrder } = imported;
  const before = run.context.draft.get('environments', name);
  const { requireReason = before?.requireReason, fetchMode = before?.fetchMode } = imported;
  const after = {
    name,
    type,
    enabled,
    protected: isProtected,
    sortOrder,
    ...(requireReason !== undefined && { requireReason }),
    ...(fetchMode !== undefined && { fetchMode }),
  };
  const change = { kind: 'environments', name, collection: 'environments', before, after } as const;
  run.put(change, { type: 'environment-import', environment: name });
}

/**
 * Imports a project. It gets the environments of the input, and keeps the environments in which its flags are enabled or have strategies or variants.
 */
export function* importProject(run: ImportRun, imported: Imported<'projects'>): Steps<Rejection | undefined> {
  const { draft, now } = run.context;
  const { id, name, description, mode, defaultStickiness, featureLimit, createdAt, archivedAt = null } = imported;
  const { featureNaming, linkTemplates } = imported;
  const environmentNames = [...new Set(imported.environments)];
  const missing = environmentNames.find((name) => !draft.get('environments', name));
  if (missing !== undefined) return invalid(`The environment ${missing} does not exist.`);
  const settings = checkedSettings({ featureNaming, linkTemplates });
  if (settings instanceof Rejection) return settings;
  const before = draft.get('projects', imported.id);
  if (archivedAt !== null && before && hasLiveFlags(run, imported.id)) {
    return invalid('It cannot be archived: it has flags that are not archived.');
  }
  for (const environment of before?.environments ?? []) {
    if (environmentNames.includes(environment)) continue;
    const project = draft.get('projects', imported.id);
    if (yield* isUsed(run, imported.id, environment)) environmentNames.push(environment);
    else if (project) yield* detachEnvironment(run.context, project, environment);
  }
  const environments = sameMembers(before?.environments, environmentNames) ?? environmentNames;
  const after: Project = {
    id,
    name,
    description,
    mode,
    defaultStickiness,
    featureLimit,
    environments,
    createdAt: createdAt ?? before?.createdAt ?? now,
    updatedAt: before?.updatedAt ?? now,
    archivedAt,
    ...settings,
  };
  const isNew = before === undefined;
  const isSame = before !== undefined && isSameProject(before, after);
  const change = { kind: 'projects', name: imported.id, collection: 'projects', before } as const;
  run.put(
    { ...change, after: isNew || isSame ? after : { ...after, updatedAt: now } },
    {
      type: 'project-import',
      project: imported.id,
    },
  );
  if (isNew) makeOwner(run.context, imported.id);
  if (archivedAt !== null && before?.archivedAt === null) yield* removing(run.context, 'archivedProject', imported.id);
  return undefined;
}

/** Whether a flag of the project is enabled in the environment, or has strategies or variants there. */
function* isUsed({ context: { draft } }: ImportRun, project: string, environment: string): Steps<boolean> {
  for (const { environments } of draft.lookup('featuresByProject', project)) {
    const configuration = environments.find((entry) => entry.environment === environment);
    if (configuration && (configuration.enabled || configuration.strategies.length + configuration.variants.length > 0))
      return true;
    yield;
  }
  return false;
}

function hasLiveFlags({ context: { draft } }: ImportRun, project: string): boolean {
  return draft.count('featuresByProject', project) > draft.count('archivedByProject', project);
}

/** The stored list if both lists have the same members, because their order has no meaning. Otherwise undefined. */
function sameMembers(before: readonly string[] | undefined, names: readonly string[]): readonly string[] | undefined {
  if (before?.length !== names.length || names.some((name) => !before.includes(name))) return undefined;
  return before;
}

function isSameProject(before: Project, after: Project): boolean {
  const comparableText = (project: Project) => JSON.stringify(Object.entries({ ...project, updatedAt: '' }).sort());
  return comparableText(before) === comparableText(after);
}

export function importContextField(run: ImportRun, imported: Imported<'contextFields'>): Rejection | undefined {
  const { draft, now } = run.context;
  const { name, description, stickiness, sortOrder, legalValues, createdAt } = imported;
  const project = imported.project ?? undefined;
  if (project !== undefined && draft.get('projects', project) === undefined) {
    return invalid(`The project ${project} does not exist.`);
  }
  const problem = legalValuesProblem(legalValues);
  if (problem) return problem;
  const before = draft.get('contextFields', name);
  if (before && before.project !== project)
    return invalid(`A context field ${name} exists already, but belongs to another project or to all projects.`);
  const after: ContextField = {
    name,
    description,
    stickiness,
    sortOrder,
    legalValues: pickLegalValues(legalValues),
    createdAt: createdAt ?? before?.createdAt ?? now,
    ...(project !== undefined && { project }),
  };
  const type = before ? 'context-field-updated' : 'context-field-created';
  run.put({ kind: 'contextFields', name, collection: 'contextFields', before, after }, { type, project });
  return undefined;
}

export function importTagType(run: ImportRun, imported: Imported<'tagTypes'>): undefined {
  const { name, description = null, icon = null, color = null } = imported;
  const before = run.context.draft.get('tagTypes', name);
  const after = { name, description, icon, color };
  run.put({ kind: 'tagTypes', name, collection: 'tagTypes', before, after }, { type: 'tag-type-import' });
}

/** Imports a tag. A tag that a flag already has is not stored separately. */
export function importTag(run: ImportRun, { type, value }: Imported<'tags'>): Rejection | undefined {
  const { draft } = run.context;
  if (!draft.get('tagTypes', type)) return invalid(`The tag type ${type} does not exist.`);
  const tag = { type, value };
  if (tagExists(draft, tag)) return undefined;
  const change = { kind: 'tags', name: tagText(tag), collection: 'tags', before: undefined, after: tag } as const;
  run.put(change, { type: 'tag-import' });
  return undefined;
}

/**
 * Imports a strategy type. Of a built-in type, only `deprecated` is imported, because everything else is the same on every instance. The type
 * `default` is never deprecated: it is the strategy of flags that have no other strategy.
 */
export function importStrategyType(run: ImportRun, imported: Imported<'strategyTypes'>): Rejection | undefined {
  const { name, title, description, parameters, deprecated } = imported;
  const before = run.context.draft.get('strategyTypes', name);
  const isBuiltIn = BUILT_IN_STRATEGY_NAMES.has(name);
  const problem = isBuiltIn ? undefined : parametersProblem(parameters);
  if (problem) return problem;
  const after =
    isBuiltIn && before
      ? { ...before, deprecated: name === 'default' ? false : deprecated }
      : { name, title, description, parameters: parameters.map(storedParameter), editable: true, deprecated };
  run.put({ kind: 'strategyTypes', name, collection: 'strategyTypes', before, after }, { type: 'strategy-import' });
  return undefined;
}

function storedParameter({ name, type, description, required }: StrategyTypeParameter): StrategyTypeParameter {
  return { name, type, description, required };
}
