import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { customRole, give } from '../../access/people.ts';
import { accepted, eventsOf, FORBIDDEN, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { at, DEFAULT, PlanWorld } from '../../support/release-plans.ts';
import { CLIENT_TOKEN, type TestService } from '../../support/service.ts';

const PRODUCTION_TOKEN = '*:production.app';

let world: PlanWorld;
let service: TestService;

beforeAll(async () => {
  world = await PlanWorld.start({ env: { INIT_CLIENT_API_TOKENS: `${CLIENT_TOKEN},${PRODUCTION_TOKEN}` } });
  service = world.service;
});

afterAll(() => service.close());

const errors = (metricName: string, rest: object = {}) => ({
  metricName,
  aggregation: 'count',
  operator: '>',
  threshold: 20,
  windowMinutes: 10,
  ...rest,
});
const guard = async (name: string, body: object, environment?: string) =>
  (await accepted(service, 'changeFeatureEnvironmentSafeguard', { params: at(name, environment), body })).body;
const guardsOf = async (name: string, environment?: string) =>
  (await accepted(service, 'getFeatureEnvironmentSafeguards', { params: at(name, environment) })).body;
const report = (name: string, value: number, token?: string) =>
  accepted(service, 'registerClientMetrics', {
    ...(token !== undefined && { token }),
    body: {
      appName: 'shop',
      bucket: null,
      impactMetrics: [{ name, help: name, type: 'counter', samples: [{ value, labels: {} }] }],
    },
  });
const isOn = async (name: string, environment?: string) =>
  (await world.settingsOf(name, environment)).enabled as boolean;

describe('a safeguard of a flag', () => {
  it('switches the flag off in its environment when reports pass its threshold, with the reason in the history', async () => {
    const name = await world.flagThatIsOn();
    await world.turn('On', name, 'production');
    const safeguard = await guard(name, errors('failed'));
    expect(safeguard).toMatchObject({ action: 'disable', query: null, triggeredAt: null, changeRequest: null });
    const events = await eventsOf(service, async () => {
      await world.advance(1);
      await report('failed', 20);
      await world.advance(1);
      expect(await isOn(name)).toBe(true);
      expect((await guardsOf(name)).checks).toMatchObject([{ safeguardId: safeguard.id, value: 20, problem: null }]);
      await report('failed', 1);
      await world.advance(1);
      await world.advance(5);
    });
    expect([await isOn(name), await isOn(name, 'production')]).toEqual([false, true]);
    const reason = 'Safeguard: count of failed was 21 in 10 min, > 20.';
    const ofFlag = events.filter(({ featureName }) => featureName === name);
    expect(ofFlag.map((event) => [event.type, event.createdBy, event.environment, event.reason])).toEqual([
      ['feature-environment-safeguard-tripped', 'burgee', 'development', reason],
      ['feature-environment-disabled', 'burgee', 'development', reason],
    ]);
    expect((await guardsOf(name)).safeguards).toMatchObject([{ id: safeguard.id, triggeredValue: 21 }]);
    expect((await guardsOf(name)).checks).toEqual([]);
  });

  it('counts anew when the flag is switched on again, also if that happened between two checks', async () => {
    const name = await world.flagThatIsOn();
    await guard(name, errors('again'));
    await world.advance(1);
    await report('again', 21);
    await world.advance(1);
    expect(await isOn(name)).toBe(false);
    await world.turn('On', name);
    await world.advance(12);
    expect(await isOn(name)).toBe(true);
    await report('again', 15);
    await world.advance(1);
    await world.turn('Off', name);
    await world.turn('On', name);
    await report('again', 15);
    await world.advance(2);
    expect(await isOn(name)).toBe(true);
    await report('again', 21);
    await world.advance(1);
    expect(await isOn(name)).toBe(false);
  });

  it('is replaced, removed, and refused with bad input', async () => {
    const name = await world.flagThatIsOn();
    const first = await guard(name, errors('one'));
    expect(await guard(name, { ...errors('one', { threshold: 5 }), id: first.id })).toMatchObject({ threshold: 5 });
    for (const body of [
      { ...errors('x'), id: 'unknown' },
      errors(''),
      errors('x', { action: 'pause' }),
      errors('x', { query: 'up' }),
      { ...errors('x'), aggregation: undefined },
      { query: ' ', operator: '>', threshold: 1, windowMinutes: 1 },
      { query: 'up', labels: { a: ['b'] }, operator: '>', threshold: 1, windowMinutes: 1 },
      { query: 'x'.repeat(2_001), operator: '>', threshold: 1, windowMinutes: 1 },
      errors('x', { threshold: '1e999' }),
      // This service names no Prometheus.
      { query: 'up', operator: '>', threshold: 1, windowMinutes: 1 },
    ]) {
      const problem = 'id' in body ? MISSING : INVALID;
      await refused(service, 'changeFeatureEnvironmentSafeguard', problem, { params: at(name), body });
    }
    for (let count = 1; count < 5; count++) await guard(name, errors(`more-${count}`));
    await refused(service, 'changeFeatureEnvironmentSafeguard', INVALID, { params: at(name), body: errors('sixth') });
    const params = { ...at(name), safeguardId: first.id };
    await accepted(service, 'deleteFeatureEnvironmentSafeguard', { params });
    await refused(service, 'deleteFeatureEnvironmentSafeguard', MISSING, { params });
    expect((await guardsOf(name)).safeguards).toHaveLength(4);
    await refused(service, 'getFeatureEnvironmentSafeguards', MISSING, { params: at('unknown') });
  });

  it('needs the permissions to change strategies and to switch the flag', async () => {
    const name = await world.flagThatIsOn();
    await putUser(service, 41, { rootRole: ROLE_ID.viewer });
    const token = await personalTokenOf(service, 41);
    const may = (...names: string[]) =>
      prepare(service, (draft) => {
        const permissions = names.map((one) => ({ name: one, environment: 'development' }));
        const role = customRole(1, 'custom', permissions as never);
        draft.put('roles', role);
        give(draft, 'default', 'user', 41, [role.id]);
      });
    const attempt = { params: at(name), body: errors('mine'), token };
    await refused(service, 'changeFeatureEnvironmentSafeguard', FORBIDDEN, attempt);
    await may('UPDATE_FEATURE_STRATEGY');
    await refused(service, 'changeFeatureEnvironmentSafeguard', FORBIDDEN, attempt);
    await may('UPDATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_ENVIRONMENT');
    await accepted(service, 'changeFeatureEnvironmentSafeguard', attempt);
    await refused(service, 'changeFeatureEnvironmentSafeguard', FORBIDDEN, {
      ...attempt,
      params: at(name, 'production'),
    });
  });

  it('is undone as it was set, and so is what it did', async () => {
    const name = await world.flagThatIsOn();
    const set = await accepted(service, 'changeFeatureEnvironmentSafeguard', {
      params: at(name),
      body: errors('undone'),
    });
    const undo = (revision: string) => accepted(service, 'undoRevision', { params: { revision }, body: {} });
    await world.advance(1);
    await report('undone', 21);
    await world.advance(1);
    const { body } = await accepted(service, 'getFeatureHistory', { params: { ...DEFAULT, featureName: name } });
    await undo(String(body.entries[0].revision));
    expect(await isOn(name)).toBe(true);
    await world.advance(2);
    expect(await isOn(name)).toBe(true);
    expect((await guardsOf(name)).safeguards).toMatchObject([{ triggeredAt: null }]);
    await undo(set.headers.get('burgee-revision') as string);
    expect((await guardsOf(name)).safeguards).toEqual([]);
  });

  it('stays with the flag in the archive, and goes to no copy of the flag or of the environment', async () => {
    const name = await world.flagThatIsOn();
    await guard(name, errors('kept'));
    await accepted(service, 'cloneFeature', { params: at(name), body: { name: `${name}-copy` } });
    expect((await guardsOf(`${name}-copy`)).safeguards).toEqual([]);
    await accepted(service, 'cloneEnvironment', {
      params: { name: 'development' },
      body: { name: `${name}-env`, type: 'test' },
    });
    expect((await guardsOf(name, `${name}-env`)).safeguards).toEqual([]);
    await accepted(service, 'archiveFeature', { params: { ...DEFAULT, featureName: name } });
    await world.advance(1);
    expect((await guardsOf(name)).safeguards).toHaveLength(1);
    await refused(service, 'changeFeatureEnvironmentSafeguard', MISSING, {
      params: at(name),
      body: errors('archived'),
    });
  });

  it('counts against the limit of plans with safeguards', async () => {
    const limited = await PlanWorld.start({
      env: { GUARDED_RELEASE_PLANS_LIMIT: '1', QUERY_SAFEGUARDS_LIMIT: '1', PROMETHEUS_URL: 'http://localhost:1' },
    });
    try {
      const name = await limited.flagThatIsOn();
      const save = (body: object, environment?: string) => ({ params: at(name, environment), body });
      const operation = 'changeFeatureEnvironmentSafeguard';
      const query = { query: 'up', operator: '>', threshold: 1, windowMinutes: 1 };
      await accepted(limited.service, operation, save(query));
      const second = await refused(limited.service, operation, INVALID, save(query));
      expect(second.body.message).toContain('QUERY_SAFEGUARDS_LIMIT');
      await accepted(limited.service, operation, save(errors('x')));
      const other = await refused(limited.service, operation, INVALID, save(errors('x'), 'production'));
      expect(other.body.message).toContain('GUARDED_RELEASE_PLANS_LIMIT');
    } finally {
      await limited.service.close();
    }
  });
});

describe('in an environment that demands reviews, a safeguard of a flag', () => {
  const PRODUCTION = { ...DEFAULT, environment: 'production' };
  const configure = (body: object) =>
    accepted(service, 'updateProjectChangeRequestConfig', {
      params: PRODUCTION,
      body: { changeRequestsEnabled: true, ...body },
    });
  const requests = async () =>
    (await accepted(service, 'getProjectChangeRequests', { params: DEFAULT })).body as {
      id: number;
      state: string;
      title: string;
    }[];
  let reviewer: string;
  let author: string;

  beforeAll(async () => {
    for (const id of [51, 52]) {
      await putUser(service, id, { rootRole: ROLE_ID.viewer });
      await prepare(service, (draft) => give(draft, 'default', 'user', id, [ROLE_ID.member]));
    }
    [author, reviewer] = [await personalTokenOf(service, 51), await personalTokenOf(service, 52)];
  });

  const move = (id: number, state: string, token: string) =>
    accepted(service, 'changeChangeRequestState', { params: { ...DEFAULT, id }, body: { state }, token });

  it('is set by a reviewed change, and opens one change request instead of switching the flag off', async () => {
    const name = await world.flagThatIsOn('production');
    await configure({});
    const direct = { params: at(name, 'production'), body: errors('reviewed'), token: author };
    await refused(service, 'changeFeatureEnvironmentSafeguard', FORBIDDEN, direct);
    const change = { action: 'changeSafeguard', feature: name, payload: { safeguard: errors('reviewed') } };
    const { body } = await accepted(service, 'createChangeRequest', {
      params: PRODUCTION,
      body: change,
      token: author,
    });
    const [asked] = [body].flat();
    for (const [state, token] of [
      ['In review', author],
      ['Approved', reviewer],
      ['Applied', reviewer],
    ] as const)
      await move(asked.id, state, token);
    const before = (await requests()).length;
    await world.advance(1);
    await reportInProduction('reviewed', 30);
    await world.advance(4);
    const opened = (await requests()).slice(0, (await requests()).length - before);
    expect(opened).toMatchObject([{ state: 'In review', title: `Safeguard: switch ${name} off` }]);
    expect(await isOn(name, 'production')).toBe(true);
    const id = opened[0]?.id as number;
    expect((await guardsOf(name, 'production')).safeguards).toMatchObject([{ changeRequest: id, triggeredValue: 30 }]);
    const shown = (await accepted(service, 'getChangeRequest', { params: { ...DEFAULT, id } })).body;
    expect(shown.comments).toMatchObject([{ text: 'Safeguard: count of reviewed was 30 in 10 min, > 20.' }]);
    await move(id, 'Approved', reviewer);
    await move(id, 'Applied', reviewer);
    expect(await isOn(name, 'production')).toBe(false);
  });

  it('acts alone where the settings of the environment allow it', async () => {
    await configure({ safeguardsSkipReview: true });
    expect((await accepted(service, 'getProjectChangeRequestConfig', { params: DEFAULT })).body).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ environment: 'development', safeguardsSkipReview: false }),
        expect.objectContaining({ environment: 'production', safeguardsSkipReview: true }),
      ]),
    );
    const name = await world.flagThatIsOn('production');
    await guard(name, errors('alone'), 'production');
    await world.advance(1);
    await reportInProduction('alone', 30);
    await world.advance(1);
    expect(await isOn(name, 'production')).toBe(false);
    await configure({ safeguardsSkipReview: false });
  });

  const reportInProduction = (name: string, value: number) => report(name, value, PRODUCTION_TOKEN);

  it('is part of the basis of requested changes: a request for another state of it is in conflict', async () => {
    const name = await world.flagThatIsOn('production');
    const change = { action: 'changeSafeguard', feature: name, payload: { safeguard: errors('basis') } };
    const { body } = await accepted(service, 'createChangeRequest', {
      params: PRODUCTION,
      body: change,
      token: author,
    });
    const { id } = [body].flat()[0];
    await move(id, 'In review', author);
    await move(id, 'Approved', reviewer);
    await guard(name, errors('other'), 'production');
    const shown = (await accepted(service, 'getChangeRequest', { params: { ...DEFAULT, id } })).body;
    expect(shown.features[0].changes[0].conflict).toEqual(expect.any(String));
  });
});
