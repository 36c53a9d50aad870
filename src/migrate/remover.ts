import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { list, object, text, whole } from './loose-json.ts';
import type { Took } from './taker.ts';

/** Of one kind, as many are believed to be gone at once, or a fifth of them: beyond it, whoever reads may see less there than before. */
const BELIEVED = 10;
const BELIEVED_SHARE = 0.2;

const DOUBTED =
  'it is not told there any more, and neither are most others: somebody may have taken rights from the token that reads there. If it is gone, remove it here';

/** Where it is looked whether something is gone, where it is removed then, and what came of it. */
interface Removal {
  readonly source: InstanceClient;
  readonly target: InstanceClient;
  readonly items: Took[];
}

/**
 * Removes here what was there when it was last looked and is not any more: tokens first, for a token that was taken back must not go on opening
 * anything; then flags, then segments, then banners. Projects, environments and the like are left to people. What the source only does not show stays:
 * what is removed here does not come back.
 */
export async function removeGone(
  between: Pick<Removal, 'source' | 'target'>,
  before: Holdings,
  after: Holdings,
): Promise<Took[]> {
  const removal: Removal = { ...between, items: [] };
  await removeTokens(removal, before, after);
  await removeFlags(removal, before, after);
  await removeSegments(removal, before, after);
  await removeBanners(removal, before, after);
  return removal.items;
}

async function removeTokens(removal: Removal, before: Holdings, after: Holdings): Promise<void> {
  const secrets = new Set(after.apiTokens.map(({ secret }) => secret));
  const gone = before.apiTokens.filter(({ secret }) => !secrets.has(secret));
  for (const { secret, tokenName, type, environment } of gone) {
    const name = `${tokenName} (${type}, ${environment})`;
    if (isTooMuch(gone, before.apiTokens)) doubt(removal, 'apiTokens', name);
    else await remove(removal, 'apiTokens', name, `/api/admin/api-tokens/${encodeURIComponent(secret)}`);
  }
}

/** Those that depend on others first: a parent is not archived before its children. */
async function removeFlags(removal: Removal, before: Holdings, after: Holdings): Promise<void> {
  const flags = new Set(after.features.map(({ name }) => name));
  const gone = before.features.filter(({ name }) => !flags.has(name));
  const isArchiveSeen = !before.features.some(isArchived) || after.features.some(isArchived);
  const isDoubted = isTooMuch(gone, before.features) || !isArchiveSeen;
  for (const { name, project } of gone.sort((left, right) => right.dependencies.length - left.dependencies.length)) {
    const at = encodeURIComponent(name);
    const path = `/api/admin/projects/${encodeURIComponent(project)}/features/${at}`;
    if (isDoubted || (await removal.source.ask('GET', path)).status !== 404) {
      doubt(removal, 'features', name);
      continue;
    }
    await removal.target.ask('DELETE', path);
    await remove(removal, 'features', name, `/api/admin/archive/${at}`);
  }
}

async function removeSegments(removal: Removal, before: Holdings, after: Holdings): Promise<void> {
  const segments = new Set(after.segments.map(({ name }) => name));
  const gone = before.segments.filter(({ name }) => !segments.has(name));
  if (gone.length === 0) return;
  const here = list(object(await removal.target.get('/api/admin/segments')).segments);
  for (const { name } of gone) {
    const found = here.find((each) => each.name === name);
    if (isTooMuch(gone, before.segments)) doubt(removal, 'segments', name);
    else if (found) await remove(removal, 'segments', name, `/api/admin/segments/${whole(found.id, 0)}`);
  }
}

/** One whose message was changed there is another one here: the old one goes. */
async function removeBanners(removal: Removal, before: Holdings, after: Holdings): Promise<void> {
  const banners = new Set(after.banners.map(bannerKey));
  const gone = before.banners.filter((banner) => !banners.has(bannerKey(banner)));
  if (gone.length === 0) return;
  const here = list(object(await removal.target.get('/api/admin/banners')).banners);
  for (const banner of gone) {
    const found = here.find((each) => bannerKey(each) === bannerKey(banner));
    if (isTooMuch(gone, before.banners)) doubt(removal, 'banners', banner.message);
    else if (found) await remove(removal, 'banners', banner.message, `/api/admin/banners/${whole(found.id, 0)}`);
  }
}

function bannerKey({ message, createdAt }: { readonly message?: unknown; readonly createdAt?: unknown }): string {
  return JSON.stringify([message, createdAt]);
}

function doubt({ items }: Removal, kind: Took['kind'], name: string): void {
  items.push({ kind, name, outcome: 'refused', reason: DOUBTED });
}

async function remove({ target, items }: Removal, kind: Took['kind'], name: string, path: string): Promise<void> {
  const { status, text: told } = await target.ask('DELETE', path);
  if (status < 300 || status === 404) items.push({ kind, name, outcome: 'removed' });
  else items.push({ kind, name, outcome: 'refused', reason: text(object(parsed(told)).message) || String(status) });
}

function isTooMuch(gone: readonly unknown[], before: readonly unknown[]): boolean {
  const isMost = gone.length > Math.max(BELIEVED, before.length * BELIEVED_SHARE);
  return isMost || (gone.length > 1 && gone.length === before.length);
}

function isArchived({ archivedAt }: Holdings['features'][number]): boolean {
  return archivedAt !== null;
}

function parsed(told: string): unknown {
  try {
    return JSON.parse(told);
  } catch {
    return undefined;
  }
}
