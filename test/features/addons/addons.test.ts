import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { accepted, eventsOf, FORBIDDEN, INVALID, MISSING, refused } from '../../support/admin.ts';
import { ACCEPTS, ADDON_ENV, type Receiver, refuses, startReceiver, webhookTo } from '../../support/http/receiver.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { startTestService, useService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const service = useService({ env: ADDON_ENV });
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(async () => {
  for (const { id } of (await accepted(service, 'getAddons')).body.addons)
    await accepted(service, 'deleteAddon', { params: { id } });
  await receiver.close();
});

let flags = 0;
const createFlag = async (project = 'default') => {
  const name = `flag-${++flags}`;
  await accepted(service, 'createFeature', { params: { projectId: project }, body: { name } });
  return name;
};
const create = async (rest: object = {}, parameters: object = {}) =>
  (await accepted(service, 'createAddon', { body: webhookTo(receiver.url, rest, parameters) })).body;
const attempts = async (id: number) =>
  (await accepted(service, 'getAddonEvents', { params: { id } })).body.integrationEvents;
const arrived = (count: number) =>
  until(
    () => receiver.received.length,
    (length) => length >= count,
  );

describe('a webhook', () => {
  it('gets the events that happen after its creation, in order, and shows each attempt', async () => {
    await createFlag();
    const { id } = await create();
    const names = [await createFlag(), await createFlag(), await createFlag()];
    await arrived(3);
    const events = receiver.received.map(({ body }) => JSON.parse(body));
    expect(events.map(({ featureName }) => featureName)).toEqual(names);
    expect(events[0]).toMatchObject({ type: 'feature-created', project: 'default', data: { name: names[0] } });
    expect(receiver.received[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
    const listed = await until(
      () => attempts(id),
      (list) => list.length === 3,
    );
    expect(listed[0]).toMatchObject({
      id: '3',
      integrationId: id,
      state: 'success',
      stateDetails: 'Delivered.',
      event: { featureName: names[2] },
      details: { status: 200 },
    });
    expect((await accepted(service, 'getAddon', { params: { id } })).body.delivery).toMatchObject({
      state: 'delivering',
      delivered: 3,
    });
  });

  it('is sent an event again until it accepts it, with the same id, and the later events after it', async () => {
    receiver.answer = (received, response, number) =>
      number === 1 ? refuses(500)(received, response, number) : ACCEPTS(received, response, number);
    const { id } = await create();
    const names = [await createFlag(), await createFlag()];
    await arrived(3);
    expect(receiver.received.map(({ body }) => JSON.parse(body).featureName)).toEqual([names[0], ...names]);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[1]);
    const listed = await until(
      () => attempts(id),
      (list) => list.length === 3,
    );
    expect(listed.map(({ state }: { state: string }) => state)).toEqual(['success', 'success', 'failed']);
    expect(listed[2].stateDetails).toBe('The destination answered with the status 500.');
  });

  it.each([
    ['', 'a text', 0],
    [', also a long one', '{{{eventJson}}}{{{eventJson}}}', 4_000],
  ])('is signed by the Standard Webhooks scheme%s', async (_, bodyTemplate, lengthMin) => {
    const key = Buffer.alloc(32, 7);
    const signingSecret = `whsec_${key.toString('base64')}`;
    await create({}, { signingSecret, bodyTemplate });
    const body = { name: `flag-${++flags}`, description: '€'.repeat(9_000) };
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body });
    await arrived(1);
    const [{ body: text, headers }] = receiver.received as [Receiver['received'][number]];
    expect(text.length).toBeGreaterThan(lengthMin);
    const [id, at] = [headers['webhook-id'], headers['webhook-timestamp']];
    const computed = createHmac('sha256', key).update(`${id}.${at}.${text}`).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${computed}`);
    const verifier = new Webhook(signingSecret);
    verifier.verify(text, headers as Record<string, string>, { jsonParse: false });
    expect(() => verifier.verify(`${text} `, headers as Record<string, string>)).toThrow('No matching signature');
  });

  it('leaves out an event whose message would be too long, says so, and sends the next one', async () => {
    const { id } = await create({}, { bodyTemplate: '{{{eventJson}}}'.repeat(200) });
    const body = { name: `flag-${++flags}`, description: 'x'.repeat(9_000) };
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body });
    const name = await createFlag();
    await arrived(1);
    expect(receiver.received[0]?.body).toContain(`"featureName":"${name}"`);
    const listed = await until(
      () => attempts(id),
      (list) => list.length === 2,
    );
    expect(listed.map(({ state }: { state: string }) => state)).toEqual(['success', 'failed']);
    expect(listed[1].stateDetails).toMatch(/The event is not sent\.$/);
  });

  it('has the body of its template and its headers', async () => {
    await create(
      {},
      {
        bodyTemplate: '{"what":"{{event.type}}","flag":"{{event.data.name}}","by":"{{event.createdBy}}"}',
        contentType: 'application/vnd.example+json',
        authorization: 'Bearer abc',
        customHeaders: '{"X-Team":"checkout"}',
      },
    );
    const name = await createFlag();
    await arrived(1);
    const [{ body, headers }] = receiver.received as [Receiver['received'][number]];
    expect(JSON.parse(body)).toEqual({ what: 'feature-created', flag: name, by: 'init-admin-1' });
    expect(headers).toMatchObject({
      'content-type': 'application/vnd.example+json',
      authorization: 'Bearer abc',
      'x-team': 'checkout',
    });
  });

  it('gets only events that pass its filters, and those without a project or environment', async () => {
    await accepted(service, 'createProject', { body: { id: 'payments', name: 'Payments' } });
    await create({
      events: ['feature-created', 'feature-environment-enabled', 'segment-created'],
      projects: ['payments'],
      environments: ['production'],
    });
    await createFlag();
    const featureName = await createFlag('payments');
    for (const environment of ['development', 'production']) {
      const params = { projectId: 'payments', featureName, environment };
      await accepted(service, 'toggleFeatureEnvironmentOn', { params });
    }
    await accepted(service, 'createSegment', { body: { name: `segment-${featureName}`, constraints: [] } });
    await arrived(3);
    const events = receiver.received.map(({ body }) => JSON.parse(body));
    expect(events.map(({ type, project, environment }) => [type, project, environment])).toEqual([
      ['feature-created', 'payments', null],
      ['feature-environment-enabled', 'payments', 'production'],
      ['segment-created', null, null],
    ]);
  });

  it('gets nothing while it is off, and afterwards only newer events', async () => {
    const { id } = await create({ enabled: false });
    await createFlag();
    await accepted(service, 'updateAddon', { params: { id }, body: webhookTo('*****') });
    const name = await createFlag();
    await arrived(1);
    expect(receiver.received.map(({ body }) => JSON.parse(body).featureName)).toEqual([name]);
  });

  it('loses a deleted project from its filter, and is switched off with its last one', async () => {
    for (const id of ['one', 'two']) await accepted(service, 'createProject', { body: { id, name: id } });
    const { id } = await create({ projects: ['one', 'two'] });
    const shown = async () => (await accepted(service, 'getAddon', { params: { id } })).body;
    await accepted(service, 'deleteProject', { params: { projectId: 'one' } });
    expect(await shown()).toMatchObject({ enabled: true, projects: ['two'] });
    await accepted(service, 'deleteProject', { params: { projectId: 'two' } });
    expect(await shown()).toMatchObject({ enabled: false, projects: ['two'], delivery: { state: 'off' } });
    const body = webhookTo('*****', { projects: ['two'] });
    await refused(service, 'updateAddon', INVALID, { params: { id }, body });
  });
});

describe('secrets of an add-on', () => {
  it('are masked in answers and events, sealed in the store, and kept by the mask', async () => {
    const events = await eventsOf(service, async () => {
      const { id, parameters } = await create({}, { authorization: 'Bearer secret-1' });
      expect(parameters).toEqual({ url: '*****', authorization: '*****' });
      const body = webhookTo('*****', {}, { authorization: '*****' });
      const changed = (await accepted(service, 'updateAddon', { params: { id }, body })).body;
      expect(changed.parameters).toEqual({ url: '*****', authorization: '*****' });
    });
    expect(JSON.stringify(events)).not.toMatch(/secret-1|sealed/);
    const [newest] = (await accepted(service, 'getEvents')).body.events;
    expect([newest.type, newest.neverUndone]).toEqual(['addon-config-updated', expect.stringContaining('secrets')]);
    expect(JSON.stringify([...service.running.services.state.values('addons')])).not.toContain('secret-1');
    await createFlag();
    await arrived(1);
    expect(receiver.received[0]?.headers.authorization).toBe('Bearer secret-1');
  });

  it('are not kept when the host changes', async () => {
    const { id } = await create({}, { authorization: 'Bearer secret-2' });
    const moved = webhookTo('http://127.0.0.2:9/', {}, { authorization: '*****' });
    const answer = await refused(service, 'updateAddon', INVALID, { params: { id }, body: moved });
    expect(answer.body.message).toContain('enter these secrets again');
    const other = webhookTo(`${receiver.url}/other`, {}, { authorization: '*****' });
    await accepted(service, 'updateAddon', { params: { id }, body: other });
  });

  it('are refused without SECRETS_KEY', async () => {
    const bare = await startTestService();
    try {
      const body = webhookTo(receiver.url);
      const answer = await refused(bare, 'createAddon', INVALID, { body });
      expect(answer.body.message).toContain('SECRETS_KEY');
    } finally {
      await bare.close();
    }
  });
});

describe('the operations of add-ons', () => {
  it('list all providers with the parameters that Unleash has', async () => {
    const { providers } = (await accepted(service, 'getAddons')).body;
    const names = (provider: { name: string; parameters: { name: string }[] }) => [
      provider.name,
      provider.parameters.map(({ name }) => name),
    ];
    expect(Object.fromEntries(providers.map(names))).toEqual({
      webhook: ['url', 'contentType', 'authorization', 'customHeaders', 'bodyTemplate', 'signingSecret'],
      'slack-app': ['accessToken', 'defaultChannels', 'apiUrl'],
      slack: ['url', 'username', 'emojiIcon', 'defaultChannel', 'customHeaders'],
      teamsworkflow: ['url', 'customHeaders'],
      teams: ['url', 'customHeaders'],
      datadog: ['url', 'apiKey', 'sourceTypeName', 'customHeaders', 'bodyTemplate'],
      'new-relic': ['url', 'licenseKey', 'customHeaders', 'bodyTemplate'],
    });
  });

  it('say which providers people should choose, and where they prepare the destination', async () => {
    const { providers } = (await accepted(service, 'getAddons')).body;
    const of = (asked: string) => providers.find(({ name }: { name: string }) => name === asked);
    expect(of('teamsworkflow')).not.toHaveProperty('deprecated');
    expect(of('teams')).toMatchObject({ deprecated: expect.any(String), alerts: [{ type: 'warning' }] });
    expect(of('slack-app').installation).toMatchObject({
      url: 'https://api.slack.com/apps',
      title: expect.any(String),
    });
    expect(of('teams')).not.toHaveProperty('messages');
  });

  it('refuse what they cannot send', async () => {
    const bad: readonly (readonly [object, object])[] = [
      [{}, { url: '' }],
      [{}, { url: 'ftp://example.com' }],
      [{}, { url: 'http://user:password@example.com' }],
      [{}, { wrong: 'x' }],
      [{}, { customHeaders: '{"a":1}' }],
      [{}, { customHeaders: '{"Host":"example.com"}' }],
      [{}, { customHeaders: '{"a":"b\\r\\nc: d"}' }],
      [{}, { authorization: 'a\r\nb: c' }],
      [{}, { bodyTemplate: '{{#open}}' }],
      [{}, { bodyTemplate: 'x'.repeat(4_001) }],
      [{}, { signingSecret: 'whsec_short' }],
    ];
    for (const [rest, parameters] of bad)
      await refused(service, 'createAddon', INVALID, { body: webhookTo(receiver.url, rest, parameters) });
    const { id } = await create();
    const body = { ...webhookTo('*****'), provider: 'teams' };
    await refused(service, 'updateAddon', INVALID, { params: { id }, body });
  });

  it('need their permissions, and hide an add-on that names a private project', async () => {
    await accepted(service, 'createProject', { body: { id: 'hidden', name: 'Hidden', mode: 'private' } });
    await putUser(service, 901, { rootRole: ROLE_ID.viewer });
    await putUser(service, 902, { rootRole: ROLE_ID.editor });
    const [viewer, editor] = [await personalTokenOf(service, 901), await personalTokenOf(service, 902)];
    const [open, hidden] = [await create(), await create({ projects: ['hidden'] })];
    const body = webhookTo(receiver.url);
    await refused(service, 'createAddon', FORBIDDEN, { body, token: viewer });
    for (const { id } of [open, hidden]) {
      await refused(service, 'updateAddon', FORBIDDEN, { params: { id }, body, token: viewer });
      await refused(service, 'deleteAddon', FORBIDDEN, { params: { id }, token: viewer });
      await refused(service, 'getAddonEvents', FORBIDDEN, { params: { id }, token: editor });
    }
    await refused(service, 'getAddon', MISSING, { params: { id: hidden.id }, token: viewer });
    const seenBy = async (token: string) =>
      (await accepted(service, 'getAddons', { token })).body.addons.map(({ id }: { id: number }) => id);
    expect(await seenBy(viewer)).toEqual([open.id]);
    expect(await seenBy(editor)).toEqual([open.id, hidden.id]);
    await accepted(service, 'getAddon', { params: { id: open.id }, token: viewer });
    await accepted(service, 'updateAddon', { params: { id: open.id }, body, token: editor });
    await accepted(service, 'deleteAddon', { params: { id: open.id }, token: editor });
  });
});
