import { describe, expect, it } from 'vitest';
import { listenOn } from '../../src/http/server.ts';

/** Tests listen on loopback only: what uWS is asked for is looked at, and not done. */
function askedFor(host: string, port: number, sharePort: boolean): readonly unknown[] {
  let asked: readonly unknown[] = [];
  const app = { listen: (...given: readonly unknown[]) => (asked = given.slice(0, -1)) };
  listenOn(app as never, host, port, sharePort, () => {});
  return asked;
}

describe('the port', () => {
  it('is asked for at the host that was named, exclusively unless it may be shared', () => {
    expect(askedFor('127.0.0.1', 4242, false)).toEqual(['127.0.0.1', 4242, 1]);
    expect(askedFor('127.0.0.1', 4242, true)).toEqual(['127.0.0.1', 4242, 0]);
  });

  it('is asked for at every address by naming none: with an empty host uWS takes any port', () => {
    expect(askedFor('', 4242, false)).toEqual([4242, 1]);
  });
});
