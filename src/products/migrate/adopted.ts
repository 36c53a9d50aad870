import { selectorOf } from '../relay/token-validation.ts';
import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { list, object, text } from './loose-json.ts';

/** The omissions without the tokens that the target has adopted already. Tokens that the target stores as hashes cannot be recognised. */
export async function withoutAdopted(
  target: InstanceClient,
  { omissions }: Pick<Holdings, 'omissions'>,
): Promise<Pick<Holdings, 'omissions'>> {
  if (!omissions.some(({ shown }) => shown)) return { omissions };
  const { tokens } = object(await target.get('/api/admin/api-tokens'));
  const adopted = new Set(list(tokens).map(({ secret }) => selectorOf(text(secret))));
  return { omissions: omissions.filter(({ shown }) => !shown || !adopted.has(shown)) };
}
