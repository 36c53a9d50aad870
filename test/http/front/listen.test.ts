import { describe, expect, it } from 'vitest';
import { listenArguments } from '../../../src/http/front/fast/fast-front.ts';
import { listenError, listenErrorOf } from '../../../src/http/front/listen-error.ts';
import { FRONTS, testFront } from '../../support/http/front.ts';

// Tests listen on loopback only: these are the arguments for uWS, and no port is opened.
it('the port is opened on the configured host', () => {
  expect(listenArguments('127.0.0.1', 4242, 1)).toEqual(['127.0.0.1', 4242, 1]);
});

it('the port is opened on every address without a host argument: with an empty host uWS opens any port', () => {
  expect(listenArguments('', 4242, 0)).toEqual([4242, 0]);
});

describe('the error of a port that cannot be used', () => {
  it.each([
    ['EADDRINUSE', /^the port is in use\. .*sport = :80'/],
    ['EACCES', /^this process may not use the port\. Ports below 1024 need root/],
    ['EPERM', /^this process may not use the port/],
    ['EADDRNOTAVAIL', /^this machine has no address flags\.example\. Set HTTP_HOST/],
    ['EINVAL', /^this machine has no address flags\.example/],
    ['ENOTFOUND', /^the name flags\.example cannot be resolved\. Set HTTP_HOST/],
    ['EAI_AGAIN', /^the name flags\.example cannot be resolved/],
    ['EMFILE', /^the reason is not known \(EMFILE\)$/],
    ['', /^the reason is not known$/],
  ])('with the code %s says what is wrong and what helps', (code, cause) => {
    const { name, message } = listenErrorOf(code, 'flags.example', 80);
    expect([name, message.split(': ', 1)[0]]).toEqual(['ListenError', 'cannot listen on flags.example, port 80']);
    expect(message.slice(message.indexOf(': ') + 2)).toMatch(cause);
  });

  it('names no host if there is none', () => {
    expect(listenErrorOf('EACCES', '', 80).message).toMatch(/^cannot listen on any address, port 80: this process/);
  });

  it.each(FRONTS)('is found by the %s front, for an address of another machine', async (kind) => {
    // An address that is reserved for documentation (RFC 5737).
    const front = testFront(kind).create(undefined);
    await expect(front.listen('192.0.2.1', 0, false)).rejects.toThrow(
      /^cannot listen on 192\.0\.2\.1, port 0: this machine has no address 192\.0\.2\.1\./,
    );
    await front.close(0);
  });

  it('says that the reason is not known if a second try succeeds', async () => {
    expect((await listenError('127.0.0.1', 0)).message).toMatch(/the reason is not known$/);
  });
});
