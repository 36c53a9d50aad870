import { beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { accepted, CONFLICT, eventsOf, FORBIDDEN, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;
/** Mia is a member of the private project `shop`, Vera a viewer who sees only public projects. */
let mia: string;
let vera: string;

beforeAll(async () => {
  flags = new Flags(service);
  await accepted(service, 'createProject', { body: { id: 'shop', name: 'Shop', mode: 'private' } });
  await putUser(service, 51, { rootRole: ROLE_ID.viewer });
  await putUser(service, 52, { rootRole: ROLE_ID.viewer });
  await prepare(service, (draft) => give(draft, 'shop', 'user', 51, [ROLE_ID.member]));
  [mia, vera] = [await personalTokenOf(service, 51), await personalTokenOf(service, 52)];
});

const SHOP = { projectId: 'shop' };
/** Requests as the OpenFeature CLI sends them. */
const BASE = { '': '/openfeature/v0/manifest', shop: '/api/admin/projects/shop/openfeature/v0/manifest' };
const sent = async (project: keyof typeof BASE, method: string, path: string, token: string | null, body?: unknown) => {
  const answer = await fetch(`${service.url}${BASE[project]}${path}`, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
};
interface Entry {
  readonly key: string;
  readonly type: string;
  readonly defaultValue: unknown;
}
const manifest = async (project: keyof typeof BASE = ''): Promise<readonly Entry[]> =>
  (await sent(project, 'GET', '', ADMIN_TOKEN)).body.flags;
const entryOf = async (key: string) => (await manifest()).find((entry) => entry.key === key);

/** A flag with a strategy that has variants with these payloads, in one environment. */
async function flagWith(environment: string, ...payloads: readonly (readonly [type: string, value: string] | null)[]) {
  const featureName = await flags.create({ description: 'As made by an admin' });
  const variants = payloads.map((payload, index) => ({
    name: `v${index}`,
    weight: 0,
    weightType: 'variable',
    stickiness: 'default',
    ...(payload && { payload: { type: payload[0], value: payload[1] } }),
  }));
  const strategy = { name: 'flexibleRollout', parameters: { rollout: '100', stickiness: 'default' }, variants };
  await flags.call('addFeatureStrategy', { featureName, environment }, strategy);
  return featureName;
}

const create = (body: object, token = ADMIN_TOKEN) => sent('', 'POST', '/flags', token, body);
const update = (key: string, body: object, token = ADMIN_TOKEN) => sent('', 'PUT', `/flags/${key}`, token, body);

describe('the manifest', () => {
  it('has the type of the payloads of each flag, its description and a default value', async () => {
    const cases = [
      [[['string', 'control']], 'string', 'control'],
      [[['csv', 'a,b']], 'string', 'a,b'],
      [[null, ['number', '3']], 'integer', 3],
      [[['number', '3'], null, ['number', '0.5']], 'float', 3],
      [[['json', '{"colour":{"__proto__":1}}']], 'object', JSON.parse('{"colour":{"__proto__":1}}')],
      [[['json', '[1,2]']], 'object', [1, 2]],
      [[['json', '"text"']], 'string', 'text'],
      [[['json', 'true']], 'boolean', false],
      [
        [
          ['json', 'null'],
          ['string', 'second'],
        ],
        'string',
        'second',
      ],
      [
        [
          ['string', 'first'],
          ['number', '0.5'],
        ],
        'string',
        'first',
      ],
      [[null], 'boolean', false],
      [[], 'boolean', false],
    ] as const;
    for (const [payloads, type, defaultValue] of cases) {
      const key = await flagWith('development', ...payloads);
      const description = 'As made by an admin';
      expect(await entryOf(key), JSON.stringify(payloads)).toEqual({ key, name: key, type, description, defaultValue });
    }
  });

  it('reads the environments in their order, and no archived flags', async () => {
    const key = await flagWith('production', ['string', 'in production']);
    expect(await entryOf(key)).toMatchObject({ type: 'string', defaultValue: 'in production' });
    await flags.call('archiveFeature', { featureName: key });
    expect(await entryOf(key)).toBeUndefined();
  });

  it('is that of the project in the base URL, with what the token may do there', async () => {
    await accepted(service, 'createFeature', { params: SHOP, body: { name: 'shop.flag' } });
    expect((await manifest('shop')).map(({ key }) => key)).toEqual(['shop.flag']);
    expect((await manifest()).map(({ key }) => key)).not.toContain('shop.flag');
    const capabilities = async (project: keyof typeof BASE, token: string) =>
      (await sent(project, 'GET', '', token)).headers.get('x-manifest-capabilities');
    expect(await capabilities('shop', ADMIN_TOKEN)).toBe('read,write,delete');
    expect(await capabilities('shop', mia)).toBe('read,write');
    expect(await capabilities('', mia)).toBe('read');
  });

  it('is refused with errors that the CLI shows, and a private project leaves no trace', async () => {
    const none = await sent('', 'GET', '', null);
    expect(none.body.error).toMatchObject({ status: 401, message: expect.stringContaining('valid token') });
    expect((await sent('', 'GET', '', CLIENT_TOKEN)).body.error).toMatchObject({ status: 403 });
    const hidden = await sent('shop', 'GET', '', vera);
    const missing = await service.call('getProjectManifest', { params: { projectId: 'none' }, token: vera });
    expect([hidden.status, missing.status]).toEqual([404, 404]);
    expect(hidden.body.error.message).toBe(missing.body.error.message.replace('none', 'shop'));
  });
});

describe('POST of a flag', () => {
  it('creates it as an admin would, and stores what code declares', async () => {
    const body = { key: 'declared.text', name: 'declared.text', type: 'string', description: 'D', defaultValue: 'hi' };
    const events = await eventsOf(service, async () => {
      const answer = await create(body);
      expect(answer.status).toBe(201);
      expect(answer.body.flag).toEqual(body);
      expect(answer.body.updatedAt).toMatch(/^\d{4}-.*Z$/);
      expect(answer.headers.get('x-manifest-capabilities')).toBe('read,write,delete');
    });
    expect(events.map(({ type, featureName }) => [type, featureName])).toEqual([['feature-created', 'declared.text']]);
    expect(await entryOf('declared.text')).toEqual(body);
    const { body: flag } = await flags.read('declared.text');
    expect(flag).toMatchObject({ description: 'D', enabled: false });
    const values = { boolean: true, integer: -4, float: 2, object: { a: [1, { b: null }] } };
    for (const [type, defaultValue] of Object.entries(values)) {
      expect((await create({ key: `declared.${type}`, type, defaultValue })).status).toBe(201);
      expect(await entryOf(`declared.${type}`)).toMatchObject({ type, defaultValue, description: null });
    }
  });

  it('refuses values of other types, other names, keys that are taken, and what the rules of the project refuse', async () => {
    const wrong = { boolean: 'true', string: 1, integer: 0.5, float: '1', object: null };
    for (const [type, defaultValue] of Object.entries(wrong)) {
      const { body } = await refused(service, 'createManifestFlag', INVALID, {
        body: { key: 'no', type, defaultValue },
      });
      expect(body.error).toMatchObject({ status: 400, details: [{ field: 'defaultValue' }] });
    }
    const flag = { key: 'no', type: 'boolean', defaultValue: false };
    await refused(service, 'createManifestFlag', INVALID, { body: { ...flag, name: 'Yes' } });
    await refused(service, 'createManifestFlag', INVALID, { body: { ...flag, type: 'date' } });
    await refused(service, 'createManifestFlag', INVALID, { body: { key: 'no', type: 'boolean' } });
    const long = { key: 'no', type: 'string', defaultValue: 'x'.repeat(100_000) };
    await refused(service, 'createManifestFlag', INVALID, { body: long });
    await create({ ...flag, key: 'taken' });
    await refused(service, 'createManifestFlag', CONFLICT, { body: { ...flag, key: 'taken' } });
    await refused(service, 'createManifestFlag', FORBIDDEN, { body: flag, token: mia });
    await refused(service, 'createProjectManifestFlag', FORBIDDEN, { params: SHOP, body: flag, token: vera });
    const settings = { mode: 'private', featureNaming: { pattern: 'shop\\..+' } };
    await accepted(service, 'updateProjectEnterpriseSettings', { params: SHOP, body: settings });
    const named = await refused(service, 'createProjectManifestFlag', INVALID, {
      params: SHOP,
      body: flag,
      token: mia,
    });
    expect(named.body.error.message).toContain('shop');
    await accepted(service, 'createProjectManifestFlag', {
      params: SHOP,
      body: { ...flag, key: 'shop.new' },
      token: mia,
    });
  });
});

describe('PUT of a flag', () => {
  it('replaces the description and the default value, changes nothing that SDKs get, and can be undone', async () => {
    await create({ key: 'changed', type: 'string', description: 'Old', defaultValue: 'old' });
    const served = () => service.call('getClientFeature', { params: { featureName: 'changed' } });
    const before = (await served()).body;
    const events = await eventsOf(service, async () => {
      const answer = await update('changed', { key: 'changed', type: 'string', defaultValue: 'new' });
      expect(answer.body.flag).toMatchObject({ description: null, defaultValue: 'new' });
    });
    expect(events).toMatchObject([
      {
        type: 'feature-metadata-updated',
        preData: { description: 'Old', manifest: { type: 'string', defaultValue: '"old"' } },
        data: { description: null, manifest: { type: 'string', defaultValue: '"new"' } },
      },
    ]);
    expect({ ...(await served()).body, description: 'Old' }).toEqual(before);
    const revision = service.running.services.state.seq;
    await update('changed', { key: 'changed', type: 'string', description: 'Kept' });
    expect(await entryOf('changed')).toMatchObject({ description: 'Kept', defaultValue: 'new' });
    await accepted(service, 'undoRevision', { params: { revision: service.running.services.state.seq }, body: {} });
    await accepted(service, 'undoRevision', { params: { revision }, body: {} });
    expect(await entryOf('changed')).toMatchObject({ description: 'Old', defaultValue: 'old' });
  });

  it('gives a flag of the console a type, and changes no type that code or payloads show', async () => {
    const key = await flags.create();
    const change = { key, type: 'string', defaultValue: 'declared' };
    const untyped = { params: { key }, body: { key, type: 'string' } };
    await refused(service, 'updateManifestFlag', INVALID, untyped);
    expect((await update(key, change)).status).toBe(200);
    expect(await entryOf(key)).toMatchObject({ type: 'string', defaultValue: 'declared' });
    const other = { params: { key }, body: { key, type: 'integer', defaultValue: 1 } };
    const { body } = await refused(service, 'updateManifestFlag', CONFLICT, other);
    expect(body.error).toMatchObject({ status: 409, message: expect.stringContaining('string') });
    const shown = await flagWith('development', ['number', '1']);
    const asText = { params: { key: shown }, body: { ...change, key: shown } };
    await refused(service, 'updateManifestFlag', CONFLICT, asText);
    expect((await update(shown, { key: shown, type: 'float', defaultValue: 0.5 })).status).toBe(200);
    expect(await entryOf(shown)).toMatchObject({ type: 'float', defaultValue: 0.5 });
  });

  it('refuses other keys, archived flags, flags of other projects and callers without the permission', async () => {
    const key = await flags.create();
    const body = { key, type: 'boolean', defaultValue: true };
    await refused(service, 'updateManifestFlag', INVALID, { params: { key }, body: { ...body, key: 'else' } });
    await refused(service, 'updateManifestFlag', FORBIDDEN, { params: { key }, body, token: mia });
    const inShop = { ...SHOP, key };
    await refused(service, 'updateProjectManifestFlag', MISSING, { params: inShop, body, token: mia });
    await flags.call('archiveFeature', { featureName: key });
    await refused(service, 'updateManifestFlag', CONFLICT, { params: { key }, body });
  });
});

describe('what code has declared', () => {
  it('stays when a flag is imported again, and cloned, moved, archived and revived flags have it', async () => {
    const declared = { type: 'string', defaultValue: 'kept' };
    await create({ key: 'kept', ...declared });
    const target = { project: 'default', environment: 'development' };
    const { body: data } = await accepted(service, 'exportFeatures', {
      body: { features: ['kept'], environment: 'development', downloadFile: false },
    });
    expect(JSON.stringify(data.features)).not.toContain('manifest');
    await accepted(service, 'importFeatures', { body: { ...target, data } });
    expect(await entryOf('kept')).toMatchObject(declared);
    await flags.call('cloneFeature', { featureName: 'kept' }, { name: 'kept.clone' });
    await flags.call('archiveFeatures', {}, { features: ['kept'] });
    await flags.call('reviveFeatures', {}, { features: ['kept'] });
    await accepted(service, 'createProject', { body: { id: 'other', name: 'Other' } });
    await flags.call('changeProject', { featureName: 'kept' }, { newProjectId: 'other' });
    expect(await entryOf('kept.clone')).toMatchObject(declared);
    const { body } = await accepted(service, 'getProjectManifest', { params: { projectId: 'other' } });
    expect(body.flags).toMatchObject([{ key: 'kept', ...declared }]);
  });
});

describe('DELETE of a flag', () => {
  it('moves it to the archive, once, and with the rules of the archive', async () => {
    const key = await flags.create();
    await refused(service, 'archiveManifestFlag', FORBIDDEN, { params: { key }, token: mia });
    const answer = await sent('', 'DELETE', `/flags/${key}`, ADMIN_TOKEN);
    expect(answer.status).toBe(200);
    expect(answer.body.archivedAt).toBe(
      (await service.call('getArchivedFeaturesByProjectId', { params: { projectId: 'default' } })).body.features.find(
        (flag: { name: string }) => flag.name === key,
      ).archivedAt,
    );
    await refused(service, 'archiveManifestFlag', CONFLICT, { params: { key } });
    await refused(service, 'archiveManifestFlag', MISSING, { params: { key: 'nowhere' } });
    const parent = await flags.create();
    const child = await flags.create();
    await flags.call('addFeatureDependency', { child }, { feature: parent });
    await refused(service, 'archiveManifestFlag', FORBIDDEN, { params: { key: parent } });
  });

  it('needs a review where the environment demands one for a flag that is on', async () => {
    const key = await flags.create();
    await flags.call('addFeatureStrategy', { featureName: key, environment: 'production' }, { name: 'default' });
    await flags.call('toggleFeatureEnvironmentOn', { featureName: key, environment: 'production' });
    const params = { environment: 'production' };
    const rules = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await flags.call('updateProjectChangeRequestConfig', params, rules);
    await putUser(service, 53, { rootRole: ROLE_ID.editor });
    const editor = await personalTokenOf(service, 53);
    const { body } = await refused(service, 'archiveManifestFlag', FORBIDDEN, { params: { key }, token: editor });
    expect(body.error.message).toContain('reviewed');
  });
});
