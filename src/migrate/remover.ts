import type { Holdings } from './holdings.ts';
import type { InstanceClient, Reply } from './instance-client.ts';
import { list, object, text, whole } from './loose-json.ts';
import type { Took } from './taker.ts';

/** Of one kind, as many are believed to be gone at once, or a fifth of them: beyond it, whoever reads may see less there than before. */
const BELIEVED = 10;
const BELIEVED_SHARE = 0.2;

const DOUBTED =
  'it is not told there any more, and neither are most others: somebody may have taken rights from the token that reads there. If it is gone, remove it here';

/**
 * Removes here what was there when it was last looked and is not any more: tokens first, for a token that was taken back must not go on opening
 * anything; then flags, then segments. Projects, environments and the like are left to people. What the source only does not show stays: what is
 * removed here does not come back.
 */
export async function removeGone(
  { source, target: client }: { readonly source: InstanceClient; readonly target: InstanceClient },
  before: Holdings,
  after: Holdings,
): Promise<Took[]> {
  const items: Took[] = [];
  const doubt = (kind: Took['kind'], name: string) => items.push({ kind, name, outcome: 'refused', reason: DOUBTED });
  const note = (kind: Took['kind'], name: string, { status, text: told }: Reply) => {
    if (status < 300 || status === 404) items.push({ kind, name, outcome: 'removed' });
    else items.push({ kind, name, outcome: 'refused', reason: text(object(parsed(told)).message) || String(status) });
  };
  const secrets = new Set(after.apiTokens.map(({ secret }) => secret));
  const lapsed = before.apiTokens.filter(({ secret }) => !secrets.has(secret));
  for (const { secret, tokenName, type, environment } of lapsed) {
    const name = `${tokenName} (${type}, ${environment})`;
    if (isTooMuch(lapsed, before.apiTokens)) doubt('apiTokens', name);
    else note('apiTokens', name, await client.ask('DELETE', `/api/admin/api-tokens/${encodeURIComponent(secret)}`));
  }
  const flags = new Set(after.features.map(({ name }) => name));
  // Those that depend on others first: a parent is not archived before its children.
  const gone = before.features.filter(({ name }) => !flags.has(name));
  const isArchiveSeen = !before.features.some(isArchived) || after.features.some(isArchived);
  const isDoubted = isTooMuch(gone, before.features) || !isArchiveSeen;
  for (const { name, project } of gone.sort((left, right) => right.dependencies.length - left.dependencies.length)) {
    const at = encodeURIComponent(name);
    const there = `/api/admin/projects/${encodeURIComponent(project)}/features/${at}`;
    if (isDoubted || (await source.ask('GET', there)).status !== 404) {
      doubt('features', name);
      continue;
    }
    await client.ask('DELETE', `/api/admin/projects/${encodeURIComponent(project)}/features/${at}`);
    note('features', name, await client.ask('DELETE', `/api/admin/archive/${at}`));
  }
  const segments = new Set(after.segments.map(({ name }) => name));
  const dropped = before.segments.filter(({ name }) => !segments.has(name));
  if (dropped.length === 0) return items;
  const here = list(object(await client.get('/api/admin/segments')).segments);
  for (const { name } of dropped) {
    const found = here.find((each) => each.name === name);
    if (isTooMuch(dropped, before.segments)) doubt('segments', name);
    else if (found) note('segments', name, await client.ask('DELETE', `/api/admin/segments/${whole(found.id, 0)}`));
  }
  return items;
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
