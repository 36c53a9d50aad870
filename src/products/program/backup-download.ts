import { messageOf, reasonOf } from '../../base/remote-error.ts';
import { ProgramError } from './subcommand.ts';

const HINTS: Readonly<Record<number, string>> = {
  401: 'it does not know the token in BURGEE_TOKEN',
  403: 'the token in BURGEE_TOKEN must be an admin’s',
  404: 'is this the address of a Burgee, with its base path?',
  429: 'another backup is in progress; try again when it has finished',
};

/** The bytes of a new backup of a running service. They end with a ProgramError if the connection breaks. @throws ProgramError */
export async function downloadBackup(address: string, token: string): Promise<AsyncIterable<Uint8Array>> {
  if (token === '') throw new ProgramError('set BURGEE_TOKEN to an admin token; see --help');
  const url = `${address}/api/admin/backup`;
  let answer: Response;
  try {
    answer = await fetch(url, { headers: { authorization: token }, redirect: 'manual' });
  } catch (error) {
    throw new ProgramError(`no answer from ${url}: ${reasonOf(error)}`);
  }
  if (answer.ok && answer.body !== null) return bytesOf(answer.body, url);
  const hint = HINTS[answer.status] ?? messageOf(await answer.text().catch(() => ''));
  throw new ProgramError(`the service refused to send its state: ${answer.status}${hint ? `; ${hint}` : ''}`);
}

async function* bytesOf(body: AsyncIterable<Uint8Array>, url: string): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* body;
  } catch (error) {
    throw new ProgramError(`the connection to ${url} broke before the backup was complete: ${reasonOf(error)}`);
  }
}
