import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { list, object, text } from './loose-json.ts';

/**
 * Returns the data without the projects, environments and tokens that the target already has: they do not change, because files contain only their
 * names. One exception: sends requests that add the environments of the files to projects of the target that do not have them.
 */
export async function withoutExisting(client: InstanceClient, holdings: Holdings): Promise<Holdings> {
  const existing = list(object(await client.get('/api/admin/environments')).environments).map(({ name }) => text(name));
  const environments = holdings.environments.filter(({ name }) => !existing.includes(name));
  const existingIds = new Set(list(object(await client.get('/api/admin/projects')).projects).map(({ id }) => text(id)));
  const projects: Holdings['projects'] = [];
  for (const project of holdings.projects) {
    if (!existingIds.has(project.id)) projects.push(project);
    else await addEnvironments(client, project, environments);
  }
  return { ...holdings, environments, projects, apiTokens: await missingTokens(client, holdings) };
}

/** The tokens that the target does not have. Existing tokens keep their names, because files contain only the secrets of tokens. */
async function missingTokens(client: InstanceClient, { apiTokens }: Holdings): Promise<Holdings['apiTokens']> {
  if (apiTokens.length === 0) return apiTokens;
  const existing = new Set(
    list(object(await client.get('/api/admin/api-tokens')).tokens).map(({ secret }) => text(secret)),
  );
  return apiTokens.filter(({ secret }) => !existing.has(secret));
}

async function addEnvironments(
  client: InstanceClient,
  { id, environments }: Holdings['projects'][number],
  newEnvironments: Holdings['environments'],
): Promise<void> {
  const path = `/api/admin/projects/${encodeURIComponent(id)}`;
  const current = list(object(await client.get(`${path}/overview`)).environments);
  const currentNames = new Set(current.map(({ environment, name }) => text(environment) || text(name)));
  for (const environment of environments.filter((name) => !currentNames.has(name))) {
    const newEnvironment = newEnvironments.find(({ name }) => name === environment);
    if (newEnvironment) await client.post('/api/admin/take-over', { environments: [newEnvironment] });
    await client.post(`${path}/environments`, { environment });
  }
}
