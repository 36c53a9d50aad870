import { invalid, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { tagText } from '../../../model/feature.ts';
import type { Project } from '../../../model/project.ts';
import { BUILT_IN_STRATEGY_NAMES, type StrategyTypeParameter } from '../../../model/strategy-type.ts';
import { suspendSchedulesOfProject } from '../../change-requests/schedule.ts';
import { legalValuesProblem, pickLegalValues } from '../../context-fields/commands.ts';
import type { ContextField } from '../../context-fields/context-field.ts';
import { parametersProblem } from '../../flags/strategies/strategy-types.ts';
import { tagExists } from '../../flags/tags/tag-commands.ts';
import { makeOwner } from '../../projects/access.ts';
import { specialSettings } from '../../projects/commands.ts';
import { disconnect } from '../../projects/environments.ts';
import type { ImportRun } from './import-run.ts';
import type { Imported } from './input.ts';

export function takeEnvironment(run: ImportRun, taken: Imported<'environments'>): undefined {
  const { name, type, enabled, protected: isProtected, sortOrder } = taken;
  const after = { name, type, enabled, protected: isProtected, sortOrder };
  const before = run.context.draft.get('environments', name);
  const putting = { kind: 'environments', name, collection: 'environments', before, after } as const;
  run.put(putting, { type: 'environment-import', environment: name });
}

/**
 * Imports a project. It gets the environments of the input, and keeps the environments in which its flags are enabled or have strategies or variants.
 */
export function* takeProject(run: ImportRun, taken: Imported<'projects'>): Steps<Rejection | undefined> {
  const { draft, now } = run.context;
  const { id, name, description, mode, defaultStickiness, featureLimit, createdAt, archivedAt = null } = taken;
  const { featureNaming, linkTemplates } = taken;
  const named = [...new Set(taken.environments)];
  const missing = named.find((name) => !draft.get('environments', name));
  if (missing !== undefined) return invalid(`The environment ${missing} does not exist.`);
  const special = specialSettings({ featureNaming, linkTemplates });
  if (special instanceof Rejection) return special;
  const known = draft.get('projects', taken.id);
  if (archivedAt !== null && known && hasLiveFlags(run, taken.id)) {
    return invalid('It cannot be archived: it has flags that are not archived.');
  }
  for (const environment of known?.environments ?? []) {
    if (named.includes(environment)) continue;
    const project = draft.get('projects', taken.id);
    if (yield* isUsed(run, taken.id, environment)) named.push(environment);
    else if (project) yield* disconnect(run.context, project, environment);
  }
  const environments = sameMembers(known?.environments, named) ?? named;
  const after: Project = {
    ...{ id, name, description, mode, defaultStickiness, featureLimit, environments },
    createdAt: createdAt ?? known?.createdAt ?? now,
    updatedAt: known?.updatedAt ?? now,
    archivedAt,
    ...special,
  };
  const isNew = known === undefined;
  const isSame = known !== undefined && isSameProject(known, after);
  const putting = { kind: 'projects', name: taken.id, collection: 'projects', before: known } as const;
  run.put(
    { ...putting, after: isNew || isSame ? after : { ...after, updatedAt: now } },
    {
      ...{ type: 'project-import', project: taken.id },
    },
  );
  if (isNew) makeOwner(run.context, taken.id);
  if (archivedAt !== null && known?.archivedAt === null) yield* suspendSchedulesOfProject(run.context, taken.id);
  return undefined;
}

function* isUsed({ context: { draft } }: ImportRun, project: string, environment: string): Steps<boolean> {
  for (const { environments } of draft.lookup('featuresByProject', project)) {
    const location = environments.find((entry) => entry.environment === environment);
    if (location && (location.enabled || location.strategies.length + location.variants.length > 0)) return true;
    yield;
  }
  return false;
}

function hasLiveFlags({ context: { draft } }: ImportRun, project: string): boolean {
  return draft.count('featuresByProject', project) > draft.count('archivedByProject', project);
}

/** The stored names if both lists have the same members, because the order has no meaning; otherwise undefined. */
function sameMembers(known: readonly string[] | undefined, names: readonly string[]): readonly string[] | undefined {
  if (known?.length !== names.length || names.some((name) => !known.includes(name))) return undefined;
  return known;
}

function isSameProject(before: Project, after: Project): boolean {
  const text = (project: Project) => JSON.stringify(Object.entries({ ...project, updatedAt: '' }).sort());
  return text(before) === text(after);
}

export function takeContextField(run: ImportRun, taken: Imported<'contextFields'>): Rejection | undefined {
  const { draft, now } = run.context;
  const { name, description, stickiness, sortOrder, legalValues, createdAt } = taken;
  const project = taken.project ?? undefined;
  if (project !== undefined && draft.get('projects', project) === undefined) {
    return invalid(`The project ${project} does not exist.`);
  }
  const problem = legalValuesProblem(legalValues);
  if (problem) return problem;
  const before = draft.get('contextFields', name);
  if (before && before.project !== project)
    return invalid(`A context field ${name} with another scope exists here already.`);
  const after: ContextField = {
    ...{ name, description, stickiness, sortOrder, legalValues: pickLegalValues(legalValues) },
    createdAt: createdAt ?? before?.createdAt ?? now,
    ...(project !== undefined && { project }),
  };
  const type = before ? 'context-field-updated' : 'context-field-created';
  run.put({ kind: 'contextFields', name, collection: 'contextFields', before, after }, { type, project });
  return undefined;
}

export function takeTagType(run: ImportRun, taken: Imported<'tagTypes'>): undefined {
  const { name, description = null, icon = null, color = null } = taken;
  const before = run.context.draft.get('tagTypes', name);
  const after = { name, description, icon, color };
  run.put({ kind: 'tagTypes', name, collection: 'tagTypes', before, after }, { type: 'tag-type-import' });
}

/** Imports a tag that no flag has. Tags of flags need no entry of their own. */
export function takeTag(run: ImportRun, { type, value }: Imported<'tags'>): Rejection | undefined {
  const { draft } = run.context;
  if (!draft.get('tagTypes', type)) return invalid(`The tag type ${type} does not exist.`);
  const tag = { type, value };
  if (tagExists(draft, tag)) return undefined;
  const putting = { kind: 'tags', name: tagText(tag), collection: 'tags', before: undefined, after: tag } as const;
  run.put(putting, { type: 'tag-import' });
  return undefined;
}

/** Imports a custom strategy. Built-in strategies are the same on every instance, so only their `deprecated` is imported. */
export function takeStrategyType(run: ImportRun, taken: Imported<'strategyTypes'>): Rejection | undefined {
  const { name, title, description, parameters, deprecated } = taken;
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
