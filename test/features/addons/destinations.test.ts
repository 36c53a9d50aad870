import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { DestinationError, Destinations } from '../../../src/features/addons/delivery/destinations.ts';
import { post } from '../../../src/features/addons/delivery/post.ts';
import { type Answering, type Receiver, startReceiver } from '../../support/http/receiver.ts';

const PRIVATE = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '::127.0.0.1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '64:ff9b::7f00:1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '4000::1',
  '',
  'localhost',
  '127.1',
  '1.2.3.4.5',
];

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '172.15.0.1',
  '172.32.0.1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
];

describe('the addresses to which add-ons send', () => {
  it('are public ones', () => {
    const destinations = new Destinations([]);
    expect(PRIVATE.filter((address) => destinations.allows(address))).toEqual([]);
    expect(PUBLIC.filter((address) => !destinations.allows(address))).toEqual([]);
  });

  it('are also those that the operator names, in every form', () => {
    const some = new Destinations(['10.1.0.0/16', 'fd00::/8']);
    const allowed = ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:a01:203', 'fd00::1', '1.1.1.1'];
    expect(allowed.filter((address) => !some.allows(address))).toEqual([]);
    expect(['10.2.0.1', '::ffff:10.2.0.1', '127.0.0.1', 'fe80::1'].filter((address) => some.allows(address))).toEqual(
      [],
    );
    const all = new Destinations(['*']);
    expect(PRIVATE.slice(0, 20).filter((address) => !all.allows(address))).toEqual([]);
    expect(all.allows('localhost')).toBe(false);
    expect(() => new Destinations(['10.0.0.0/33'])).toThrow(RangeError);
  });

  it('are those to which a name resolves, and the connection is made to the one that was checked', async () => {
    const answers = [['127.0.0.1', '1.1.1.1'], ['10.0.0.1'], []];
    const destinations = new Destinations([], async () => answers.shift() ?? []);
    expect(await destinations.addressOf('mixed.example')).toBe('1.1.1.1');
    await expect(destinations.addressOf('private.example')).rejects.toThrow(DestinationError);
    await expect(destinations.addressOf('none.example')).rejects.toThrow('has no address');
    await expect(destinations.addressOf('[::1]')).rejects.toThrow('not public');
  });
});

describe('a request of an add-on', () => {
  let receiver: Receiver | undefined;
  afterEach(() => receiver?.close());

  const LOCAL = new Destinations(['127.0.0.0/8']);
  const send = async (url: string, destinations = LOCAL, timeoutMs = 60_000, headers = {}) =>
    post({ target: null, url, headers, body: '{}' }, destinations, AbortSignal.timeout(timeoutMs));
  const start = async (answer?: Answering) => {
    receiver = await startReceiver(answer);
    return receiver;
  };

  it('ends when the server changes the protocol', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ status: null, problem: expect.any(String) });
    await new Promise((resolve) => server.close(resolve));
  });

  it('causes no unhandled error when its time is over before the address is looked up, or while it is', async () => {
    let fail = () => {};
    const slow = new Destinations([], () => new Promise((_resolve, reject) => (fail = () => reject(new Error('DNS')))));
    const message = { target: null, url: 'http://slow.example/', headers: {}, body: '{}' };
    expect(await post(message, slow, AbortSignal.abort(new Error('over')))).toMatchObject({ status: null });
    const stopping = new AbortController();
    const posted = post(message, slow, stopping.signal);
    await new Promise((resolve) => setImmediate(resolve));
    stopping.abort(new Error('over'));
    expect(await posted).toMatchObject({ status: null });
    // Vitest fails if nothing handles this.
    fail();
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('goes to the address that was checked, even if the name resolves to another one a moment later', async () => {
    const { port, received } = await start();
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const rebinding = new Destinations(['127.0.0.0/8'], async () => answers.shift() ?? []);
    expect(await send(`http://rebinding.example:${port}/path?a=b`, rebinding)).toMatchObject({ status: 200 });
    expect(received[0]).toMatchObject({ path: '/path?a=b', headers: { host: `rebinding.example:${port}` } });
    expect(await send(`http://rebinding.example:${port}/`, rebinding)).toMatchObject({
      status: null,
      problem: expect.stringContaining('not public'),
    });
  });

  it('makes no connection to a private address, in any notation', async () => {
    const open = await start();
    const closed = new Destinations([]);
    const hosts = [
      '127.0.0.1',
      'localhost.',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.1',
      '[::ffff:127.0.0.1]',
      '[::1]',
    ];
    for (const host of hosts)
      expect(await send(`http://${host}:${open.port}/`, closed), host).toMatchObject({ status: null });
    expect(open.connections).toBe(0);
  });

  it('does not follow redirects', async () => {
    const { received, url } = await start((_received, response) =>
      response.writeHead(307, { location: '/elsewhere' }).end(),
    );
    expect(await send(url)).toMatchObject({ status: 307 });
    expect(received).toHaveLength(1);
  });

  it('reads the beginning of an endless answer', async () => {
    const { url } = await start((_received, response) => {
      response.writeHead(200);
      // Each write in a turn of its own: Node 26 calls back in the same one, and nothing would be noticed any more, such as the end of the connection.
      const write = () => void (response.destroyed || response.write('x'.repeat(16_384), () => setImmediate(write)));
      write();
    });
    const posted = await send(url);
    expect(posted.status).toBe(200);
    expect(posted.status === null ? 0 : posted.text.length).toBe(65_536);
  });

  it('ends at its deadline, and keeps the status of an answer that does not end', async () => {
    const silent = await start(() => {});
    expect(await send(silent.url, LOCAL, 50)).toEqual({
      status: null,
      problem: 'The destination did not answer in time.',
    });
    silent.answer = (_received, response) => void response.writeHead(204).flushHeaders();
    await silent.close();
    const dripping = await start((_received, response) => void response.writeHead(202).write('a'));
    expect(await send(dripping.url, LOCAL, 2_000)).toEqual({ status: 202, retryAfterS: null, text: 'a' });
  });

  it('reports a refused connection and an unknown name without the address', async () => {
    const { url } = await start();
    await receiver?.close();
    expect(await send(`${url}/secret`)).toEqual({ status: null, problem: 'The connection failed (ECONNREFUSED).' });
    const unknown = new Destinations([], async () => Promise.reject(new Error('ENOTFOUND secret.example')));
    expect(await send('https://secret.example/', unknown)).toEqual({
      status: null,
      problem: 'The name of the host cannot be resolved.',
    });
  });
});
