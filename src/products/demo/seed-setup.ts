import { ROLE_ID } from '../../model/role.ts';
import { Person } from './person.ts';

/** The first admin of the demo. The service creates this user at its start. */
export const ADMIN = 'ada';

/** The other people, with their role in the whole instance. */
const PEOPLE = [
  ['ben', 'Ben Okafor', ROLE_ID.editor],
  ['chloe', 'Chloe Martin', ROLE_ID.editor],
  ['dmitri', 'Dmitri Ivanov', ROLE_ID.editor],
  ['elin', 'Elin Berg', ROLE_ID.editor],
  ['vera', 'Vera Silva', ROLE_ID.viewer],
] as const;

export type Name = typeof ADMIN | (typeof PEOPLE)[number][0];
export type People = Readonly<Record<Name, Person>>;

/** Signs on the admin, and creates and signs on the others. All have the same password. */
export async function seedPeople(url: string, password: string, afterChange: () => void): Promise<People> {
  const ada = await Person.signOn(url, ADMIN, password, afterChange);
  await ada.send('PUT', `/user-admin/${ada.id}`, { name: 'Ada Novak', email: 'ada@example.com' });
  for (const [username, name, rootRole] of PEOPLE)
    await ada.send('POST', '/user-admin', {
      username,
      name,
      rootRole,
      password,
      email: `${username}@example.com`,
      sendEmail: false,
    });
  const others = PEOPLE.map(
    async ([username]) => [username, await Person.signOn(url, username, password, afterChange)] as const,
  );
  return Object.fromEntries([[ADMIN, ada], ...(await Promise.all(others))]) as People;
}

const COUNTRIES = ['NO', 'SE', 'DK', 'FI', 'DE', 'FR', 'GB', 'US'];
const PLANS = ['free', 'pro', 'enterprise'];

const PROJECTS = [
  ['shop', 'Shop', 'Basket, checkout and payment of the web shop.'],
  ['search', 'Search', 'How customers find products.'],
  ['mobile', 'Mobile apps', 'The apps for iOS and Android.'],
  ['platform', 'Platform', 'Switches for those who operate the services.'],
] as const;

/** Segment name → id. */
export type Segments = Readonly<Record<'nordics' | 'staff' | 'enterprise' | 'newApps', number>>;

/** Environments, context fields, kinds of tags, projects, groups and segments. */
export async function seedSetup({ ada, ben, chloe, dmitri, elin }: People): Promise<Segments> {
  await ada.send('POST', '/environments', { name: 'staging', type: 'preproduction', sortOrder: 150 });
  const values = (texts: readonly string[]) => texts.map((value) => ({ value }));
  for (const [name, description, legalValues] of [
    ['country', 'Where the customer lives', COUNTRIES],
    ['plan', 'What the customer pays for', PLANS],
    ['appVersion', 'The version of the app', []],
    ['email', 'The address of the customer', []],
  ] as const)
    await ada.send('POST', '/context', {
      name,
      description,
      stickiness: name === 'country',
      legalValues: values(legalValues),
    });
  await ada.send('POST', '/tag-types', { name: 'team', description: 'Who owns the flag' });
  await ada.send('POST', '/tag-types', { name: 'ticket', description: 'The issue that asks for the flag' });
  const environments = ['development', 'staging', 'production'];
  for (const [id, name, description] of PROJECTS)
    await ada.send('POST', '/projects', { id, name, description, environments });
  const group = async (name: string, description: string, members: readonly Person[]): Promise<number> => {
    const users = members.map(({ id }) => ({ user: { id } }));
    return (await ada.send('POST', '/groups', { name, description, users })).id;
  };
  const access = (project: string, role: number, id: number) =>
    ada.send('POST', `/projects/${project}/access`, { roles: [role], groups: [id], users: [] });
  const engineers = await group('Engineers', 'All who write code', [ben, chloe, dmitri, elin]);
  for (const [id] of PROJECTS) await access(id, ROLE_ID.member, engineers);
  await access('shop', ROLE_ID.owner, await group('Checkout team', 'Owns basket, checkout and payment', [ben, chloe]));
  await access('search', ROLE_ID.owner, await group('Search team', 'Owns search and recommendations', [dmitri, elin]));
  const segment = async (name: string, description: string, constraints: readonly object[]): Promise<number> =>
    (await ada.send('POST', '/segments', { name, description, constraints })).id;
  return {
    nordics: await segment('nordics', 'Customers in the Nordic countries', [
      { contextName: 'country', operator: 'IN', values: ['NO', 'SE', 'DK', 'FI'] },
    ]),
    staff: await segment('staff', 'People who work here', [
      { contextName: 'email', operator: 'STR_ENDS_WITH', values: ['@example.com'] },
    ]),
    enterprise: await segment('enterprise customers', 'Customers with a contract', [
      { contextName: 'plan', operator: 'IN', values: ['enterprise'] },
    ]),
    newApps: await segment('new apps', 'Apps from version 4.2', [
      { contextName: 'appVersion', operator: 'SEMVER_GTE', value: '4.2.0' },
    ]),
  };
}
