import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runProgram } from '../../../src/products/program/program.ts';
import { ADMIN_TOKEN, startTestService, type TestService } from '../../support/service.ts';

export const TARGET_ADMIN = '*:*.target-admin';

/** An instance with an admin token only. */
export function startTarget(env: Readonly<Record<string, string>> = {}): Promise<TestService> {
  const tokens = { INIT_ADMIN_API_TOKENS: TARGET_ADMIN, INIT_CLIENT_API_TOKENS: '', INIT_FRONTEND_API_TOKENS: '' };
  return startTestService({ env: { ...tokens, ...env } });
}

interface Running {
  readonly ended: Promise<number | undefined>;
  out(): string;
  err(): string;
}

/** Starts `burgee migrate` from the source to the target. */
export function beginMigrate(source: string, target: string, args: readonly string[], stop?: AbortSignal): Running {
  let out = '';
  let err = '';
  const ended = runProgram(['migrate', '--from', source, '--url', target, ...args], {
    environment: { FROM_TOKEN: ADMIN_TOKEN, BURGEE_TOKEN: TARGET_ADMIN },
    ...(stop && { stop }),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { ended, out: () => out, err: () => err };
}

export async function runMigrate(source: string, target: string, ...args: readonly string[]) {
  const { ended, out, err } = beginMigrate(source, target, args);
  const code = await ended;
  return { code, out: out(), err: withoutProgress(err()) };
}

/** Removes progress messages, which appear only in a long run: a busy machine must not fail a test. */
function withoutProgress(err: string): string {
  return err.replace(/^[a-z ]+: \d+ of \d+\n/gm, '');
}

/** Saves a file to import. */
export async function savedIn(directory: string, name: string, content: unknown): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

/** Runs `burgee migrate` with files. Returns the exit code and all output. */
export async function migrateFiles(target: string, ...args: readonly string[]) {
  let said = '';
  const add = (text: string) => {
    said += text;
  };
  const environment = { BURGEE_TOKEN: TARGET_ADMIN };
  const code = await runProgram(['migrate', '--url', target, ...args], { environment, out: add, err: add });
  return { code, said };
}

/** The list that an SDK with the token gets, without the fields that depend on the history of the instance. */
export async function clientList(service: Pick<TestService, 'url'>, token: string) {
  const headers = { authorization: token, 'unleash-client-spec': '5.2.0' };
  const answer = await fetch(`${service.url}/api/client/features`, { headers });
  expect(answer.status).toBe(200);
  const { features, segments } = (await answer.json()) as { features: object[]; segments: object[] };
  return { features, segments };
}
