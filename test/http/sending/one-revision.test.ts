import { beforeAll, describe, expect, it } from 'vitest';
import type { Feature } from '../../../src/model/feature.ts';
import { flag, prepare } from '../../support/admin.ts';
import { ADMIN_TOKEN, FRONTEND_TOKEN, useService } from '../../support/service.ts';

const FLAGS = 300;
const PARENT = 'zz-parent';

const service = useService();

beforeAll(async () => {
  await change(0);
});

/** Changes all flags and their common parent in one commit. The responses are too long to send in one write. */
async function change(round: number): Promise<void> {
  await prepare(service, (draft) => {
    for (const name of [...Array.from({ length: FLAGS }, (_, index) => `flag-${index}`), PARENT]) {
      draft.put('features', flagOf(name, round));
    }
  });
}

function flagOf(name: string, round: number): Feature {
  const payload = { type: 'string' as const, value: `${round}${'x'.repeat(45_000)}` };
  const variants = [
    { name: `round-${round}`, weight: 1000, weightType: 'variable' as const, stickiness: 'default', payload },
  ];
  const isChild = name !== PARENT;
  return flag(name, {
    dependencies: isChild ? [{ feature: PARENT, enabled: true, variants: [`round-${round}`] }] : [],
    environments: [{ environment: 'development', enabled: true, strategies: [], variants: variants }],
  });
}

/** Sends a request, and reads the response in two parts. Between them, all flags change. */
async function readAcross(path: string, token: string, body: unknown, round: number): Promise<string> {
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    // More than the kernels buffer, which it would not be after compression.
    headers: { authorization: token, 'content-type': 'application/json', 'accept-encoding': 'identity' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const chunks = [(await reader.read()).value as Uint8Array];
  await change(round);
  for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
  return Buffer.concat(chunks).toString();
}

interface Evaluated {
  readonly name: string;
  readonly variant: { readonly name: string };
}

describe('a response that takes long to send contains one revision', () => {
  it('from the frontend API', async () => {
    const body = JSON.parse(await readAcross('/api/frontend', FRONTEND_TOKEN, { context: { userId: 'a' } }, 1));
    const toggles = body.toggles as Evaluated[];
    expect(new Set(toggles.map(({ variant }) => variant.name))).toEqual(new Set(['round-0']));
    expect(toggles).toHaveLength(FLAGS + 1);
  });

  it('from the playground', async () => {
    const asked = { environment: 'development', projects: '*', context: { appName: 'test', userId: 'a' } };
    const body = JSON.parse(await readAcross('/api/admin/playground', ADMIN_TOKEN, asked, 2));
    const features = body.features as Evaluated[];
    expect(new Set(features.map(({ variant }) => variant.name))).toEqual(new Set(['round-1']));
    expect(features).toHaveLength(FLAGS + 1);
  });

  it('from the advanced playground', async () => {
    const asked = { environments: ['development'], projects: '*', context: { appName: 'test', userId: 'a' } };
    const body = JSON.parse(await readAcross('/api/admin/playground/advanced', ADMIN_TOKEN, asked, 3));
    const features = body.features as { environments: { development: Evaluated[] } }[];
    const results = features.flatMap(({ environments }) => environments.development);
    expect(new Set(results.map(({ variant }) => variant.name))).toEqual(new Set(['round-2']));
    expect(results).toHaveLength(FLAGS + 1);
  });
});
