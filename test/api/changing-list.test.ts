import { type IncomingMessage, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../bench/support/random.ts';
import { flag, prepare } from '../support/admin.ts';
import { CLIENT_TOKEN, startTestService, type TestService } from '../support/service.ts';

/** More than the kernel keeps for a reader who takes nothing, also when it is compressed. */
const FLAGS = 1_000;
const DESCRIPTION_CHARS = 20_000;

const random = new SeededRandom(7);
let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await change(Array.from({ length: FLAGS }, (_, index) => `flag-${index}`));
  await whole(await asked('identity'));
});

afterAll(() => service.close());

/** What does not compress well. */
function noise(): string {
  let text = '';
  while (text.length < DESCRIPTION_CHARS) text += random.next().toString(36).slice(2);
  return text;
}

async function change(names: readonly string[]): Promise<void> {
  await prepare(service, (draft) => {
    for (const name of names) {
      const environments = [{ environment: 'development', enabled: true, strategies: [], variants: [] }];
      draft.put('features', flag(name, { description: noise(), environments }));
    }
  });
}

/** Answered, but nothing of the body was read yet. */
function asked(encoding: 'gzip' | 'identity'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: CLIENT_TOKEN, 'unleash-client-spec': '5.2.0', 'accept-encoding': encoding };
    request(`${service.url}/api/client/features`, { headers, agent: false }, resolve).on('error', reject).end();
  });
}

async function whole(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('a list that keeps changing', () => {
  it('is given to each slow reader as it was when they asked, however often it changes while they read', async () => {
    const readers: { readonly gzip: IncomingMessage; readonly identity: Buffer }[] = [];
    for (let round = 0; round < 6; round++) {
      // New, replaced, and at both ends; several in one go, and several commits between two polls.
      await change([`flag-${random.integer(FLAGS)}`, `a-${round}`, `z-${round}`]);
      if (round % 2 === 1) await change([`flag-${round}`, `flag-${FLAGS - round}`]);
      const gzip = await asked('gzip');
      readers.push({ gzip, identity: await whole(await asked('identity')) });
    }
    const told = new Set<string>();
    for (const { gzip, identity } of readers) {
      const bytes = gunzipSync(await whole(gzip));
      expect(bytes.equals(identity)).toBe(true);
      const { meta } = JSON.parse(bytes.toString());
      expect(gzip.headers.etag).toBe(meta.etag);
      told.add(meta.etag);
    }
    expect(told.size).toBe(readers.length);
  });
});
