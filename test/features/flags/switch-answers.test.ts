import { beforeAll, describe, expect, it } from 'vitest';
import { makeFlags, makeSegments } from '../../../bench/support/flags.ts';
import { Flags } from '../../support/flags.ts';
import { useService } from '../../support/service.ts';

const BY = { id: 1, name: 'test' };
const FLAGS = 60;

const service = useService();
let flags: Flags;
const names: string[] = [];

beforeAll(async () => {
  flags = new Flags(service);
  const made = makeFlags(FLAGS, { seed: 5 });
  const awkward = 'with "strategies":[],"variants":[] and "environments":[] \\ \u2028 ü';
  const features = made.map((feature, index) => ({
    ...feature,
    ...(index % 3 === 0 && { description: awkward }),
    ...(index % 5 === 0 && {
      dependencies: [{ feature: made[(index + 1) % FLAGS]?.name ?? '', enabled: true, variants: [] }],
    }),
    ...(index % 7 === 0 && { links: [{ id: `l${index}`, url: 'https://example.com/', title: awkward }] }),
    // Several flags share the same list, as after a copy.
    environments: index % 4 === 3 ? (made[0]?.environments ?? []) : feature.environments,
  }));
  const put = {
    decide: ({ draft }: { readonly draft: import('../../../src/state/draft.ts').Draft }) => {
      for (const segment of makeSegments(7)) draft.put('segments', segment);
      for (const feature of features) draft.put('features', feature);
    },
  };
  await service.running.services.writer.submit(put, undefined, BY);
  names.push(...features.map(({ name }) => name));
});

async function switched(featureName: string, environment: string, position: 'On' | 'Off'): Promise<string> {
  const answer = await flags.call(`toggleFeatureEnvironment${position}`, { featureName, environment });
  expect(answer.status).toBe(200);
  return answer.text;
}

describe('the response to switching a flag', () => {
  it('equals the response to reading the flag, byte for byte, after every switch', async () => {
    for (const name of names) {
      for (const position of ['On', 'Off', 'On'] as const) {
        const text = await switched(name, 'development', position);
        expect(text).toBe((await flags.read(name)).text);
      }
    }
  });

  it('contains a strategy that was added since the last switch', async () => {
    const [featureName = ''] = names;
    for (let round = 0; round < 3; round++) {
      const before = await switched(featureName, 'production', 'On');
      await flags.call(
        'addFeatureStrategy',
        { featureName, environment: 'production' },
        { name: 'default', title: `${round}` },
      );
      const after = await switched(featureName, 'production', 'Off');
      expect(after).not.toBe(before);
      expect(JSON.stringify(JSON.parse(after))).toContain(`"title":"${round}"`);
      expect(after).toBe((await flags.read(featureName)).text);
    }
  });

  it('is the same after the flag was switched off and on again', async () => {
    const texts = new Map<string, string>();
    for (const name of names) texts.set(name, (await flags.read(name)).text);
    for (const name of names) await switched(name, 'development', 'Off');
    for (const name of names) expect(await switched(name, 'development', 'On')).toBe(texts.get(name));
  });
});
