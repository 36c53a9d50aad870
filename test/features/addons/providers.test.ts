import { afterEach, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { ADDON_ENV, type Answering, type Receiver, startReceiver } from '../../support/http/receiver.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const ADDRESS = 'https://flags.example.com';

let service: TestService;
let receiver: Receiver;

afterEach(async () => {
  await service.close();
  await receiver.close();
});

/** Creates an add-on of the provider, and a flag with these tags; returns what arrives, and the add-on's id. */
async function delivered(
  provider: string,
  parameters: (url: string) => object,
  { tags = [] as { type: string; value: string }[], answer = undefined as Answering | undefined, count = 1 } = {},
) {
  receiver = await startReceiver(answer);
  service = await startTestService({ env: { ...ADDON_ENV, UNLEASH_URL: ADDRESS } });
  const body = { provider, enabled: true, events: ['feature-created'], parameters: parameters(receiver.url) };
  const { id } = (await accepted(service, 'createAddon', { body })).body;
  for (const { type } of tags) await service.call('createTagType', { body: { name: type } });
  const flag = { name: 'my_<flag>', description: 'new' };
  const name = flag.name.replace(/[<>]/g, '');
  const params = { projectId: 'default' };
  await accepted(service, 'createFeature', { params, body: { ...flag, name, tags } });
  await until(
    () => receiver.received.length,
    (length) => length >= count,
  );
  const list = async () => (await accepted(service, 'getAddonEvents', { params: { id } })).body.integrationEvents;
  const attempts = await until(list, ({ length }) => length > 0);
  return { received: receiver.received, bodies: receiver.received.map((one) => JSON.parse(one.body)), attempts, id };
}

const PAGE = `${ADDRESS}/projects/default/features/my_flag`;

describe('an add-on', () => {
  it('of Slack posts to the channels of the tags, otherwise to the default channel', async () => {
    const { bodies } = await delivered('slack', (url) => ({ url, defaultChannel: 'flags' }));
    expect(bodies[0]).toMatchObject({ channel: '#flags', username: 'Burgee' });
    expect(bodies[0].text).toContain(`*<${PAGE}|my_flag>*`);
    expect(bodies[0].attachments[0].actions[0].url).toBe(PAGE);
  });

  it('of Slack has no button for an event that has no page', async () => {
    receiver = await startReceiver();
    service = await startTestService({ env: { ...ADDON_ENV, UNLEASH_URL: ADDRESS } });
    const parameters = { url: receiver.url, defaultChannel: 'flags' };
    const body = { provider: 'slack', enabled: true, events: ['tag-type-created'], parameters };
    await accepted(service, 'createAddon', { body });
    await accepted(service, 'createTagType', { body: { name: 'team' } });
    const [sent] = await until(
      () => receiver.received,
      ({ length }) => length > 0,
    );
    expect(JSON.parse(sent?.body ?? '')).not.toHaveProperty('attachments');
  });

  it('of Slack’s app posts to its channels and to those of the tags, and again only to those that failed', async () => {
    let refusals = 0;
    const answer: Answering = ({ body }, response) => {
      const isRefused = JSON.parse(body).channel === 'team' && refusals++ === 0;
      if (isRefused) response.writeHead(503).end();
      else response.end('{"ok":true}');
    };
    const tags = [{ type: 'slack', value: 'team' }];
    const { received, bodies } = await delivered(
      'slack-app',
      (apiUrl) => ({ apiUrl, accessToken: 'xoxb-1', defaultChannels: 'flags, releases' }),
      { tags, answer, count: 4 },
    );
    expect(bodies.map(({ channel }) => channel)).toEqual(['flags', 'releases', 'team', 'team']);
    expect(received[0]).toMatchObject({ path: '/chat.postMessage', headers: { authorization: 'Bearer xoxb-1' } });
    expect(bodies[0].blocks[0].text.text).toContain(`*<${PAGE}|my_flag>*`);
  });

  it('of Slack’s app delivers with errors if a channel does not exist', async () => {
    const answer: Answering = ({ body }, response) =>
      void response.end(
        JSON.parse(body).channel === 'gone' ? '{"ok":false,"error":"channel_not_found"}' : '{"ok":true}',
      );
    const parameters = (apiUrl: string) => ({ apiUrl, accessToken: 'xoxb-1', defaultChannels: 'gone,flags' });
    const { attempts } = await delivered('slack-app', parameters, { answer, count: 2 });
    expect(attempts[0]).toMatchObject({
      state: 'successWithErrors',
      stateDetails: '1 of 2 channels did not get the event. Slack refused the message: channel_not_found.',
    });
  });

  it.each(['teamsworkflow', 'teams'])('of Teams posts an adaptive card: %s', async (provider) => {
    const { bodies } = await delivered(provider, (url) => ({ url, customHeaders: '{"x-a":"b"}' }));
    const [{ contentType, content }] = bodies[0].attachments;
    expect([bodies[0].type, contentType]).toEqual(['message', 'application/vnd.microsoft.card.adaptive']);
    expect(content.actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open in Burgee', url: PAGE }]);
    expect(content.body[2].facts).toContainEqual({ title: 'Flag', value: 'my_flag' });
    expect(receiver.received[0]?.headers['x-a']).toBe('b');
  });

  it('of Datadog posts an event with tags', async () => {
    const { received, bodies } = await delivered('datadog', (url) => ({
      url: `${url}/api/v1/events`,
      apiKey: 'key-1',
      sourceTypeName: 'burgee',
    }));
    expect(received[0]).toMatchObject({ path: '/api/v1/events', headers: { 'dd-api-key': 'key-1' } });
    expect(bodies[0]).toMatchObject({ source_type_name: 'burgee', title: expect.stringContaining('Burgee: ') });
    expect(bodies[0].tags).toEqual(['event:feature-created', 'project:default', 'flag:my_flag']);
    expect(bodies[0].text).toContain(PAGE);
  });

  it('of New Relic posts a custom event without null', async () => {
    const { received, bodies } = await delivered('new-relic', (url) => ({
      url: `${url}/v1/accounts/1/events`,
      licenseKey: 'key-2',
      bodyTemplate: '{{event.type}} {{event.featureName}}',
    }));
    expect(received[0]).toMatchObject({ path: '/v1/accounts/1/events', headers: { 'api-key': 'key-2' } });
    expect(bodies[0]).toMatchObject({
      eventType: 'BurgeeEvent',
      burgeeEventType: 'feature-created',
      featureName: 'my_flag',
      project: 'default',
      template: 'feature-created my_flag',
    });
    expect(Object.values(bodies[0])).not.toContain(null);
    expect(bodies[0].text).toContain('my_flag in the project default');
  });

  it('sends an event that is too large without its data', async () => {
    receiver = await startReceiver();
    service = await startTestService({ env: ADDON_ENV });
    const body = { provider: 'webhook', enabled: true, events: ['segment-created'], parameters: { url: receiver.url } };
    await accepted(service, 'createAddon', { body });
    const values = Array.from({ length: 1_000 }, (_, index) => `${index}-${'v'.repeat(215)}`);
    const constraints = [{ contextName: 'userId', operator: 'IN', values }];
    await accepted(service, 'createSegment', { body: { name: 'large', constraints } });
    await until(
      () => receiver.received.length,
      (length) => length > 0,
    );
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ type: 'segment-created', data: null });
  });
});
