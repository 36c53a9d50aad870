import { expect, it } from 'vitest';
import { freePort } from '../../../bench/support/free-port.ts';
import { Flags } from '../../support/flags.ts';
import { EventStream } from '../../support/http/event-stream.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, useService } from '../../support/service.ts';

const service = useService();

async function evaluate({ url }: TestRelay) {
  const headers = { authorization: FRONTEND_TOKEN, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/ofrep/v1/evaluate/flags`, { method: 'POST', headers, body: '{}' });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { readonly eventStreams: readonly [{ endpoint: { requestUri: string } }] };
}

it('an address of a relay opens its stream again after a restart without a store, when the token has been used', async () => {
  const flags = new Flags(service);
  const HTTP_PORT = String(await freePort());
  const start = () =>
    startTestRelay(service.url, { isStreaming: true, tokens: [CLIENT_TOKEN] }, { env: { HTTP_PORT } });
  let relay = await start();
  const { eventStreams } = await evaluate(relay);
  const address = relay.url + eventStreams[0].endpoint.requestUri;
  const stream = await EventStream.open<object>(address, {});
  await flags.create();
  await stream.until(() => stream.events.length > 0);
  const { lastId } = stream;
  await relay.close();
  relay = await start();
  // It does not know the token any more: the browser is asked to request the flags, which it does with its token.
  const refused = await EventStream.open<object>(address, { 'last-event-id': lastId });
  await refused.end();
  expect([refused.events.map(({ data }) => data), refused.lastId]).toEqual([
    [{ type: 'refetchEvaluation' }],
    'refused',
  ]);
  await evaluate(relay);
  const back = await EventStream.open<object>(address, { 'last-event-id': refused.lastId });
  await flags.create();
  await back.until(() => back.events.length > 0);
  back.close();
  await relay.close();
});
