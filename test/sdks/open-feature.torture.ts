import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Flags } from '../support/flags.ts';
import { BurgeeProcess } from '../support/programs/burgee-process.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, serviceAt, type TestService } from '../support/service.ts';
import { Lines } from './lines.ts';
import { Absence, installPython, removeInstalled } from './toolchains.ts';

const PACKAGES = ['openfeature-sdk==0.10.0', 'openfeature-provider-ofrep==0.3.0'];
const SCRIPT = fileURLToPath(new URL('python/open_feature.py', import.meta.url));

interface Answer {
  readonly value: unknown;
  readonly variant: string | null;
  readonly reason: string;
  readonly error: string | null;
}

let absence: string | undefined;
let directory: string;
let burgee: BurgeeProcess;
let flags: Flags;
let provider: Lines;

beforeAll(async () => {
  const installed = await installPython(SCRIPT, ...PACKAGES);
  if (installed instanceof Absence) {
    absence = installed.reason;
    console.warn(`OFREP provider of Python: ${absence}`);
    return;
  }
  directory = mkdtempSync(join(tmpdir(), 'burgee-open-feature-'));
  burgee = new BurgeeProcess({
    DATA_DIR: join(directory, 'data'),
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    INIT_CLIENT_API_TOKENS: CLIENT_TOKEN,
    INIT_FRONTEND_API_TOKENS: FRONTEND_TOKEN,
  });
  const url = await burgee.url();
  flags = new Flags(serviceAt(url) as TestService);
  provider = new Lines(installed.command, [...installed.given, url]);
});

beforeEach(({ skip }) => skip(absence !== undefined, absence));

afterAll(async () => {
  await provider?.stop();
  await burgee?.stop();
  if (directory) rmSync(directory, { recursive: true, force: true });
  removeInstalled();
});

const ask = (flag: string, type: string, fallback: unknown, more: object = {}) =>
  provider.ask<Answer>({ flag, type, default: fallback, token: FRONTEND_TOKEN, ...more });

const withPayload = (type: string, value: string) =>
  flags.createFor([], {
    variants: [{ name: 'only', weight: 1000, weightType: 'variable', stickiness: 'default', payload: { type, value } }],
  });

describe('OFREP’s provider for Python, unmodified', () => {
  it('gets flags without variants, on and off', async () => {
    const on = await flags.createFor([]);
    expect(await ask(on, 'boolean', false)).toEqual({ value: true, variant: 'on', reason: 'STATIC', error: null });
    const off = await flags.create();
    expect(await ask(off, 'boolean', true)).toEqual({ value: false, variant: 'off', reason: 'DISABLED', error: null });
  });

  it('follows the context: the user, and other attributes', async () => {
    const constraints = [
      { contextName: 'userId', operator: 'IN', values: ['me'] },
      { contextName: 'plan', operator: 'IN', values: ['gold'] },
    ];
    const flag = await flags.createFor(constraints);
    const attributes = { plan: 'gold' };
    expect(await ask(flag, 'boolean', false, { user: 'me', attributes })).toMatchObject({ value: true, error: null });
    expect(await ask(flag, 'boolean', true, { user: 'you', attributes })).toMatchObject({ value: false, error: null });
  });

  it.each([
    ['string', ['string', 'red'], 'none', 'red'],
    ['integer', ['number', '42'], 0, 42],
    ['float', ['number', '4.5'], 0.5, 4.5],
    ['object', ['json', '{"a":[1]}'], {}, { a: [1] }],
  ] as const)('gets payloads as %s', async (type, [payload, text], fallback, value) => {
    const flag = await withPayload(payload, text);
    expect(await ask(flag, type, fallback)).toMatchObject({ value, variant: 'only', error: null });
  });

  it('returns the fallback for a flag with a payload that is off', async () => {
    const flag = await withPayload('string', 'red');
    await flags.call('toggleFeatureEnvironmentOff', { featureName: flag, environment: 'development' });
    expect(await ask(flag, 'string', 'fallback')).toMatchObject({ value: 'fallback' });
  });

  it('returns the fallback and the reason for a missing flag, a wrong type or a wrong token', async () => {
    const missing = await ask('no-such-flag', 'boolean', true);
    expect(missing).toMatchObject({ value: true, reason: 'ERROR', error: 'FLAG_NOT_FOUND' });
    const wrongType = await ask(await flags.createFor([]), 'string', 'fallback');
    expect(wrongType).toMatchObject({ value: 'fallback', reason: 'ERROR', error: 'TYPE_MISMATCH' });
    const flag = await flags.createFor([]);
    for (const token of ['*:development.wrong', CLIENT_TOKEN]) {
      expect(await ask(flag, 'boolean', false, { token })).toMatchObject({
        value: false,
        reason: 'ERROR',
        error: 'GENERAL',
      });
    }
    expect(await ask(flag, 'boolean', false)).toMatchObject({ value: true, error: null });
  });
});
