import { describe, expect, it } from 'vitest';
import { listenOn } from '../../src/http/front/fast/fast-front.ts';

/** Tests listen on loopback only: this returns the arguments for uWS, and opens no port. */
function askedFor(host: string, port: number, sharePort: boolean): readonly unknown[] {
  let asked: readonly unknown[] = [];
  const app = { listen: (...args: readonly unknown[]) => (asked = args.slice(0, -1)) };
  listenOn(app as never, host, port, sharePort, () => {});
  return asked;
}

describe('the port', () => {
  it('is opened on the configured host, exclusively unless it may be shared', () => {
    expect(askedFor('127.0.0.1', 4242, false)).toEqual(['127.0.0.1', 4242, 1]);
    expect(askedFor('127.0.0.1', 4242, true)).toEqual(['127.0.0.1', 4242, 0]);
  });

  it('is opened on every address without a host argument: with an empty host uWS opens any port', () => {
    expect(askedFor('', 4242, false)).toEqual([4242, 1]);
  });
});
