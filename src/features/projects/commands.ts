import Type from 'typebox';
import { conflict, invalid, notFound, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, command, longCommand, removing } from '../../engine/command.ts';
import { ENVIRONMENT_LIMITS } from '../../model/limits/environments.ts';
import { PROJECT_LIMITS } from '../../model/limits/projects.ts';
import { NAME_LENGTH_MAX, NameReference } from '../../model/primitives.ts';
import { DEFAULT_PROJECT, FeatureNaming, LinkTemplate, Project } from '../../model/project.ts';
import type { StateReader } from '../../state/collections.ts';
import { deleteFeatures } from '../flags/archive/commands.ts';
import { forgetFavoritesOf } from '../flags/favorites/commands.ts';
import { validateNaming } from '../flags/naming.ts';
import { forgetDefaultStrategies } from '../flags/strategies/default-strategies.ts';
import { writtenFields } from '../shared/entity-fields.ts';
import { findProject } from '../shared/lookup.ts';
import { suppliedFields } from '../shared/supplied-fields.ts';
import { makeOwner, removeProjectAccess } from './access.ts';

const settings = {
  ...writtenFields(Project, 'description?', 'mode?', 'defaultStickiness?', 'featureLimit?'),
  featureNaming: Type.Optional(
    Type.Union([Type.Partial(FeatureNaming, { $id: 'createFeatureNamingPattern' }), Type.Null()], {
      description: 'Rule for the names of new flags',
    }),
  ),
  linkTemplates: Type.Optional(
    Type.Array(Type.Object(writtenFields(LinkTemplate, 'title?', 'urlTemplate')), {
      maxItems: PROJECT_LIMITS.linkTemplates.max,
      description: 'Links that new flags of the project begin with',
    }),
  ),
};

export const NewProjectFields = {
  /** Without an id, the id is derived from the name. */
  ...writtenFields(Project, 'id?', 'name'),
  ...settings,
  environments: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: ENVIRONMENT_LIMITS.environments.max,
      description: 'By default, every environment that is on',
    }),
  ),
};

export const ProjectChanges = { ...writtenFields(Project, 'name?'), ...settings };

/** The properties that Unleash's paid edition calls the settings of a project. */
export const ProjectSettings = {
  mode: settings.mode,
  featureNaming: settings.featureNaming,
  linkTemplates: settings.linkTemplates,
};

export const createProject = command({
  name: 'create-project',
  input: Type.Object(NewProjectFields),
  decide(context, input) {
    const { draft, now, emit } = context;
    const idProblem = input.id === undefined ? undefined : projectIdProblem(draft, input.id);
    if (idProblem) return idProblem;
    const environments = chooseEnvironments(draft, input.environments);
    if (environments instanceof Rejection) return environments;
    const checked = checkedSettings(input);
    if (checked instanceof Rejection) return checked;
    const project: Project = {
      id: input.id ?? freeId(context, input.name),
      name: input.name,
      description: input.description ?? null,
      mode: input.mode ?? 'open',
      defaultStickiness: input.defaultStickiness ?? 'default',
      featureLimit: input.featureLimit ?? null,
      environments,
      createdAt: now,
      updatedAt: now,
      archivedAt: null,
      ...checked,
    };
    draft.put('projects', project);
    makeOwner(context, project.id);
    emit({ type: 'project-created', project: project.id, data: project });
    return project;
  },
});

/** Returns a rejection if a project already has the id. */
export function projectIdProblem(reader: StateReader, id: string): Rejection | undefined {
  return reader.get('projects', id) ? conflict(`A project with the id ${id} already exists.`) : undefined;
}

/** Returns the environments of a new project, or a rejection if a named environment does not exist or is off. */
function chooseEnvironments(reader: StateReader, names: readonly string[] | undefined): readonly string[] | Rejection {
  if (names === undefined) {
    return [...reader.values('environments')].filter(({ enabled }) => enabled).map(({ name }) => name);
  }
  for (const [index, name] of names.entries()) {
    const environment = reader.get('environments', name);
    if (!environment) return invalid(`The environment ${name} does not exist.`, `/environments/${index}`);
    if (!environment.enabled) return invalid(`The environment ${name} is switched off.`, `/environments/${index}`);
  }
  return [...new Set(names)];
}

/** Derives an unused id from the name: `Mobile app` → `mobile-app`, `mobile-app-2`, … */
function freeId({ draft, newId }: CommandContext, name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_LENGTH_MAX - 10)
    .replace(/^-+|-+$/g, '');
  const base = slug === '' ? `project-${newId().slice(0, 8)}` : slug;
  let id = base;
  for (let count = 2; draft.get('projects', id); count++) id = `${base}-${count}`;
  return id;
}

/** The properties of `ProjectChanges` without the two of `CheckedSettings`. */
const { featureNaming: _naming, linkTemplates: _templates, ...PlainChanges } = ProjectChanges;

/** The settings that must be checked before they are stored. */
interface CheckedSettings {
  readonly featureNaming?: Partial<FeatureNaming> | null | undefined;
  readonly linkTemplates?:
    | readonly (Pick<LinkTemplate, 'urlTemplate'> & { readonly title?: string | null })[]
    | undefined;
}

/** Returns the settings as they are stored, without those that the input leaves out, or a rejection. */
export function checkedSettings({ featureNaming, linkTemplates }: CheckedSettings): Partial<Project> | Rejection {
  const naming = featureNaming === undefined ? undefined : validateNaming(featureNaming ?? {});
  if (naming instanceof Rejection) return naming;
  const templates = linkTemplates?.map(({ title = null, urlTemplate }) => ({ title, urlTemplate }));
  return { ...(naming && { featureNaming: naming }), ...(templates && { linkTemplates: templates }) };
}

/** Changes only the specified properties of a project. */
export const updateProject = command({
  name: 'update-project',
  input: Type.Object({ id: NameReference, ...ProjectChanges }),
  decide({ draft, now, emit }, { id, featureNaming, linkTemplates, ...plain }) {
    const before = findProject(draft, id);
    if (before instanceof Rejection) return before;
    const checked = checkedSettings({ featureNaming, linkTemplates });
    if (checked instanceof Rejection) return checked;
    const after: Project = { ...before, ...suppliedFields(PlainChanges, plain), ...checked, updatedAt: now };
    draft.put('projects', after);
    emit({ type: 'project-updated', project: id, data: after, preData: before });
    return after;
  },
});

/** Archives a project: the project and its content cannot be found until it is revived. Its flags must be archived first. */
export const archiveProject = longCommand({
  name: 'archive-project',
  input: Type.Object({ id: NameReference }),
  *decide(context, { id }) {
    const { draft, now, emit } = context;
    const project = findProject(draft, id);
    if (project instanceof Rejection) return project;
    if (id === DEFAULT_PROJECT) return invalid('The default project cannot be archived.');
    const names = yield* namesOfArchivedFlags(draft, id, 'archived');
    if (names instanceof Rejection) return names;
    draft.put('projects', { ...project, archivedAt: now, updatedAt: now });
    emit({ type: 'project-archived', project: id, data: { archivedAt: now }, preData: { archivedAt: null } });
    yield* removing(context, 'archivedProject', id);
    return undefined;
  },
});

/** Revives an archived project with its content. Its flags stay archived. */
export const reviveProject = command({
  name: 'revive-project',
  input: Type.Object({ id: NameReference }),
  decide({ draft, now, emit }, { id }) {
    const project = draft.get('projects', id);
    if (!project || project.archivedAt === null) return notFound(`There is no archived project ${id}.`);
    const { archivedAt } = project;
    draft.put('projects', { ...project, archivedAt: null, updatedAt: now });
    emit({ type: 'project-revived', project: id, data: { archivedAt: null }, preData: { archivedAt } });
    return undefined;
  },
});

/**
 * Deletes a project whose flags are all archived, with its flags, segments and context fields. Its tokens lose the project; tokens without another
 * project are deleted.
 */
export const deleteProject = longCommand({
  name: 'delete-project',
  input: Type.Object({ id: NameReference }),
  *decide(context, { id }) {
    const { draft, emit } = context;
    const project = draft.get('projects', id);
    if (!project) return notFound(`The project ${id} does not exist.`);
    if (id === DEFAULT_PROJECT) return invalid('The default project cannot be deleted.');
    const names = yield* namesOfArchivedFlags(draft, id, 'deleted');
    if (names instanceof Rejection) return names;
    // The following steps need a project that is not archived. The last step deletes it in any case.
    if (project.archivedAt !== null) draft.put('projects', { ...project, archivedAt: null });
    yield* removing(context, 'allFlagsOfProject', id);
    const rejection = yield* deleteFeatures.decide(context, { project: id, names });
    if (rejection) return rejection;
    for (const segment of [...draft.lookup('segmentsByProject', id)]) {
      draft.remove('segments', String(segment.id));
      emit({ type: 'segment-deleted', project: id, preData: segment });
      yield;
    }
    for (const field of [...draft.lookup('contextFieldsByProject', id)]) {
      draft.remove('contextFields', field.name);
      emit({ type: 'context-field-deleted', project: id, preData: field });
      yield;
    }
    yield* removing(context, 'project', id);
    yield* removeProjectAccess(context, id);
    yield* forgetDefaultStrategies(draft, id);
    yield* forgetFavoritesOf(draft, 'project', id);
    draft.remove('projects', id);
    emit({ type: 'project-deleted', project: id, preData: project });
    return undefined;
  },
});

/** Returns the names of a project's flags, or a rejection if any of the flags is not archived. */
function* namesOfArchivedFlags(
  reader: StateReader,
  project: string,
  action: 'archived' | 'deleted',
): Steps<string[] | Rejection> {
  const names: string[] = [];
  let active = 0;
  for (const { name, archived } of reader.lookup('featuresByProject', project)) {
    if (archived) names.push(name);
    else active++;
    yield;
  }
  if (active === 0) return names;
  return conflict(`The project ${project} cannot be ${action}: ${active} of its flags are not archived.`);
}
