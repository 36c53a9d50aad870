import { expect, it } from 'vitest';
import { readFiles } from '../../../src/products/migrate/file-reader.ts';
import { noHoldings } from '../../../src/products/migrate/holdings.ts';
import type { InstanceClient } from '../../../src/products/migrate/instance-client.ts';
import { readPeople } from '../../../src/products/migrate/people-reader.ts';

/** As Unleash 8.2 exports an environment that its open-source edition does not list. */
const HIDDEN = {
  features: [{ name: 'hid', type: 'sunset', project: 'default', archived: false }],
  featureStrategies: [{ id: '1', name: 'default', featureName: 'hid', parameters: {}, constraints: [], segments: [] }],
  featureEnvironments: [],
};

const file = (content: object) => [{ name: 'hidden.json', text: JSON.stringify(content) }];

it('refuses an export without its environment unless the environment is specified', async () => {
  await expect(readFiles(file(HIDDEN))).rejects.toThrow(
    'hidden.json does not contain its environment: specify --environment NAME',
  );
});

it('imports strategies as off, with a note, when the file does not contain whether they are on', async () => {
  const { features, notes, projects } = await readFiles(file(HIDDEN), { environment: 'staging' });
  expect(features).toMatchObject([
    {
      name: 'hid',
      type: 'sunset',
      environments: [{ environment: 'staging', enabled: false, strategies: [{ name: 'default' }] }],
    },
  ]);
  expect(projects[0]?.environments).toEqual(['staging']);
  expect(notes).toEqual([
    {
      about: 'flag hid',
      text: expect.stringMatching(/^the file does not contain whether it is on in staging: it is imported as off/),
    },
  ]);
});

it('adds notes about root roles that have only a name, and imports their users as Viewers', async () => {
  const answers: Readonly<Record<string, unknown>> = {
    '/api/admin/user-admin': {
      users: [
        { id: 1, email: 'ann@example.org', rootRole: 3 },
        { id: 2, email: 'ben@example.org', rootRole: 7 },
      ],
      rootRoles: [
        { id: 3, name: 'Editor', type: 'root' },
        { id: 7, name: 'Auditor', type: 'root-custom' },
      ],
    },
  };
  const client = { getOptional: async (path: string) => answers[path] } as unknown as InstanceClient;
  const holdings = noHoldings();
  await readPeople(client, holdings);
  expect(holdings.people.users.map(({ rootRole }) => rootRole)).toEqual(['Editor', 'Viewer']);
  expect(holdings.notes.map(({ about }) => about)).toEqual(['root role Auditor', 'user ben@example.org']);
});
