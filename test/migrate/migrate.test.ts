import { afterAll, beforeAll, expect, it } from 'vitest';
import { runProgram } from '../../src/program/program.ts';
import { ADMIN_TOKEN, startTestService, type TestService } from '../support/service.ts';
import { fillSource, type SourceTokens } from './source-world.ts';

const TARGET_ADMIN = '*:*.target-admin';

let source: TestService;
let target: TestService;
let tokens: SourceTokens;

beforeAll(async () => {
  source = await startTestService();
  tokens = await fillSource(source);
  target = await startTestService({
    env: { INIT_ADMIN_API_TOKENS: TARGET_ADMIN, INIT_CLIENT_API_TOKENS: '', INIT_FRONTEND_API_TOKENS: '' },
  });
});

afterAll(async () => {
  await source?.close();
  await target?.close();
});

/** Runs `burgee migrate` from the source to the target. */
async function migrate(...args: readonly string[]) {
  let out = '';
  let err = '';
  const code = await runProgram(['migrate', '--from', source.url, '--url', target.url, ...args], {
    environment: { FROM_TOKEN: ADMIN_TOKEN, BURGEE_TOKEN: TARGET_ADMIN },
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

/** What an SDK with the token is told, without what names the instance's own history. */
async function clientList(service: TestService, token: string) {
  const headers = { authorization: token, 'unleash-client-spec': '5.2.0' };
  const answer = await fetch(`${service.url}/api/client/features`, { headers });
  expect(answer.status).toBe(200);
  const { features, segments } = (await answer.json()) as { features: object[]; segments: object[] };
  return { features, segments };
}

it('a rehearsal tells what would be made, and makes nothing', async () => {
  const { seq } = target.running.services.state;
  const { code, out, err } = await migrate('--dry-run');
  expect(err).toBe('');
  expect(code, out).toBe(0);
  expect(out).toMatch(/7 flags would be created/);
  expect(target.running.services.state.seq).toBe(seq);
});

it('moves everything in one command: SDKs with their old tokens are told the same', async () => {
  const { code, out, err } = await migrate();
  expect(err).toBe('');
  expect(code, out).toBe(0);
  for (const token of [tokens.client, tokens.mobile]) {
    const told = await clientList(source, token);
    expect(told.features.length).toBeGreaterThan(1);
    expect(await clientList(target, token)).toEqual(told);
  }
  const ask = (service: TestService) =>
    fetch(`${service.url}/api/frontend?userId=7&plan=gold`, { headers: { authorization: tokens.frontend } });
  const answer = await (await ask(source)).json();
  expect(await (await ask(target)).json()).toEqual(answer);
  expect(out).not.toContain(tokens.client);
});

it('run again, it changes nothing', async () => {
  const { seq } = target.running.services.state;
  const { code, out } = await migrate();
  expect(code, out).toBe(0);
  expect(out).toMatch(/things are all as they are there/);
  expect(target.running.services.state.seq).toBe(seq);
});
