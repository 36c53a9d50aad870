import { spawnSync } from 'node:child_process';
import { until } from '../support/until.ts';

/** Unleash accepts ten sign-ons per minute. */
const SIGN_ON_PAUSE_MS = 13_000;

/** The Unleash that `tools/peer.mjs` started. */
export const PEER = {
  url: required('PEER_URL'),
  adminToken: required('PEER_ADMIN_TOKEN'),
};

const [MAJOR = 0, MINOR = 0] = (process.env.PEER_VERSION ?? '8.2.0').split('.').map(Number);

/** Whether Unleash has this version or a newer one. */
export function isSince(major: number, minor = 0): boolean {
  return MAJOR > major || (MAJOR === major && MINOR >= minor);
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run npm run peer`);
  return value;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of Unleash have no types here
type Answer = any;

/** Calls the admin API of Unleash, and expects success. */
export async function ask(method: string, path: string, body?: unknown, token = PEER.adminToken): Promise<Answer> {
  const headers: Record<string, string> = { authorization: token };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  return read(`${method} ${path}`, await fetch(`${PEER.url}/api/admin${path}`, { method, headers, ...init }));
}

/** Stops Unleash as an operator does, kills it, or starts it again at the same address, with secure tokens or without. Resolves when that is done. */
export async function control(step: 'stop' | 'kill' | 'start' | 'start-secure'): Promise<void> {
  const answer = await fetch(`${required('PEER_CONTROL')}/${step}`, { method: 'POST' });
  if (!answer.ok) throw new Error(`${step}: ${await answer.text()}`);
}

/** The session cookie of the first admin, signed on. */
export async function sessionOfFirstAdmin(): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  // Not every version uses the configured password, and the first admin may exist only a moment after `/health` answers.
  const signOn = async (): Promise<string> => {
    for (const password of ['unleash4all', required('PEER_ADMIN_PASSWORD')]) {
      const login = { method: 'POST', headers, body: JSON.stringify({ username: 'admin', password }) };
      const answer = await fetch(`${PEER.url}/auth/simple/login`, login);
      if (answer.ok) return await knownSession(answer.headers.getSetCookie().join('; '));
    }
    await new Promise((resolve) => setTimeout(resolve, SIGN_ON_PAUSE_MS));
    return '';
  };
  return await until(signOn, (text) => text !== '');
}

/** The session, as soon as Unleash knows it: it answers a sign-on before it has stored the session. */
async function knownSession(cookie: string): Promise<string> {
  const isKnown = async () => (await fetch(`${PEER.url}/api/admin/user`, { headers: { cookie } })).ok;
  await until(isKnown, (known) => known);
  return cookie;
}

/** Calls the admin API as the first admin, signed on. */
export async function asFirstAdmin(): Promise<(method: string, path: string, body?: object) => Promise<Answer>> {
  const headers = { 'content-type': 'application/json', cookie: await sessionOfFirstAdmin() };
  return async (method, path, body = {}) =>
    read(
      `${method} ${path}`,
      await fetch(`${PEER.url}/api/admin${path}`, { method, headers, body: JSON.stringify(body) }),
    );
}

async function read(what: string, answer: Response): Promise<Answer> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${what}: ${answer.status} ${text.slice(0, 500)}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Runs SQL in the database of Unleash. The open-source edition has no API for more projects and more environments. */
export function query(sql: string): void {
  const { status, stderr } = spawnSync(
    required('PEER_PSQL'),
    [required('PEER_DATABASE_URL'), '-v', 'ON_ERROR_STOP=1', '-q', '-c', sql],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(stderr);
}
