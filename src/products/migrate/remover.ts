import type { Holdings } from './holdings.ts';
import type { InstanceClient, Reply } from './instance-client.ts';
import { list, object, reasonOf, whole } from './loose-json.ts';
import type { Took } from './taker.ts';

/** The limit for removals of one kind in one round: this number or this share, whichever is larger. Above it, the token may have lost permissions. */
const BELIEVED = 10;
const BELIEVED_SHARE = 0.2;

const DOUBTED =
  'it is no longer shown there, like most others: the token for the source may have lost permissions. If it was deleted there, remove it here';

/** The source, in which objects were deleted, and the target, from which they are removed. */
interface Between {
  readonly source: InstanceClient;
  readonly target: InstanceClient;
}

/** The kinds of objects that are removed. */
export type Removable = Pick<Holdings, 'apiTokens' | 'features' | 'segments' | 'banners'>;

/** The results of the removals. `left` contains the objects whose removal was refused: the next round tries to remove them again. */
interface Removal {
  readonly items: Took[];
  readonly left: Removable;
}

type Removing = Between & Removal;

function begin(between: Between): Removing {
  return { ...between, items: [], left: { apiTokens: [], features: [], segments: [], banners: [] } };
}

/**
 * Removes tokens that the source had at the last check and no longer has. It runs before the import, because a revoked token must
 * not keep working.
 */
export async function removeGoneTokens(between: Between, before: Holdings, after: Holdings): Promise<Removal> {
  const removing = begin(between);
  const secrets = new Set(after.apiTokens.map(({ secret }) => secret));
  const gone = before.apiTokens.filter(({ secret }) => !secrets.has(secret));
  for (const token of gone) {
    const { secret, tokenName, type, environment } = token;
    const name = `${tokenName} (${type}, ${environment})`;
    const path = `/api/admin/api-tokens/${encodeURIComponent(secret)}`;
    if (isTooMuch(gone, before.apiTokens)) doubt(removing, 'apiTokens', name);
    else if (!(await remove(removing, 'apiTokens', name, path))) removing.left.apiTokens.push(token);
  }
  return removing;
}

/**
 * Same as `removeGoneTokens`, for flags, then segments, then banners. It runs after the import, so that no other object depends on them. It does not
 * remove projects, environments and similar objects. Objects that may still exist in the source stay, because a removal cannot be undone.
 */
export async function removeGone(between: Between, before: Holdings, after: Holdings): Promise<Removal> {
  const removing = begin(between);
  await removeFlags(removing, before, after);
  await removeSegments(removing, before, after);
  await removeBanners(removing, before, after);
  return removing;
}

/** Removes flags, children first, because a parent cannot be archived before its children. */
async function removeFlags(removing: Removing, before: Holdings, after: Holdings): Promise<void> {
  const flags = new Set(after.features.map(({ name }) => name));
  const gone = before.features.filter(({ name }) => !flags.has(name));
  const isArchiveSeen = !before.features.some(isArchived) || after.features.some(isArchived);
  const isDoubted = isTooMuch(gone, before.features) || !isArchiveSeen;
  for (const feature of gone.sort((left, right) => parentsOf(right) - parentsOf(left))) {
    const { name } = feature;
    const path = pathOfFlag(feature);
    if (isDoubted || (await removing.source.ask('GET', path)).status !== 404) doubt(removing, 'features', name);
    else if (!(await removeFlag(removing, feature))) removing.left.features.push(feature);
  }
}

function parentsOf({ dependencies }: Holdings['features'][number]): number {
  return dependencies?.length ?? 0;
}

function pathOfFlag({ project, name }: Holdings['features'][number]): string {
  return `/api/admin/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
}

/** Archives a flag, then deletes it: deleting a flag that is not archived returns 200 and does nothing. Resolves with false if the flag stays. */
async function removeFlag(removing: Removing, feature: Holdings['features'][number]): Promise<boolean> {
  const { name } = feature;
  const archived = await removing.target.ask('DELETE', pathOfFlag(feature));
  if (archived.status < 300 || archived.status === 404) {
    return await remove(removing, 'features', name, `/api/admin/archive/${encodeURIComponent(name)}`);
  }
  refuse(removing, 'features', name, archived);
  return false;
}

async function removeSegments(removing: Removing, before: Holdings, after: Holdings): Promise<void> {
  const segments = new Set(after.segments.map(({ name }) => name));
  const gone = before.segments.filter(({ name }) => !segments.has(name));
  if (gone.length === 0) return;
  const here = list(object(await removing.target.get('/api/admin/segments')).segments);
  for (const segment of gone) {
    const { name } = segment;
    const found = here.find((each) => each.name === name);
    const path = `/api/admin/segments/${whole(found?.id, 0)}`;
    if (isTooMuch(gone, before.segments)) doubt(removing, 'segments', name);
    else if (found && !(await remove(removing, 'segments', name, path))) removing.left.segments.push(segment);
  }
}

/** Removes banners. They are matched by message: if the message was changed in the source, the banner with the old message is removed here. */
async function removeBanners(removing: Removing, before: Holdings, after: Holdings): Promise<void> {
  const banners = new Set(after.banners.map(bannerKey));
  const gone = before.banners.filter((banner) => !banners.has(bannerKey(banner)));
  if (gone.length === 0) return;
  const here = list(object(await removing.target.get('/api/admin/banners')).banners);
  for (const banner of gone) {
    const { message } = banner;
    const found = here.find((each) => bannerKey(each) === bannerKey(banner));
    const path = `/api/admin/banners/${whole(found?.id, 0)}`;
    if (isTooMuch(gone, before.banners)) doubt(removing, 'banners', message);
    else if (found && !(await remove(removing, 'banners', message, path))) removing.left.banners.push(banner);
  }
}

function bannerKey({ message, createdAt }: { readonly message?: unknown; readonly createdAt?: unknown }): string {
  return JSON.stringify([message, createdAt]);
}

function doubt({ items }: Removing, kind: keyof Removable, name: string): void {
  items.push({ kind, name, outcome: 'refused', reason: DOUBTED });
}

function refuse({ items }: Removing, kind: keyof Removable, name: string, reply: Reply): void {
  items.push({ kind, name, outcome: 'refused', reason: `it was deleted there, and stays here: ${reasonOf(reply)}` });
}

/** Removes one object. Resolves with false if the removal is refused. */
async function remove(removing: Removing, kind: keyof Removable, name: string, path: string): Promise<boolean> {
  const reply = await removing.target.ask('DELETE', path);
  const isGone = reply.status < 300 || reply.status === 404;
  if (isGone) removing.items.push({ kind, name, outcome: 'removed' });
  else refuse(removing, kind, name, reply);
  return isGone;
}

function isTooMuch(gone: readonly unknown[], before: readonly unknown[]): boolean {
  const isMost = gone.length > Math.max(BELIEVED, before.length * BELIEVED_SHARE);
  return isMost || (gone.length > 1 && gone.length === before.length);
}

function isArchived({ archivedAt }: Holdings['features'][number]): boolean {
  return typeof archivedAt === 'string';
}
