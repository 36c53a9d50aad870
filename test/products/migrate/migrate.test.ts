import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InstanceClient } from '../../../src/products/migrate/instance-client.ts';
import { readInstance } from '../../../src/products/migrate/instance-reader.ts';
import { settingDifferences } from '../../../src/products/migrate/verify/verify-settings.ts';
import { accepted, NOT_ALLOWED, refused } from '../../support/admin.ts';
import { personalTokenOf } from '../../support/people.ts';
import { ADMIN_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { clientList, runMigrate, startTarget, TARGET_ADMIN } from './run-migrate.ts';
import { fillSource, type SourceTokens } from './source-world.ts';

let source: TestService;
let target: TestService;
let tokens: SourceTokens;
const directory = mkdtempSync(join(tmpdir(), 'burgee-migrate-'));

beforeAll(async () => {
  source = await startTestService();
  tokens = await fillSource(source);
  target = await startTarget();
});

afterAll(async () => {
  await source?.close();
  await target?.close();
  rmSync(directory, { recursive: true });
});

const clientOf = (url: string, token: string) => new InstanceClient({ role: 'an instance', url, token });

const migrate = (...args: readonly string[]) => runMigrate(source.url, target.url, ...args);

it('a dry run reports what it would create, and creates nothing', async () => {
  const { seq } = target.running.services.state;
  const { code, out, err } = await migrate('--dry-run');
  expect(err).toBe('');
  expect(code, out).toBe(0);
  expect(out).toMatch(/7 flags would be created/);
  expect(out).toMatch(/1 lifetimes of flag types would be changed: experiment/);
  expect(out).toMatch(/1 lists of frontend origins would be created: https:\/\/shop\.example\.org/);
  expect(out).toMatch(/2 banners would be created/);
  expect(out).toMatch(/2 favourites would be created/);
  expect(out).toMatch(/1 environments with reviews would be created: production of mobile/);
  expect(out).toMatch(
    /open change requests of mobile: decide them in the source, or create them again in this service: 1$/m,
  );
  expect(target.running.services.state.seq).toBe(seq);
});

it('migrates everything with one command: SDKs get the same answers with their old tokens', async () => {
  const file = join(directory, 'invites');
  const { code, out, err } = await migrate('--invites', file);
  expect(err).toBe('');
  expect(code, out).toBe(0);
  expect(out).toMatch(/1 environments with reviews created: production of mobile/);
  for (const token of [tokens.client, tokens.mobile]) {
    const expected = await clientList(source, token);
    expect(expected.features.length).toBeGreaterThan(1);
    expect(await clientList(target, token)).toEqual(expected);
  }
  const ask = (service: TestService) =>
    fetch(`${service.url}/api/frontend?userId=7&plan=gold`, { headers: { authorization: tokens.frontend } });
  const answer = await (await ask(source)).json();
  expect(await (await ask(target)).json()).toEqual(answer);
  expect(out).not.toContain(tokens.client);
  const invites = await readFile(file, 'utf8');
  expect(invites).toMatch(/^ann@example\.org\thttp.*\n$/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(out).not.toContain(invites.split('\t')[1]?.trim());
});

it('a second run changes nothing', async () => {
  const { seq } = target.running.services.state;
  const { code, out } = await migrate();
  expect(code, out).toBe(0);
  expect(out).toMatch(/objects are all the same as in the source/);
  expect(target.running.services.state.seq).toBe(seq);
});

it('keeps context fields with the descriptions of their values, and adds no description to a value without one', async () => {
  const params = { contextField: 'plan' };
  const { body: there } = await accepted(source, 'getContextField', { params });
  expect(there.legalValues).toEqual([{ value: 'gold', description: 'g' }, { value: 'silver' }]);
  expect((await accepted(target, 'getContextField', { params, token: TARGET_ADMIN })).body).toEqual(there);
});

it('keeps archived flags, ids, times, tags, links and the order of strategies', async () => {
  const flagsOf = async (service: TestService, token?: string) => {
    const params = { projectId: 'default', featureName: 'rollout' };
    const { body } = await accepted(service, 'getFeature', { params, ...(token && { token }) });
    const { lifecycle: _own, collaborators: _theirs, createdBy: _who, ...rest } = body;
    const { body: archived } = await accepted(service, 'getArchivedFeatures', token ? { token } : {});
    return {
      rest,
      archived: archived.features.map(({ name, archivedAt, createdAt }: Record<string, unknown>) => ({
        name,
        archivedAt,
        createdAt,
      })),
    };
  };
  const there = await flagsOf(source);
  expect(there.archived).toHaveLength(1);
  expect(await flagsOf(target, TARGET_ADMIN)).toEqual(there);
  await accepted(target, 'reviveFeature', { params: { featureName: 'put-away' }, token: TARGET_ADMIN });
  const { body } = await accepted(target, 'getFeature', {
    params: { projectId: 'default', featureName: 'put-away' },
    token: TARGET_ADMIN,
  });
  expect(body.environments[0].strategies).toHaveLength(1);
  expect(body.environments[0].enabled).toBe(false);
  await accepted(target, 'archiveFeature', {
    params: { projectId: 'default', featureName: 'put-away' },
    token: TARGET_ADMIN,
  });
});

it('imports the settings of environments', async () => {
  const { body } = await accepted(target, 'getEnvironment', { params: { name: 'staging' }, token: TARGET_ADMIN });
  expect(body).toMatchObject({ type: 'preproduction', sortOrder: 150, fetchMode: 'streaming' });
});

it('imports people with their roles, groups and roles in projects', async () => {
  const { body: users } = await accepted(target, 'getUsers', { token: TARGET_ADMIN });
  const ann = users.users.find(({ email }: { email: string }) => email === 'ann@example.org');
  expect(users.rootRoles.find(({ id }: { id: number }) => id === ann.rootRole).name).toBe('Viewer');
  const { body: groups } = await accepted(target, 'getGroups', { token: TARGET_ADMIN });
  expect(groups.groups[0].users.map(({ user }: { user: { id: number } }) => user.id)).toEqual([ann.id]);
  const { body: access } = await accepted(target, 'getProjectAccess', {
    params: { projectId: 'mobile' },
    token: TARGET_ADMIN,
  });
  const role = access.roles.find(({ name }: { name: string }) => name === 'Switcher');
  expect(access.users.find(({ id }: { id: number }) => id === ann.id).roles).toEqual([role.id]);
});

it('imports where changes need reviews and how many: a user with the permission cannot make a change at once', async () => {
  const params = { projectId: 'mobile' };
  const { body: there } = await accepted(source, 'getProjectChangeRequestConfig', { params });
  const { body: here } = await accepted(target, 'getProjectChangeRequestConfig', { params, token: TARGET_ADMIN });
  expect(here).toEqual(there);
  expect(here).toContainEqual(expect.objectContaining({ environment: 'production', requiredApprovals: 2 }));
  const ann = [...target.running.services.state.values('users')].find(({ email }) => email === 'ann@example.org');
  const location = { projectId: 'mobile', featureName: 'mobile-one', environment: 'production' };
  const token = await personalTokenOf(target, ann?.id ?? 0);
  await refused(target, 'toggleFeatureEnvironmentOff', NOT_ALLOWED, { params: location, token });
});

it('imports lifetimes, frontend origins, banners and favourites', async () => {
  const { body: types } = await accepted(target, 'getAllFeatureTypes', { token: TARGET_ADMIN });
  const days = Object.fromEntries(
    types.types.map(({ id, lifetimeDays }: Record<string, unknown>) => [id, lifetimeDays]),
  );
  expect(days).toMatchObject({ experiment: 14, release: 40, permission: null });
  const { body: config } = await accepted(target, 'getUiConfig', { token: TARGET_ADMIN });
  expect(config.frontendApiOrigins).toEqual(['https://shop.example.org']);
  const { body: there } = await accepted(source, 'getBanners', {});
  const { body: here } = await accepted(target, 'getBanners', { token: TARGET_ADMIN });
  expect(here.banners).toHaveLength(2);
  expect(here.banners).toEqual(there.banners);
  const { body: users } = await accepted(target, 'getUsers', { token: TARGET_ADMIN });
  const ann = users.users.find(({ email }: { email: string }) => email === 'ann@example.org');
  const token = await personalTokenOf(target, ann.id);
  const { body: features } = await accepted(target, 'searchFeatures', { token });
  const marked = features.features.filter(({ favorite }: { favorite: boolean }) => favorite);
  expect(marked.map(({ name }: { name: string }) => name)).toEqual(['rollout']);
  const { body: projects } = await accepted(target, 'getProjects', { token });
  const favored = projects.projects.filter(({ favorite }: { favorite: boolean }) => favorite);
  expect(favored.map(({ id }: { id: string }) => id)).toEqual(['mobile']);
});

it('reports lifetimes, origins, banners, reviews and favourites that differ from the source', async () => {
  await accepted(source, 'updateFeatureTypeLifetime', { params: { id: 'release' }, body: { lifetimeDays: 30 } });
  await accepted(source, 'setCors', { body: { frontendApiOrigins: [] } });
  const [banner] = (await accepted(source, 'getBanners', {})).body.banners;
  await accepted(source, 'updateBanner', { params: { id: banner.id }, body: { ...banner, variant: 'error' } });
  await accepted(source, 'updateProjectChangeRequestConfig', {
    params: { projectId: 'mobile', environment: 'production' },
    body: { changeRequestsEnabled: true, requiredApprovals: 3 },
  });
  const ann = (await accepted(source, 'getUsers', {})).body.users.find(
    ({ email }: { email: string }) => email === 'ann@example.org',
  );
  const token = await personalTokenOf(source, ann.id);
  await accepted(source, 'addFavoriteFeature', { params: { projectId: 'default', featureName: 'child' }, token });
  const [from, to] = [clientOf(source.url, ADMIN_TOKEN), clientOf(target.url, TARGET_ADMIN)];
  const holdings = await readInstance(from);
  const count = { settings: 0 };
  expect(await settingDifferences(to, holdings, count)).toEqual([
    expect.stringMatching(/^lifetime of release flags: .*30.* in the source, .*40.* in the target$/),
    expect.stringMatching(/^frontend origins: .*\[\].* in the source, .*shop.* in the target$/),
    expect.stringMatching(/^banner .*Freeze.*"error".* in the source, .*"warning".* in the target$/),
    'reviews of production of mobile: 3 approvals in the source, 2 in the target',
    'feature child of ann@example.org is not a favourite in the target',
  ]);
  expect(count.settings).toBe(6 + 1 + 2 + 1 + 3);
  const { code, out } = await migrate('--verify');
  expect(code, out).toBe(0);
  expect(out).toMatch(/1 lifetimes of flag types changed: release \(lifetimeDays\)/);
  expect(out).toMatch(/1 lists of frontend origins changed: none/);
  expect(out).toMatch(/1 banners changed: \*\*Freeze\*\* on Friday \(variant\)/);
  expect(out).toMatch(/1 environments with reviews changed: production of mobile \(requiredApprovals\)/);
  expect(out).toMatch(/1 favourites created: child of ann@example\.org/);
  expect(out).toMatch(/ 0 differences/);
});

it('verifies that SDKs get the same answers, after it imports the differences', async () => {
  const same = await migrate('--verify');
  expect(same.code, same.out).toBe(0);
  expect(same.out).toMatch(/[1-9]\d{3,} evaluations, 0 differences/);
  const location = { projectId: 'default', featureName: 'parent', environment: 'development' };
  await accepted(target, 'toggleFeatureEnvironmentOff', { params: location, token: TARGET_ADMIN });
  await accepted(source, 'addTag', { params: { featureName: 'parent' }, body: { type: 'team', value: 'later' } });
  // Migrate imports the differences first. Only differences that it cannot import would remain in the report.
  const mended = await migrate('--verify');
  expect(mended.out).toMatch(/1 flags changed: parent \(tags, environments\)/);
  expect(mended.out).toMatch(/ 0 differences/);
});
