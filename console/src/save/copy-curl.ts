import { listed } from '../data/listing.ts';
import type { Sending } from '../data/sending.ts';
import { curlOf } from '../domain/curl.ts';
import { save as words } from '../words/en/save.ts';

/** What saving would send now, as commands of a shell. */
export async function curlOfSaving(saving: Sending<unknown>): Promise<string> {
  const { requests, failure } = await listed(saving);
  if (failure || requests.length === 0) throw new Error(failure?.message || words.notListed);
  return curlOf(requests);
}
