import { expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { unavailable } from '../../../src/base/rejection.ts';
import { type DecideTokens, UnknownTokens } from '../../../src/products/relay/unknown-tokens.ts';

it('tokens that a service may have to adopt do not hold other tokens back while it cannot ask about them', async () => {
  const away = unavailable('The source is away.', 2);
  const asked: string[][] = [];
  const decide: DecideTokens = async (secrets) => {
    asked.push([...secrets]);
    return secrets.some((secret) => secret.includes('.v2_')) ? away : () => 'accepted';
  };
  const unknown = new UnknownTokens({ clock: systemClock, decide, displaced: away, unknownMs: 1_000 });
  const made = '*:development.v2_CCCCCCCCCCCCCCCCCCCCCC_x';
  const answers = [made, 'default:development.a', 'default:development.b'].map((secret) =>
    unknown.await(secret, 'net'),
  );
  expect(await Promise.all(answers)).toEqual([away, undefined, undefined]);
  expect(asked.sort()).toEqual([[made], ['default:development.a', 'default:development.b']]);
});
