import { expect, it } from 'vitest';
import { listenArguments } from '../../../src/http/front/fast/fast-front.ts';

// Tests listen on loopback only: these are the arguments for uWS, and no port is opened.
it('the port is opened on the configured host', () => {
  expect(listenArguments('127.0.0.1', 4242, 1)).toEqual(['127.0.0.1', 4242, 1]);
});

it('the port is opened on every address without a host argument: with an empty host uWS opens any port', () => {
  expect(listenArguments('', 4242, 0)).toEqual([4242, 0]);
});
