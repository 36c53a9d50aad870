import { isDeepStrictEqual } from 'node:util';
import type { UnleashDocuments } from '../maintenance/unleash-documents.ts';
import type { FlagFile } from '../maintenance/unleash-export.ts';
import type { ImportTarget } from './import-target.ts';

interface Named {
  readonly name: string;
}

/** The projects and environments of the target. */
class TargetLocations {
  readonly #projects: ReadonlySet<string>;
  readonly #environments: ReadonlySet<string>;
  readonly #fallbackProject: string | undefined;

  constructor(projects: Iterable<string>, environments: Iterable<string>, fallbackProject: string | undefined) {
    this.#projects = new Set(projects);
    this.#environments = new Set(environments);
    this.#fallbackProject = fallbackProject;
  }

  static async of(target: ImportTarget, fallbackProject: string | undefined): Promise<TargetLocations> {
    const projects = await target.list<{ id: string }>('/api/admin/projects', 'projects');
    const environments = await target.list<Named>('/api/admin/environments', 'environments');
    return new TargetLocations(
      projects.map(({ id }) => id),
      environments.map(({ name }) => name),
      fallbackProject,
    );
  }

  /** The target project for a project of the export: the same project if it exists, otherwise the one of `--project`, which may be undefined. */
  projectFor(id: string): string | undefined {
    return this.#projects.has(id) ? id : this.#fallbackProject;
  }

  hasEnvironment(name: string): boolean {
    return this.#environments.has(name);
  }
}

/**
 * Imports everything that flags depend on, in the required order. Existing objects are changed where they differ, and never removed. Resolves
 * with the projects and environments of the target.
 */
export async function importInstance(
  target: ImportTarget,
  documents: UnleashDocuments,
  fallbackProject: string | undefined,
): Promise<TargetLocations> {
  await importEnvironments(target, documents.environments);
  await importProjects(target, documents.projects, fallbackProject);
  const locations = await TargetLocations.of(target, fallbackProject);
  await importContextFields(target, documents.contextFields, locations);
  for (const [kind, path, key, items] of [
    ['tag type', '/api/admin/tag-types', 'tagTypes', documents.tagTypes],
    ['strategy', '/api/admin/strategies', 'strategies', documents.strategyTypes],
  ] as const) {
    const existing = await target.list<Named>(path, key);
    for (const item of items)
      await createOrChange(target, { kind, path, item, current: findByName(existing, item.name) });
  }
  await importFormerStrategies(target, documents.formerStrategyTypes ?? []);
  for (const { name, deprecated } of documents.strategyTypes) {
    if (!deprecated) continue;
    const path = `/api/admin/strategies/${encodeURIComponent(name)}/deprecate`;
    await target.send('deprecation of strategy', name, { method: 'POST', path, body: {} });
  }
  await importTags(target, documents.tags);
  const segments = await importSegments(target, documents.segments, locations);
  await importDefaultStrategies(target, documents.defaultStrategies, { segments, locations });
  for (const { id, lifetimeDays } of documents.featureTypes) {
    const path = `/api/admin/feature-types/${encodeURIComponent(id)}/lifetime`;
    await target.send('lifetime of flag type', id, { method: 'PUT', path, body: { lifetimeDays }, result: 'changed' });
  }
  const { frontendOrigins: frontendApiOrigins } = documents;
  if (frontendApiOrigins.length > 0) {
    const [kind, name] = ['frontend origins', frontendApiOrigins.join(', ')];
    const existing = await target.list<string>('/api/admin/ui-config', 'frontendApiOrigins');
    const cors = { method: 'POST', path: '/api/admin/ui-config/cors', body: { frontendApiOrigins } } as const;
    if (isDeepStrictEqual(existing, frontendApiOrigins)) target.note({ kind, name, result: 'as it is' });
    else await target.send(kind, name, { ...cors, result: 'changed' });
  }
  await importUsers(target, documents.users);
  return locations;
}

/** Imports one file of flags; `body` is its content. */
export async function importFlags(
  target: ImportTarget,
  { project: from, environment, flags }: FlagFile,
  { locations, body }: { readonly locations: TargetLocations; readonly body: object },
): Promise<void> {
  const [kind, name] = ['flags', `${flags} of ${from} in ${environment}`];
  const project = locations.projectFor(from);
  if (project === undefined) return target.note({ kind, name, result: 'refused', reason: noProject(from) });
  if (!locations.hasEnvironment(environment)) {
    return target.note({ kind, name, result: 'refused', reason: `there is no environment ${environment}` });
  }
  const result = (await hasAll(target, project, body)) ? 'changed' : 'made';
  const path = '/api/admin/features-batch/import';
  await target.send(kind, name, { method: 'POST', path, body: { ...body, project }, result });
}

/** Whether all flags of the file already exist in the project. If they do, the import only changes flags. */
async function hasAll(target: ImportTarget, project: string, body: object): Promise<boolean> {
  const { data } = body as { readonly data?: { readonly features?: readonly Named[] } };
  const path = `/api/admin/projects/${encodeURIComponent(project)}/features`;
  const existing = new Set((await target.list<Named>(path, 'features')).map(({ name }) => name));
  return (data?.features ?? []).every(({ name }) => existing.has(name));
}

/** Reasons for a 404: Unleash's open-source edition does not have the paths that create environments and projects. */
const NO_ENVIRONMENTS =
  'environments cannot be created there (Unleash’s open-source edition): its flags cannot be imported';
const NO_PROJECTS =
  'projects cannot be created there (Unleash’s open-source edition); --project default imports its flags into that project';

const NO_CHANGES = 'differs, and cannot be changed there (Unleash’s open-source edition)';

const noProject = (id: string) => `there is no project ${id}; specify another one with --project`;

async function importEnvironments(target: ImportTarget, environments: UnleashDocuments['environments']) {
  const path = '/api/admin/environments';
  const existing = await target.list<Named & { enabled: boolean; type: string }>(path, 'environments');
  for (const { protected: _fixed, ...item } of environments) {
    const current = findByName(existing, item.name);
    if (!current) {
      await target.send('environment', item.name, {
        method: 'POST',
        path,
        body: item,
        reasonWithoutPath: NO_ENVIRONMENTS,
      });
      continue;
    }
    if (current.type !== item.type) await changeEnvironment(target, item);
    else if (current.enabled === item.enabled)
      target.note({ kind: 'environment', name: item.name, result: 'as it is' });
    if (current.enabled !== item.enabled) {
      const switchPath = `${path}/${encodeURIComponent(item.name)}/${item.enabled ? 'on' : 'off'}`;
      await target.send('environment', item.name, { method: 'POST', path: switchPath, body: {}, result: 'changed' });
    }
  }
}

/** Sends the type and the sort order. A different sort order alone causes no request, because every Unleash uses its own numbers. */
async function changeEnvironment(
  target: ImportTarget,
  { name, type, sortOrder }: Omit<UnleashDocuments['environments'][number], 'protected'>,
) {
  const path = `/api/admin/environments/update/${encodeURIComponent(name)}`;
  const change = {
    method: 'PUT',
    path,
    body: { type, sortOrder },
    result: 'changed',
    reasonWithoutPath: NO_CHANGES,
  } as const;
  await target.send('environment', name, change);
}

async function importProjects(
  target: ImportTarget,
  projects: UnleashDocuments['projects'],
  fallbackProject: string | undefined,
) {
  const path = '/api/admin/projects';
  const existing = new Set((await target.list<{ id: string }>(path, 'projects')).map(({ id }) => id));
  for (const project of projects) {
    const { id } = project;
    // If its flags go to another project, this project need not be created.
    if (fallbackProject !== undefined && !existing.has(id)) continue;
    const creation = { method: 'POST', path, body: project, reasonWithoutPath: NO_PROJECTS } as const;
    if (!existing.has(id) && !(await target.send('project', id, creation))) continue;
    await importProjectEnvironments(target, project);
    if (existing.has(id)) await changeProject(target, project);
  }
}

async function importProjectEnvironments(
  target: ImportTarget,
  { id, environments }: UnleashDocuments['projects'][number],
) {
  const environmentsOfProject = await target.list<Named & { readonly visible?: boolean }>(
    `/api/admin/environments/project/${encodeURIComponent(id)}`,
    'environments',
  );
  const visible = new Set(environmentsOfProject.flatMap((each) => (each.visible ? each.name : [])));
  const path = `/api/admin/projects/${encodeURIComponent(id)}/environments`;
  for (const environment of environments) {
    if (visible.has(environment)) continue;
    const name = `${environment} of ${id}`;
    await target.send('environment of project', name, { method: 'POST', path, body: { environment } });
  }
}

/** Sends two requests: Unleash has a separate request for the project settings of its paid edition. */
async function changeProject(target: ImportTarget, project: UnleashDocuments['projects'][number]) {
  const { id, name, description, mode, defaultStickiness, featureLimit, featureNaming, linkTemplates } = project;
  const projectPath = `/api/admin/projects/${encodeURIComponent(id)}`;
  const current = await target.read(`${projectPath}/overview`);
  const details = nonEmptyFields({ name, description, defaultStickiness, featureLimit });
  const settings = nonEmptyFields({ mode, featureNaming, linkTemplates });
  const changes = [
    ['project', projectPath, details, { ...details, mode }],
    ['settings of project', `${projectPath}/settings`, settings, settings],
  ] as const;
  const differing = changes.filter(([, , wanted]) => !isUnchanged(current, wanted));
  for (const [kind, path, , body] of differing)
    await target.send(kind, id, { method: 'PUT', path, body, result: 'changed', reasonWithoutPath: NO_CHANGES });
  if (differing.length === 0) target.note({ kind: 'project', name: id, result: 'as it is' });
}

async function importContextFields(
  target: ImportTarget,
  fields: UnleashDocuments['contextFields'],
  locations: TargetLocations,
) {
  const path = '/api/admin/context';
  const existing = await target.list<Named>(`${path}?include=project`, null);
  for (const { project: from, ...item } of fields) {
    const project = from === undefined ? undefined : locations.projectFor(from);
    if (from !== undefined && project === undefined) {
      target.note({ kind: 'context field', name: item.name, result: 'refused', reason: noProject(from) });
      continue;
    }
    const listPath = project === undefined ? path : `/api/admin/projects/${encodeURIComponent(project)}/context`;
    await createOrChange(target, {
      kind: 'context field',
      path: listPath,
      item,
      current: findByName(existing, item.name),
    });
  }
}

/** Creates the strategies that the target does not have. Existing ones stay unchanged. */
async function importFormerStrategies(target: ImportTarget, types: UnleashDocuments['formerStrategyTypes']) {
  const path = '/api/admin/strategies';
  const existing = types.length > 0 ? await target.list<Named>(path, 'strategies') : [];
  for (const item of types) {
    const { name } = item;
    if (findByName(existing, name)) target.note({ kind: 'strategy', name, result: 'as it is' });
    else await target.send('strategy', name, { method: 'POST', path, body: withoutEmpty(item) });
  }
}

async function importTags(target: ImportTarget, tags: UnleashDocuments['tags']) {
  const existing = await target.list<{ type: string; value: string }>('/api/admin/tags', 'tags');
  for (const { type, value } of tags) {
    const isThere = existing.some((tag) => tag.type === type && tag.value === value);
    if (isThere) target.note({ kind: 'tag', name: `${type}:${value}`, result: 'as it is' });
    else
      await target.send('tag', `${type}:${value}`, { method: 'POST', path: '/api/admin/tags', body: { type, value } });
  }
}

type ListedSegment = Named & { readonly id: number };

/** Resolves with the ids of segments in the target, by name. */
async function importSegments(
  target: ImportTarget,
  segments: UnleashDocuments['segments'],
  locations: TargetLocations,
) {
  const path = '/api/admin/segments';
  const existing = await target.list<ListedSegment>(path, 'segments');
  for (const { project: from, ...rest } of segments) {
    const project = from === null ? null : locations.projectFor(from);
    if (project === undefined) {
      target.note({ kind: 'segment', name: rest.name, result: 'refused', reason: noProject(from ?? '') });
      continue;
    }
    const item = { ...rest, project };
    const current = findByName(existing, item.name);
    const itemPath = current && `${path}/${current.id}`;
    await createOrChange(target, { kind: 'segment', path, item, current, ...(itemPath && { itemPath }) });
  }
  const now = await target.list<ListedSegment>(path, 'segments');
  return new Map(now.map(({ name, id }) => [name, id]));
}

async function importDefaultStrategies(
  target: ImportTarget,
  strategies: UnleashDocuments['defaultStrategies'],
  {
    segments: segmentIds,
    locations,
  }: { readonly segments: ReadonlyMap<string, number>; readonly locations: TargetLocations },
) {
  for (const { project: from, environment, strategy } of strategies) {
    const project = locations.projectFor(from);
    // If the flags go to another project, that project keeps its own default strategies.
    if (project !== from) {
      const reason = `there is no project ${from}`;
      target.note({ kind: 'default strategy', name: `${from} in ${environment}`, result: 'refused', reason });
      continue;
    }
    const where = `/api/admin/projects/${encodeURIComponent(project)}/environments/${encodeURIComponent(environment)}`;
    const segments = strategy.segments.map((name) => segmentIds.get(name) ?? 0);
    const body = { ...strategy, segments };
    const change = { method: 'POST', path: `${where}/default-strategy`, body, result: 'changed' } as const;
    await target.send('default strategy', `${project} in ${environment}`, change);
  }
}

const ROOT_ROLES: Readonly<Record<string, number>> = { Admin: 1, Editor: 2, Viewer: 3 };

async function importUsers(target: ImportTarget, users: UnleashDocuments['users']) {
  const path = '/api/admin/user-admin';
  const existing = await target.list<{ email?: string | null; username?: string | null }>(path, 'users');
  for (const { name, email, username, rootRole } of users) {
    const label = email ?? username ?? '';
    const isThere = existing.some(
      (user) =>
        (email !== null && isSameName(user.email, email)) || (username !== null && isSameName(user.username, username)),
    );
    if (isThere) {
      target.note({ kind: 'user', name: label, result: 'as it is' });
      continue;
    }
    const nonNullFields = Object.entries({ name, email, username }).filter(([, value]) => value !== null);
    const body = { ...Object.fromEntries(nonNullFields), rootRole: ROOT_ROLES[rootRole], sendEmail: false };
    await target.send('user', label, { method: 'POST', path, body });
  }
}

const isSameName = (left: string | null | undefined, right: string) => left?.toLowerCase() === right.toLowerCase();

interface ItemImport {
  readonly kind: string;
  /** Path of the list. */
  readonly path: string;
  readonly item: Named;
  /** The target's object with this name. */
  readonly current: object | undefined;
  /** Path of the existing object; without it, the path of the list plus the name. */
  readonly itemPath?: string;
}

/** Creates the object, or changes the existing one with its name if it differs. */
async function createOrChange(
  target: ImportTarget,
  { kind, path, item: received, current, itemPath }: ItemImport,
): Promise<void> {
  const item = withoutEmpty(received);
  if (!current) {
    await target.send(kind, item.name, { method: 'POST', path, body: item });
    return;
  }
  if (isUnchanged(current, item)) {
    target.note({ kind, name: item.name, result: 'as it is' });
    return;
  }
  const change = { method: 'PUT', path: itemPath ?? `${path}/${encodeURIComponent(item.name)}`, body: item } as const;
  await target.send(kind, item.name, { ...change, result: 'changed' });
}

/** Empty values are not sent: Unleash refuses an empty colour. A project that is null means all projects. */
function withoutEmpty(item: Named): Named {
  const { project } = item as { readonly project?: unknown };
  return { ...nonEmptyFields(item), ...(project === null && { project }) } as Named;
}

/** The fields that are not empty. */
function nonEmptyFields(item: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(item).filter(([, value]) => value !== '' && value !== null && value !== undefined),
  );
}

function isUnchanged(existing: object, wanted: object): boolean {
  return Object.entries(wanted).every(([key, value]) => isSameValue((existing as Record<string, unknown>)[key], value));
}

/** Compares two values. Undefined, null and the empty text are equal. */
function isSameValue(existing: unknown, wanted: unknown): boolean {
  const plain = (value: unknown) => (value === undefined || value === '' ? null : value);
  return isDeepStrictEqual(plain(existing), plain(wanted)) || JSON.stringify(existing) === JSON.stringify(wanted);
}

function findByName<Item extends Named>(items: readonly Item[], name: string): Item | undefined {
  return items.find((item) => item.name === name);
}
