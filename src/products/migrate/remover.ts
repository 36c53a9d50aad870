import type { Holdings } from './holdings.ts';
import type { MigratedItem } from './importer.ts';
import type { InstanceClient, Reply } from './instance-client.ts';
import { integer, list, object, reasonOf } from './loose-json.ts';

/**
 * The limit for removals of one kind in one round: this number or this share, whichever is larger. If more objects are missing in the source, the
 * token may have lost permissions, so nothing is removed.
 */
const REMOVALS_MAX = 10;
const REMOVALS_SHARE_MAX = 0.2;

const UNCERTAIN =
  'the source no longer shows this and many other objects: perhaps its token lost permissions. ' +
  'If it was deleted in the source, delete it in this service';

/** The source, in which objects were deleted, and the target, from which these objects are removed. */
interface Instances {
  readonly source: InstanceClient;
  readonly target: InstanceClient;
}

/** The kinds of objects that are removed. */
export type Removable = Pick<Holdings, 'apiTokens' | 'features' | 'segments' | 'banners'>;

/** The results of the removals. `remaining` contains the objects whose removal was refused: the next round tries to remove them again. */
interface Removal {
  readonly items: MigratedItem[];
  readonly remaining: Removable;
}

type RemovalRun = Instances & Removal;

function newRun(instances: Instances): RemovalRun {
  return { ...instances, items: [], remaining: { apiTokens: [], features: [], segments: [], banners: [] } };
}

/**
 * Removes tokens that the source had when it was last read and no longer has. Call it before the import, because a revoked token must stop working
 * soon.
 */
export async function removeDeletedTokens(instances: Instances, before: Holdings, after: Holdings): Promise<Removal> {
  const run = newRun(instances);
  const secrets = new Set(after.apiTokens.map(({ secret }) => secret));
  const deleted = before.apiTokens.filter(({ secret }) => !secrets.has(secret));
  for (const token of deleted) {
    const { secret, tokenName, type, environment } = token;
    const name = `${tokenName} (${type}, ${environment})`;
    const path = `/api/admin/api-tokens/${encodeURIComponent(secret)}`;
    if (isImplausible(deleted, before.apiTokens)) refuseAsUncertain(run, 'apiTokens', name);
    else if (!(await remove(run, 'apiTokens', name, path))) run.remaining.apiTokens.push(token);
  }
  return run;
}

/**
 * Same as `removeDeletedTokens`, for flags, then segments, then banners. Call it after the import, so that no imported object depends on a removed
 * one. It does not remove objects of other kinds, such as projects. Objects that may still exist in the source stay: a removal cannot be undone.
 */
export async function removeDeleted(instances: Instances, before: Holdings, after: Holdings): Promise<Removal> {
  const run = newRun(instances);
  await removeFlags(run, before, after);
  await removeSegments(run, before, after);
  await removeBanners(run, before, after);
  return run;
}

/** Removes flags, children first, because a parent cannot be archived before its children. */
async function removeFlags(run: RemovalRun, before: Holdings, after: Holdings): Promise<void> {
  const flags = new Set(after.features.map(({ name }) => name));
  const deleted = before.features.filter(({ name }) => !flags.has(name));
  const isArchiveReadable = !before.features.some(isArchived) || after.features.some(isArchived);
  const isUncertain = isImplausible(deleted, before.features) || !isArchiveReadable;
  for (const feature of deleted.sort((left, right) => parentsOf(right) - parentsOf(left))) {
    const { name } = feature;
    const path = pathOfFlag(feature);
    // The flag itself is requested: a list may leave out flags that still exist.
    if (isUncertain || (await run.source.ask('GET', path)).status !== 404) refuseAsUncertain(run, 'features', name);
    else if (!(await removeFlag(run, feature))) run.remaining.features.push(feature);
  }
}

function parentsOf({ dependencies }: Holdings['features'][number]): number {
  return dependencies?.length ?? 0;
}

function pathOfFlag({ project, name }: Holdings['features'][number]): string {
  return `/api/admin/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
}

/** Archives a flag, then deletes it: deleting a flag that is not archived returns 200 and does nothing. Resolves with false if the flag stays. */
async function removeFlag(run: RemovalRun, feature: Holdings['features'][number]): Promise<boolean> {
  const { name } = feature;
  const archived = await run.target.ask('DELETE', pathOfFlag(feature));
  if (archived.status < 300 || archived.status === 404) {
    return await remove(run, 'features', name, `/api/admin/archive/${encodeURIComponent(name)}`);
  }
  refuse(run, 'features', name, archived);
  return false;
}

async function removeSegments(run: RemovalRun, before: Holdings, after: Holdings): Promise<void> {
  const segments = new Set(after.segments.map(({ name }) => name));
  const deleted = before.segments.filter(({ name }) => !segments.has(name));
  if (deleted.length === 0) return;
  const here = list(object(await run.target.get('/api/admin/segments')).segments);
  for (const segment of deleted) {
    const { name } = segment;
    const found = here.find((each) => each.name === name);
    const path = `/api/admin/segments/${integer(found?.id, 0)}`;
    if (isImplausible(deleted, before.segments)) refuseAsUncertain(run, 'segments', name);
    else if (found && !(await remove(run, 'segments', name, path))) run.remaining.segments.push(segment);
  }
}

/** Removes banners. They are matched by message: if the message was changed in the source, the banner with the old message is removed here. */
async function removeBanners(run: RemovalRun, before: Holdings, after: Holdings): Promise<void> {
  const banners = new Set(after.banners.map(bannerKey));
  const deleted = before.banners.filter((banner) => !banners.has(bannerKey(banner)));
  if (deleted.length === 0) return;
  const here = list(object(await run.target.get('/api/admin/banners')).banners);
  for (const banner of deleted) {
    const { message } = banner;
    const found = here.find((each) => bannerKey(each) === bannerKey(banner));
    const path = `/api/admin/banners/${integer(found?.id, 0)}`;
    if (isImplausible(deleted, before.banners)) refuseAsUncertain(run, 'banners', message);
    else if (found && !(await remove(run, 'banners', message, path))) run.remaining.banners.push(banner);
  }
}

function bannerKey({ message, createdAt }: { readonly message?: unknown; readonly createdAt?: unknown }): string {
  return JSON.stringify([message, createdAt]);
}

function refuseAsUncertain({ items }: RemovalRun, kind: keyof Removable, name: string): void {
  items.push({ kind, name, outcome: 'refused', reason: UNCERTAIN });
}

function refuse({ items }: RemovalRun, kind: keyof Removable, name: string, reply: Reply): void {
  items.push({
    kind,
    name,
    outcome: 'refused',
    reason: `it was deleted in the source, but this service refused to delete it: ${reasonOf(reply)}`,
  });
}

/** Removes one object. Resolves with false if the removal is refused. */
async function remove(run: RemovalRun, kind: keyof Removable, name: string, path: string): Promise<boolean> {
  const reply = await run.target.ask('DELETE', path);
  const isRemoved = reply.status < 300 || reply.status === 404;
  if (isRemoved) run.items.push({ kind, name, outcome: 'removed' });
  else refuse(run, kind, name, reply);
  return isRemoved;
}

/** Whether so many objects are missing that they were probably not deleted, but are hidden from the token. */
function isImplausible(deleted: readonly unknown[], before: readonly unknown[]): boolean {
  const isMost = deleted.length > Math.max(REMOVALS_MAX, before.length * REMOVALS_SHARE_MAX);
  return isMost || (deleted.length > 1 && deleted.length === before.length);
}

function isArchived({ archivedAt }: Holdings['features'][number]): boolean {
  return typeof archivedAt === 'string';
}
