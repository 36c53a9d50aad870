import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { ApiToken } from '../../src/model/api-token.ts';
import type { Caller } from '../../src/model/caller.ts';
import * as secrets from '../../src/model/token-secret.ts';
import { State } from '../../src/state/state.ts';
import { TokenView } from '../../src/views/token-view.ts';

const hashings = vi.hoisted(() => ({ count: 0 }));

vi.mock('../../src/model/token-secret.ts', async (original) => {
  const real = await original<typeof import('../../src/model/token-secret.ts')>();
  return {
    ...real,
    hashedSecret(text: string) {
      hashings.count += 1;
      return real.hashedSecret(text);
    },
  };
});

const token = (text: string, isHashed: boolean): ApiToken => ({
  secret: isHashed ? secrets.hashedSecret(text) : text,
  tokenName: text,
  type: 'client',
  environment: 'development',
  projects: ['*'],
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: null,
  seenAt: null,
  alias: null,
});

function viewOf(tokens: readonly ApiToken[]): TokenView {
  const state = new State();
  for (const each of tokens) state.load('apiTokens', each.secret, each);
  return new TokenView(state, systemClock);
}

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('TokenView', () => {
  beforeEach(() => {
    hashings.count = 0;
  });

  it('hashes a secret when it sees it for the first time, and never again', () => {
    const view = viewOf([token('*:development.a', true), token('*:development.b', true)]);
    hashings.count = 0;
    const found = view.find('*:development.a');
    expect(found?.token?.tokenName).toBe('*:development.a');
    for (let polls = 0; polls < 100; polls += 1) expect(view.find('*:development.a')).toBe(found);
    expect(hashings.count).toBe(1);
    expect([...view.takeUsedSecrets()]).toEqual([secrets.hashedSecret('*:development.a')]);
  });

  it('hashes nothing when secrets are readable, and no text that cannot be a secret', () => {
    const readable = viewOf([token('*:development.a', false)]);
    expect(readable.find('*:development.a')).toBeDefined();
    expect(readable.find('*:development.b')).toBeUndefined();
    const hashed = viewOf([token('*:development.a', true)]);
    hashings.count = 0;
    for (const text of ['', 'Bearer *:development.a', `*:development.${'a'.repeat(2_000)}`]) {
      expect(hashed.find(text)).toBeUndefined();
    }
    expect(hashings.count).toBe(0);
  });

  it('forgets a secret that it has seen when its token was deleted, and finds it again when the token is back', async () => {
    const view = viewOf([token('*:development.a', true)]);
    const [secret] = [secrets.hashedSecret('*:development.a')];
    expect(view.find('*:development.a')).toBeDefined();
    (await view.prepare(new State())).takeOver();
    expect(view.find('*:development.a')).toBeUndefined();
    const state = new State();
    state.load('apiTokens', secret, token('*:development.a', true));
    (await view.prepare(state)).takeOver();
    expect(view.find('*:development.a')).toBeDefined();
  });

  it('knows nothing of a caller without a token, and of a token that was deleted', async () => {
    const frontend: ApiToken = { ...token('*:development.a', false), type: 'frontend' };
    const view = viewOf([frontend]);
    const caller = view.find(frontend.secret);
    if (!caller) throw new Error('the token is unknown');
    const answers = (asker: Caller) => [view.publicNameOf(asker), view.isCurrent(asker)];
    const name = view.publicNameOf(caller);
    expect(name).toMatch(/^[\w-]{16}$/);
    expect(view.findNamed(name ?? '')).toBe(caller);
    expect(answers(caller)).toEqual([name, true]);
    expect(answers({ ...caller, token: null })).toEqual([null, false]);
    (await view.prepare(new State())).takeOver();
    expect(answers(caller)).toEqual([null, false]);
    expect(view.findNamed(name ?? '')).toBeUndefined();
  });

  it('keeps nothing of unknown secrets', () => {
    const view = viewOf([token('*:development.a', true)]);
    const flood = (from: number) => {
      for (let number = from; number < from + 100_000; number += 1) {
        if (view.find(`*:development.unknown-${number}-${'x'.repeat(200)}`)) throw new Error('a secret was found');
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = flood(0);
    // If the view kept them, they would use at least 40 MB.
    expect(flood(100_000) - before).toBeLessThan(5_000_000);
  });
});
