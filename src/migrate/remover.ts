import type { Holdings } from './holdings.ts';
import type { InstanceClient, Reply } from './instance-client.ts';
import { list, object, text, whole } from './loose-json.ts';
import type { Took } from './taker.ts';

/**
 * Removes here what was there when it was last looked and is not any more: tokens first, for a token that was taken back must not go on opening
 * anything; then flags, then segments. Projects, environments and the like are left to people.
 */
export async function removeGone(client: InstanceClient, before: Holdings, after: Holdings): Promise<Took[]> {
  const items: Took[] = [];
  const note = (kind: Took['kind'], name: string, { status, text: told }: Reply) => {
    if (status < 300 || status === 404) items.push({ kind, name, outcome: 'removed' });
    else items.push({ kind, name, outcome: 'refused', reason: text(object(parsed(told)).message) || String(status) });
  };
  const secrets = new Set(after.apiTokens.map(({ secret }) => secret));
  for (const { secret, tokenName, type, environment } of before.apiTokens) {
    if (secrets.has(secret)) continue;
    const reply = await client.ask('DELETE', `/api/admin/api-tokens/${encodeURIComponent(secret)}`);
    note('apiTokens', `${tokenName} (${type}, ${environment})`, reply);
  }
  const flags = new Set(after.features.map(({ name }) => name));
  // Those that depend on others first: a parent is not archived before its children.
  const gone = before.features.filter(({ name }) => !flags.has(name));
  for (const { name, project } of gone.sort((left, right) => right.dependencies.length - left.dependencies.length)) {
    const at = encodeURIComponent(name);
    await client.ask('DELETE', `/api/admin/projects/${encodeURIComponent(project)}/features/${at}`);
    note('features', name, await client.ask('DELETE', `/api/admin/archive/${at}`));
  }
  const segments = new Set(after.segments.map(({ name }) => name));
  const dropped = before.segments.filter(({ name }) => !segments.has(name));
  if (dropped.length === 0) return items;
  const here = list(object(await client.get('/api/admin/segments')).segments);
  for (const { name } of dropped) {
    const found = here.find((each) => each.name === name);
    if (found) note('segments', name, await client.ask('DELETE', `/api/admin/segments/${whole(found.id, 0)}`));
  }
  return items;
}

function parsed(told: string): unknown {
  try {
    return JSON.parse(told);
  } catch {
    return undefined;
  }
}
