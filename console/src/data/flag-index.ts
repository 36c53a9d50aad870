import { api } from './client.ts';
import { failureOf } from './failure.ts';
import type { IndexAnswer } from './index-rows.ts';
import { answerOf } from './sending.ts';

/** The whole index, or what changed since the revision of an earlier answer; and the revision of this answer. */
export async function readIndex(
  fields: 'details' | 'fingerprints',
  since: string | undefined,
): Promise<{ readonly answer: IndexAnswer; readonly revision: string }> {
  const query = since === undefined ? { fields } : { fields, since };
  const { data, error, response } = await answerOf(api.GET('/api/admin/flag-index', { params: { query } }));
  if (!data) throw failureOf(response, error);
  return { answer: data, revision: response.headers.get('burgee-index-revision') ?? '' };
}
