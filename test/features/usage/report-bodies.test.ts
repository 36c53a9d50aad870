import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { CLIENT_TOKEN, useService } from '../../support/service.ts';

const DEEP = `{"appName":"a","other":${'['.repeat(64)}${']'.repeat(64)}}`;
const WIDE = Array.from({ length: 12_600 }, (_, at) => `"f${at}":{}`).join(',');

describe('bodies of reports', () => {
  const service = useService();
  let flags: Flags;

  beforeAll(async () => {
    flags = new Flags(service);
  });

  const send = (path: string, body: string) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: CLIENT_TOKEN, 'content-type': 'application/json' },
      body,
    });

  const counts = async (flag: string) => {
    const { data } = (await accepted(service, 'getRawFeatureMetrics', { params: { name: flag } })).body;
    return data.map(({ yes, no, variants }: Record<string, unknown>) => ({ yes, no, variants }));
  };

  it.each([
    ['as SDKs write them', (text: string) => text],
    ['with white space', (text: string) => JSON.stringify(JSON.parse(text), null, 2)],
    ['with unknown members and non-ASCII text', (text: string) => text.replace('{', '{"other":[1,{"a":"é"}],')],
    ['with a byte order mark', (text: string) => `\ufeff${text}`],
    ['with a Go timestamp', (text: string) => text.replace(/"stop":"([^"]*)\.\d+Z"/, '"stop":"$1.123456789Z"')],
    [
      'longer than one chunk of a connection',
      (text: string) => text.replace('{', `{"sdkType":"${'x'.repeat(200_000)}",`),
    ],
  ])('are counted %s', async (_, written) => {
    const flag = await flags.create();
    const now = new Date().toISOString();
    const use = { yes: 3, no: 2, variants: { disabled: 1 } };
    const bucket = { start: now, stop: now, toggles: { [flag]: use } };
    const one = await send('/api/client/metrics', written(JSON.stringify({ appName: 'shop', bucket })));
    expect(one.status).toBe(202);
    const metrics = [{ featureName: flag, appName: 'till', timestamp: now, ...use }];
    expect((await send('/api/client/metrics/bulk', written(JSON.stringify({ metrics })))).status).toBe(202);
    expect(await counts(flag)).toEqual([expect.objectContaining(use), expect.objectContaining(use)]);
  });

  it.each<[string, object, object]>([
    ['counts as text', { yes: '3', no: '2', variants: { disabled: '1' } }, {}],
    ['an instance that is a number', {}, { instanceId: 5 }],
    ['null where it means nothing', { variants: { disabled: 1, other: null } }, { sdkVersion: null }],
  ])('are counted with %s, as in Unleash', async (_, uses, fields) => {
    const flag = await flags.create();
    const now = new Date().toISOString();
    const use = { yes: 3, no: 2, variants: { disabled: 1 } };
    const bucket = { start: now, stop: now, toggles: { [flag]: { ...use, ...uses } } };
    const body = { appName: 'odd', bucket, ...fields };
    expect((await send('/api/client/metrics', JSON.stringify(body))).status).toBe(202);
    const metrics = [{ featureName: flag, appName: 'odd', timestamp: now, ...use, ...uses, ...fields }];
    expect((await send('/api/client/metrics/bulk', JSON.stringify({ metrics }))).status).toBe(202);
    await accepted(service, 'registerClientApplication', { body: { appName: 'odd', strategies: [], ...fields } });
    const sum = (await counts(flag)).reduce((total: number, { yes }: { yes: number }) => total + yes, 0);
    expect(sum).toBe(6);
  });

  it('of relays are counted without the items that name no application', async () => {
    const flag = await flags.create();
    const { dropped } = service.running.services.reports;
    const before = dropped.application;
    const item = { featureName: flag, timestamp: null, yes: 3, no: 2 };
    const metrics = [
      { ...item, appName: '' },
      { ...item, appName: 'named' },
    ];
    const applications = [{ appName: '' }, { appName: 'named' }];
    expect((await send('/api/client/metrics/bulk', JSON.stringify({ applications, metrics }))).status).toBe(202);
    expect(await counts(flag)).toMatchObject([{ yes: 3, no: 2 }]);
    expect(dropped.application - before).toBe(2);
  });

  it.each([
    [
      'a flag named __proto__',
      '{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{"__proto__":{"yes":1}}}}',
      '__proto__',
    ],
    [
      'a variant named __proto__',
      '{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{"a":{"variants":{"__proto__":1}}}}}',
      '__proto__',
    ],
    ['a member named __proto__ in escapes', '{"appName":"a","\\u005f_proto__":1}', '__proto__'],
    [
      'a key named __proto__ in impact metrics',
      '{"appName":"a","impactMetrics":[{"name":"a","type":"b","samples":[],"__proto__":1}]}',
      '__proto__',
    ],
    ['an invalid time', '{"appName":"a","bucket":{"start":"then","stop":1,"toggles":{}}}', 'times'],
    [
      'a negative number of requests',
      '{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{"a":{"yes":-1}}}}',
      '/bucket/toggles',
    ],
    ['a number that is too large', '{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{"a":{"yes":1e400}}}}', ''],
    ['impact metrics with missing fields', '{"appName":"a","impactMetrics":[{"name":"a"}]}', '/impactMetrics/0'],
    ['a truncated document', '{"appName":"a","bucket":{"start":1,"stop":1,"tog', 'not valid JSON'],
    ['text after the end', '{"appName":"a"}x', 'not valid JSON'],
    ['an empty body', '', 'not valid JSON'],
    ['more depth than a body may have', DEEP, ''],
    ['more values than a body may have', `{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{${WIDE}}}}`, ''],
    ['no application name', '{"instanceId":"a"}', 'appName'],
    ['a lone surrogate', '{"appName":"\\ud800"}', ''],
  ])('are refused with %s', async (_, body, message) => {
    const answer = await send('/api/client/metrics', body);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(message);
  });

  it.each([
    ['a flag without a name', '{"metrics":[{"appName":"a","yes":1}]}'],
    ['an empty name', '{"metrics":[{"featureName":"","appName":"a"}]}'],
    ['a flag without an application', '{"metrics":[{"featureName":"a","yes":1}]}'],
    ['a time that is no time', '{"metrics":[{"featureName":"a","appName":"a","timestamp":[]}]}'],
    ['applications that do not match the schema', '{"applications":[{"appName":["a"]}]}'],
    ['a trailing comma', '{"metrics":[{"featureName":"a","appName":"a"},]}'],
    ['a list', '[]'],
  ])('of relays are refused with %s', async (_, body) => {
    expect((await send('/api/client/metrics/bulk', body)).status).toBe(400);
  });
});
