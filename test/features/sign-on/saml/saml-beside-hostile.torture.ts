import { request } from 'node:http';
import { loadavg } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestService } from '../../../support/service.ts';
import { Browser } from '../browser.ts';
import { startAddressed } from '../service.ts';
import {
  type Answered,
  answered,
  handOver,
  introduce,
  isSignedOn,
  type SamlWorld,
  startSamlWorld,
} from './saml-world.ts';

/** Wrong signatures come from these addresses at the same time, two from each: more from one address are refused unread. */
const HOSTILE_ADDRESSES = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];
const PER_ADDRESS = 2;
const SIGN_ONS = 40;

let world: SamlWorld;
let service: TestService;

beforeAll(async () => {
  world = await startSamlWorld();
  service = await startAddressed();
  await introduce(world, service.url);
});

afterAll(async () => {
  await service.close();
  await world.provider.end();
});

/** Posts a form with the browser's cookies from this address; its status. */
function postFrom(localAddress: string, { browser, action }: Answered, xml: string): Promise<number | undefined> {
  const body = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: '' }).toString();
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': body.length,
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  };
  return new Promise((resolve, reject) => {
    const sent = request(action, { method: 'POST', localAddress, headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode));
    });
    sent.once('error', reject).end(body);
  });
}

/** Signs users on, one after the other. Returns the time of the service for each response, in ms. */
async function signOns(name: string): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < SIGN_ONS; index++) {
    const answer = await answered(world, service.url, { nameId: `${name}-${index}@example.com` }, new Browser());
    const startedMs = performance.now();
    const page = await handOver(answer, answer.xml);
    times.push(performance.now() - startedMs);
    expect(page.status, page.text).toBe(303);
    expect(await isSignedOn(service.url, answer.browser)).toBe(true);
  }
  return times;
}

function summary(times: readonly number[]): string {
  const sorted = [...times].sort((left, right) => left - right);
  const [p50, p95] = [0.5, 0.95].map((share) => sorted[Math.floor(sorted.length * share)]?.toFixed(0));
  return `p50 ${p50} ms, p95 ${p95} ms`;
}

it('users can sign on while others send responses that are made to take long', async () => {
  const own = await answered(world, service.url, { nameId: 'mallory@example.com' });
  const made = [
    own.xml.replace(/(<saml:AttributeStatement>|<saml:Subject>)/, `${'<b/>'.repeat(2_900)}$1`),
    own.xml.replace(
      /<saml:Subject>/,
      `<saml:Subject ${Array.from({ length: 3_000 }, (_, at) => `xmlns:n${at}="u"`).join(' ')}>`,
    ),
  ];
  for (const xml of made) expect(xml.length).toBeGreaterThan(own.xml.length + 10_000);
  const alone = await signOns('alone');
  let isOver = false;
  const statuses = new Map<number | undefined, number>();
  const senders = HOSTILE_ADDRESSES.flatMap((address) =>
    Array.from({ length: PER_ADDRESS }, async (_, at) => {
      while (!isOver) {
        const status = await postFrom(address, own, made[at % made.length] as string);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }),
  );
  const beside = await signOns('beside');
  isOver = true;
  await Promise.all(senders);
  const counts = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ');
  console.info(
    `sign-ons: alone ${summary(alone)}; beside ${summary(beside)}; load ${loadavg()[0]}; answers: ${counts}`,
  );
  expect(statuses.size).toBeGreaterThan(0);
  for (const status of statuses.keys()) expect([400, 401, 403, 413, 429]).toContain(status);
});
