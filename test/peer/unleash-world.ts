import { asFirstAdmin, ask, isSince, query } from './unleash.ts';

export const PROJECTS = ['default', 'mobile', 'web'] as const;
/** The open-source edition of Unleash 6 creates tokens only for its two default environments. */
const OWN_ALONE = isSince(6) && !isSince(7);
export const ENVIRONMENTS: readonly string[] = OWN_ALONE
  ? ['development', 'production']
  : ['development', 'staging', 'production'];
export const FLAGS = 200;
/** Numbers of the archived flags. */
export const ARCHIVED = [190, 191, 193];
const SEGMENTS = 22;
/** Flags that are created concurrently. */
const AT_ONCE = 8;

export interface PeerToken {
  readonly secret: string;
  readonly type: string;
  readonly environment: string;
  readonly projects: readonly string[];
}

/** Users in addition to the first admin, with built-in roles. */
export const PEOPLE = [
  { name: 'Ann', email: 'ann@example.org', role: 'Admin' },
  { name: 'Ben', email: 'ben@example.org', role: 'Editor' },
  { name: 'Cleo', email: 'cleo@example.org', role: 'Viewer' },
] as const;

/** The users of the instance that are among PEOPLE, with their roles. */
export async function peopleOf(url: string, authorization: string) {
  const answer = await fetch(`${url}/api/admin/user-admin`, { headers: { authorization } });
  const { users, rootRoles } = (await answer.json()) as {
    users: { name: string; email: string; rootRole: number }[];
    rootRoles: { id: number; name: string }[];
  };
  const roleOf = (asked: number) => rootRoles.find(({ id }) => id === asked)?.name;
  return users
    .filter(({ email: of }) => PEOPLE.some(({ email }) => email === of))
    .map(({ name, email, rootRole }) => ({ name, email, role: roleOf(rootRole) }))
    .sort((left, right) => (left.email < right.email ? -1 : 1));
}

/** The tokens of an instance that `fillUnleash` has filled, now or before. */
export async function filledUnleash(): Promise<PeerToken[]> {
  const { tokens } = (await ask('GET', '/api-tokens')) as { tokens: PeerToken[] };
  const made = tokens.filter(({ environment }) => ENVIRONMENTS.includes(environment));
  return made.length > 0 ? made : await fillUnleash();
}

/** 3 projects, 3 environments, 22 segments, 200 flags, 12 tokens, 3 people. */
export async function fillUnleash(): Promise<PeerToken[]> {
  query(
    "insert into environments(name,type,sort_order) values ('staging','preproduction',50) on conflict do nothing;" +
      "insert into projects(id,name,description) values ('mobile','Mobile','Apps'),('web','Web',null) on conflict do nothing;" +
      'insert into project_environments(project_id,environment_name) select p.id, e.name from projects p, environments e ' +
      "where p.id in ('default','mobile','web') and e.name in ('development','staging','production') on conflict do nothing",
  );
  if (isSince(5, 7)) {
    query(
      "insert into project_settings(project,default_stickiness,feature_naming_pattern) values ('mobile','userId','mobile-.*') on conflict do nothing",
    );
  }
  await ask('POST', '/context', {
    name: 'plan',
    description: 'Paid',
    stickiness: true,
    legalValues: [{ value: 'gold' }, { value: 'silver' }, { value: 'none' }],
  });
  for (const name of ['version', 'email', 'age']) await ask('POST', '/context', { name });
  const colour = isSince(7) ? { color: '#102030' } : {};
  await ask('POST', '/tag-types', { name: 'team', description: 'Who', icon: 'T', ...colour });
  await ask('POST', '/strategies', {
    name: 'byShoeSize',
    description: 'Custom',
    parameters: [{ name: 'sizes', type: 'list', required: true }],
  });
  const segments: number[] = [];
  // The open-source edition had no segments before version 5.
  for (let index = 0; isSince(5) && index < SEGMENTS; index++) {
    const { id } = await ask('POST', '/segments', {
      name: `segment-${index}`,
      description: '',
      constraints: constraintsOf(index),
    });
    segments.push(id);
  }
  SAID.segments = segments.length;
  for (let start = 0; start < FLAGS; start += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => makeFlag(start + index, segments)));
  }
  for (let index = 3; isSince(5, 7) && index < FLAGS; index += 12) {
    const path = `/projects/${projectOf(index)}/features/${nameOf(index)}/dependencies`;
    await ask('POST', path, { feature: nameOf(index - 3), enabled: true });
  }
  for (const index of ARCHIVED) await ask('DELETE', `/projects/${projectOf(index)}/features/${nameOf(index)}`);
  if (isSince(8)) await importOddFlags();
  await makePeople();
  await makeSettings();
  return await makeTokens();
}

/** Flags that only an import can create: variants of environments, a dependency on such a variant, and unusual names and texts. */
export const ODD = { parent: "default-odd!v(a)'*~", child: 'default-odd-child', text: 'default-odd-text' } as const;

async function importOddFlags(): Promise<void> {
  const importAsAdmin = await asFirstAdmin();
  const names = Object.values(ODD);
  const variants = ['one', 'two'].map((name, index) => ({
    name,
    weight: 500,
    weightType: 'variable',
    stickiness: 'default',
    overrides: index === 0 ? [] : [{ contextName: 'userId', values: ['7', '9'] }],
  }));
  const rollout = { rollout: '50', stickiness: 'userId', groupId: 'övrigt' };
  const strategyOf = (featureName: string) =>
    featureName === ODD.text
      ? { name: 'flexibleRollout', featureName, parameters: rollout, constraints: [], segments: [] }
      : { name: 'default', featureName, parameters: {}, constraints: [], segments: [] };
  for (const environment of ['development', 'production']) {
    const data = {
      features: names.map((name) => ({ name, project: 'default', type: 'sunset' })),
      featureStrategies: names.map(strategyOf),
      featureEnvironments: names.map((featureName) => ({
        featureName,
        name: featureName,
        environment,
        enabled: true,
        variants: featureName === ODD.parent ? variants : [],
      })),
      dependencies: [{ feature: ODD.child, dependencies: [{ feature: ODD.parent, enabled: true, variants: ['two'] }] }],
      contextFields: [],
      featureTags: [],
      segments: [],
      tagTypes: [],
      links: [],
    };
    await importAsAdmin('POST', '/features-batch/import', { environment, project: 'default', data });
  }
  SAID.flags += names.length;
  query("insert into roles(name,description,type) values ('Auditor','Looks','root-custom') on conflict do nothing");
}

async function makePeople(): Promise<void> {
  const { rootRoles } = await ask('GET', '/user-admin');
  for (const { role, ...person } of PEOPLE) {
    const { id } = rootRoles.find(({ name }: { name: string }) => name === role);
    await ask('POST', '/user-admin', { ...person, rootRole: id, sendEmail: false });
  }
}

/** The counts of entities that this version of Unleash accepted: not every version supports all of them. */
export const SAID = { flags: FLAGS, segments: 0, lifetimes: 0, origins: 0, favorites: 0, integrations: 0 };

/** Settings of the whole instance, and favorites of its admin. */
async function makeSettings(): Promise<void> {
  const lifetime = ask('PUT', '/feature-types/experiment/lifetime', { lifetimeDays: 14 });
  SAID.lifetimes = await countIfThere(lifetime);
  SAID.origins = await countIfThere(
    ask('POST', '/ui-config/cors', { frontendApiOrigins: ['https://shop.example.org'] }),
  );
  // It is off: nothing is sent to the address. Unleash takes only public ones.
  const parameters = { url: 'https://1.1.1.1/flags', bodyTemplate: '{{event.type}}' };
  const integration = { provider: 'webhook', description: 'Calendar', enabled: false, events: ['feature-created'] };
  SAID.integrations = await countIfThere(ask('POST', '/addons', { ...integration, parameters }));
  const doAsAdmin = await asFirstAdmin();
  SAID.favorites += await countIfThere(doAsAdmin('POST', `/projects/default/features/${nameOf(0)}/favorites`));
  SAID.favorites += await countIfThere(doAsAdmin('POST', '/projects/default/favorites'));
}

async function countIfThere(asked: Promise<unknown>): Promise<number> {
  try {
    await asked;
    return 1;
  } catch (error) {
    // 401: in some versions the first admin can sign on only in a browser.
    if (/: (404|401) /.test(String(error))) return 0;
    throw error;
  }
}

const projectOf = (index: number) => PROJECTS[index % PROJECTS.length] as string;
export const nameOf = (index: number) => `${projectOf(index)}-flag-${index}`;

const CONSTRAINTS = [
  { contextName: 'plan', operator: 'IN', values: ['gold', 'silver'] },
  { contextName: 'userId', operator: 'NUM_GT', value: '500000' },
  { contextName: 'appName', operator: 'STR_CONTAINS', values: ['web'], caseInsensitive: true },
  { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2026-06-01T00:00:00.000Z', inverted: true },
  { contextName: 'version', operator: 'SEMVER_GT', value: '1.2.3' },
  { contextName: 'userId', operator: 'NOT_IN', values: ['1', '2', '3'] },
  { contextName: 'email', operator: 'STR_ENDS_WITH', values: ['@example.org'] },
  { contextName: 'age', operator: 'NUM_LTE', value: '30', inverted: true },
];

function constraintsOf(index: number): object[] {
  const [first, second] = [CONSTRAINTS[index % 8], CONSTRAINTS[(index * 3 + 1) % 8]];
  return index % 3 === 0 ? [first as object] : [first as object, second as object];
}

async function makeFlag(index: number, segments: readonly number[]): Promise<void> {
  const [project, name] = [projectOf(index), nameOf(index)];
  const path = `/projects/${project}/features`;
  const type = ['release', 'experiment', 'operational', 'kill-switch', 'permission'][index % 5];
  await ask('POST', path, { name, type, description: `Flag ${index}`, impressionData: index % 2 === 0 });
  for (const [position, environment] of ENVIRONMENTS.entries()) {
    for (let strategy = 0; strategy <= (index + position) % 3; strategy++) {
      await ask(
        'POST',
        `${path}/${name}/environments/${environment}/strategies`,
        strategyOf(name, index + strategy, segments),
      );
    }
    if ((index + position) % 4 !== 0) await ask('POST', `${path}/${name}/environments/${environment}/on`);
  }
  if (index % 10 === 0) await ask('POST', `/features/${name}/tags`, { type: 'team', value: `team-${index % 4}` });
  if (isSince(7) && index % 15 === 0)
    await ask('POST', `${path}/${name}/link`, { url: `https://example.org/${index}`, title: 'Ticket' });
}

function strategyOf(name: string, index: number, segments: readonly number[]): object {
  const kinds = [
    {
      name: 'flexibleRollout',
      parameters: { rollout: String((index * 7) % 101), stickiness: 'userId', groupId: name },
    },
    { name: 'default', parameters: {} },
    { name: 'remoteAddress', parameters: { IPs: '10.0.0.1,10.1.0.0/16' } },
    { name: 'flexibleRollout', parameters: { rollout: '60', stickiness: 'plan', groupId: 'shared' } },
    { name: 'byShoeSize', parameters: { sizes: '41,42' } },
  ];
  const variants = [
    { name: 'blue', weight: 250, weightType: 'fix', stickiness: 'userId', payload: { type: 'json', value: '{"a":1}' } },
    { name: 'red', weight: 375, weightType: 'variable', stickiness: 'userId', payload: { type: 'string', value: 'r' } },
    { name: 'green', weight: 375, weightType: 'variable', stickiness: 'userId' },
  ];
  const { name: kind, parameters } = kinds[index % 5] as { name: string; parameters: object };
  return {
    name: kind,
    // Most have no group, which SDKs hash differently (docs/decisions/evaluation-sdk-differences.md): a server answers like Unleash.
    parameters,
    constraints: index % 2 === 0 ? constraintsOf(index) : [],
    segments:
      index % 3 === 0 && segments.length > 0 ? [segments[index % SEGMENTS], segments[(index * 5 + 1) % SEGMENTS]] : [],
    ...(isSince(5) && { title: `Strategy ${index}`, disabled: index % 11 === 10 }),
    ...(isSince(5, 4) && { variants: index % 4 === 0 ? variants : [] }),
  };
}

async function makeTokens(): Promise<PeerToken[]> {
  const tokens: PeerToken[] = [];
  const make = async (type: string, environment: string, projects: readonly string[]) => {
    const tokenName = `${type}-${environment}-${tokens.length}`;
    const called = isSince(5) ? { tokenName } : { username: tokenName };
    const body = { ...called, type, environment, projects };
    tokens.push(await ask('POST', '/api-tokens', body));
  };
  for (const environment of ENVIRONMENTS) {
    await make('client', environment, ['*']);
    await make('client', environment, ['mobile', 'web']);
    await make('frontend', environment, ['default']);
  }
  await make(isSince(7) ? 'backend' : 'client', 'production', ['default']);
  await make('client', 'development', ['web']);
  await make('frontend', 'production', ['*']);
  return tokens;
}
