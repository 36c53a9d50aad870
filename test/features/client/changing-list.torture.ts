import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../bench/support/random.ts';
import { flag, prepare } from '../../support/admin.ts';
import { selfSigned } from '../../support/programs/certificate.ts';
import { CLIENT_TOKEN, startTestService, type TestService } from '../../support/service.ts';

/** Both lists exceed what the kernel buffers for a client that does not read. The smaller one (below 8 MB) is also copied into one buffer. */
const SIZES = [1_000, 375];
const DESCRIPTION_CHARS = 20_000;

const random = new SeededRandom(7);
const folder = mkdtempSync(join(tmpdir(), 'burgee-changing-'));
let service: TestService;

beforeAll(async () => {
  const { key, certificate } = selfSigned('localhost');
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  writeFileSync(keyFile, key, { mode: 0o600 });
  writeFileSync(certificateFile, certificate);
  const env = { TLS_ENABLE: 'true', TLS_SERVER_PORT: '0', TLS_SERVER_KEY: keyFile, TLS_SERVER_CERT: certificateFile };
  service = await startTestService({ env });
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

/** Text that does not compress well. */
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

async function remove(names: readonly string[]): Promise<void> {
  await prepare(service, (draft) => {
    for (const name of names) draft.remove('features', name);
  });
}

/** Resolves when the answer begins; nothing of its body is read. */
function asked(encoding: 'gzip' | 'identity', isTls: boolean): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: CLIENT_TOKEN, 'unleash-client-spec': '5.2.0', 'accept-encoding': encoding };
    const { tlsPort, port } = service.running;
    const target = { host: '127.0.0.1', path: '/api/client/features', headers };
    const sent = isTls
      ? https.request({ ...target, port: tlsPort ?? 0, agent: new https.Agent({ rejectUnauthorized: false }) }, resolve)
      : http.request({ ...target, port, agent: false }, resolve);
    sent.on('error', reject).end();
  });
}

async function whole(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe.each(SIZES)('a list of %i flags that keeps changing', (count) => {
  beforeAll(async () => {
    await remove([...service.running.services.state.values('features')].map(({ name }) => name));
    await change(Array.from({ length: count }, (_, index) => `flag-${index}`));
    await whole(await asked('identity', false));
  });

  it.each([false, true])(
    'is sent to each slow client as it was at the time of the request, however often it changes meanwhile (TLS: %s)',
    async (isTls) => {
      const readers: { readonly slow: readonly IncomingMessage[]; readonly identity: Buffer }[] = [];
      for (let round = 0; round < 6; round++) {
        // Flags are replaced, and added at both ends: several in one commit, and several commits between two polls.
        await change([`flag-${random.integer(count)}`, `a-${round}`, `z-${round}`]);
        if (round % 2 === 1) await change([`flag-${round}`, `flag-${count - round}`]);
        const slow = [await asked('gzip', isTls), await asked('identity', isTls)];
        readers.push({ slow, identity: await whole(await asked('identity', false)) });
      }
      const etags = new Set<string>();
      for (const { slow, identity } of readers) {
        const { meta } = JSON.parse(identity.toString());
        for (const response of slow) {
          const bytes = await whole(response);
          const isGzip = response.headers['content-encoding'] === 'gzip';
          expect((isGzip ? gunzipSync(bytes) : bytes).equals(identity)).toBe(true);
          expect(response.headers.etag).toBe(meta.etag);
        }
        etags.add(meta.etag);
      }
      expect(etags.size).toBe(readers.length);
    },
  );
});
