import { permissionProblem } from '../../access/permission-problem.ts';
import { conflict, Rejection } from '../../base/rejection.ts';
import { isSameJson } from '../../base/same-json.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { CommandContext } from '../../engine/command.ts';
import type { Feature } from '../../model/feature.ts';
import type { Permission } from '../../model/permission.ts';
import { Project } from '../../model/project.ts';
import { findProject } from '../shared/lookup.ts';
import { removalBy, resultOf, type UndoRule, undoOfEdits } from '../shared/undoing.ts';
import { archiveProject, checkedSettings, deleteProject, ProjectSettings, reviveProject } from './commands.ts';
import { forgetConfiguration, leaveEnvironment } from './environments.ts';

const edits = undoOfEdits({
  collection: 'projects',
  shape: Project,
  place: ({ id }) => ({ project: id }),
  needs: { create: ['CREATE_PROJECT'], update: ['UPDATE_PROJECT'], remove: ['DELETE_PROJECT'] },
  events: { created: 'project-created', updated: 'project-updated' },
  remove: removalBy(deleteProject, ({ id }) => ({ id }), projectInUse),
});

/**
 * Settings, environments, archiving, creation and deletion of a project. A deleted project comes back without its tokens and change requests. Its flags,
 * segments, context fields and roles are entities of their own.
 */
export const undoProject: UndoRule<Project> = {
  ...edits,
  derived: ['updatedAt'],
  sets: ['environments'],
  check(context, undone) {
    const { current, wanted } = undone;
    if (!current || !wanted) return edits.check?.(context, undone);
    for (const permissions of neededFor(current, wanted)) {
      const problem = permissionProblem(context, permissions, wanted.id);
      if (problem) return problem;
    }
    for (const name of gained(current, wanted)) {
      // An environment that the undo itself creates again is not there yet.
      if (context.draft.get('environments', name)?.enabled === false) return switchedOff(name);
    }
    return undefined;
  },
  *put(context, { key, current, wanted }, revision) {
    const { draft, now } = context;
    const missing = wanted.environments.find((name) => !draft.get('environments', name));
    if (missing !== undefined) return conflict(`The environment ${missing} does not exist any more.`);
    const checked = checkedSettings(wanted);
    if (checked instanceof Rejection) return checked;
    // A project that was archived when it was deleted is archived again in `settle`: its content needs a project that is not.
    const created = { ...wanted, archivedAt: null, updatedAt: now };
    if (!current) return yield* resultOf(edits.put(context, { key, current, wanted: created }, revision));
    const isRevived = current.archivedAt !== null && wanted.archivedAt === null;
    const archiving = isRevived ? reviveProject.decide(context, { id: key }) : undefined;
    if (archiving instanceof Rejection) return archiving;
    const project = findProject(draft, key);
    if (project instanceof Rejection) return project;
    const kept = current.environments.filter((name) => !wanted.environments.includes(name));
    for (const environment of gained(current, wanted)) {
      yield* forgetConfiguration(context, key, environment);
      context.emit({ type: 'project-environment-added', project: key, environment });
    }
    // What belongs to the environments that the project loses ends in `settle`, when their flags are as they were.
    const after = { ...wanted, archivedAt: null, environments: [...wanted.environments, ...kept], updatedAt: now };
    const settings = fieldsOf(after);
    if (!isSameJson(settings, fieldsOf(current))) {
      return yield* resultOf(edits.put(context, { key, current, wanted: after }, revision));
    }
    draft.put('projects', after);
    return true;
  },
  *settle(context, { key, current, wanted }) {
    if (!wanted) return undefined;
    if (!current) return archiveAgain(context, wanted);
    for (const environment of gained(wanted, current)) {
      const project = context.draft.get('projects', key);
      const problem = yield* environmentInUse(context, key, environment);
      if (problem) return problem;
      if (project) yield* leaveEnvironment(context, project, environment);
    }
    if (wanted.archivedAt === null || current.archivedAt !== null) return undefined;
    const archived = yield* archiveProject.decide(context, { id: key });
    return archived ?? archiveAgain(context, wanted);
  },
};

/** The answer of the ordinary edit. */
function switchedOff(environment: string): Rejection {
  return conflict(`The environment ${environment} is switched off; switch it on before projects use it.`);
}

/** Gives the project the time at which it was archived. */
function archiveAgain({ draft }: CommandContext, { id, archivedAt }: Project): undefined {
  const project = draft.get('projects', id);
  if (project && archivedAt !== null) draft.put('projects', { ...project, archivedAt });
}

/** The environments of `after` that `before` does not have. */
function gained(before: Project, after: Project): readonly string[] {
  return after.environments.filter((name) => !before.environments.includes(name));
}

/** The fields without those that have commands of their own. */
function fieldsOf({ updatedAt: _updatedAt, archivedAt: _archivedAt, environments: _environments, ...fields }: Project) {
  return fields;
}

/** Lists of permissions; of each list, the caller needs one. */
function* neededFor(current: Project, wanted: Project): Generator<readonly Permission[]> {
  const fields = Object.keys({ ...current, ...wanted }) as (keyof Project)[];
  for (const field of fields) {
    if (field === 'updatedAt' || isSameJson(current[field], wanted[field])) continue;
    if (field === 'archivedAt')
      yield wanted.archivedAt === null ? ['CREATE_PROJECT', 'DELETE_PROJECT'] : ['DELETE_PROJECT'];
    else if (field in ProjectSettings) yield ['UPDATE_PROJECT', 'PROJECT_SETTINGS_WRITE'];
    else yield ['UPDATE_PROJECT'];
  }
}

/**
 * An undo takes an environment from a project only if none of its flags had settings there before the undo. Settings that the undo itself gives back are
 * from a time when the project did not have the environment, so they have no effect.
 */
function* environmentInUse(
  { draft }: CommandContext,
  project: string,
  environment: string,
): Steps<Rejection | undefined> {
  for (const feature of draft.lookup('featuresByProject', project)) {
    yield;
    const hasSettings = (one: Feature | undefined) => one?.environments.some((own) => own.environment === environment);
    if (!hasSettings(feature) || !hasSettings(draft.before('features', feature.name))) continue;
    return conflict(
      `The project ${project} keeps the environment ${environment}: the flag ${feature.name} has settings in it that came later.`,
    );
  }
  return undefined;
}

/** An undo deletes only a project that is empty: what it contains came later. */
function projectInUse({ draft }: CommandContext, { id }: Project): Rejection | undefined {
  const counts = [
    [draft.count('featuresByProject', id), 'flags'],
    [draft.count('segmentsByProject', id), 'segments'],
    [draft.count('contextFieldsByProject', id), 'context fields'],
    [draft.count('tokensByProject', id), 'API tokens'],
    [draft.count('requestsByProject', id), 'change requests'],
  ] as const;
  for (const [count, what] of counts) {
    if (count > 0)
      return conflict(
        `The project ${id} is in use: it has ${count} ${what}. Only an empty project is deleted by an undo.`,
      );
  }
  return undefined;
}
