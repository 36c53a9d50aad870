import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { list, object, text } from './loose-json.ts';

/**
 * Removes projects, environments and tokens that already exist here from the data. Existing projects and environments stay unchanged, because
 * files contain only their names, but an existing project gets its missing environments.
 * @returns the other data, which must be imported
 */
export async function withoutWhatIsHere(client: InstanceClient, holdings: Holdings): Promise<Holdings> {
  const here = list(object(await client.get('/api/admin/environments')).environments).map(({ name }) => text(name));
  const environments = holdings.environments.filter(({ name }) => !here.includes(name));
  const known = new Set(list(object(await client.get('/api/admin/projects')).projects).map(({ id }) => text(id)));
  const projects: Holdings['projects'] = [];
  for (const project of holdings.projects) {
    if (!known.has(project.id)) projects.push(project);
    else await addEnvironments(client, project, environments);
  }
  return { ...holdings, environments, projects, apiTokens: await missingTokens(client, holdings) };
}

/** The tokens that do not exist here. Existing tokens keep their names, because files contain only the secrets of tokens. */
async function missingTokens(client: InstanceClient, { apiTokens }: Holdings): Promise<Holdings['apiTokens']> {
  if (apiTokens.length === 0) return apiTokens;
  const here = new Set(
    list(object(await client.get('/api/admin/api-tokens')).tokens).map(({ secret }) => text(secret)),
  );
  return apiTokens.filter(({ secret }) => !here.has(secret));
}

async function addEnvironments(
  client: InstanceClient,
  { id, environments }: Holdings['projects'][number],
  missing: Holdings['environments'],
): Promise<void> {
  const path = `/api/admin/projects/${encodeURIComponent(id)}`;
  const sent = list(object(await client.get(`${path}/overview`)).environments);
  const has = new Set(sent.map(({ environment, name }) => text(environment) || text(name)));
  for (const environment of environments.filter((name) => !has.has(name))) {
    const made = missing.find(({ name }) => name === environment);
    if (made) await client.post('/api/admin/take-over', { environments: [made] });
    await client.post(`${path}/environments`, { environment });
  }
}
