import { TAG_READ } from '../domain/curl.ts';
import type { Failure } from './failure.ts';
import { type Answered, type Later, type ListedRequest, type Sender, type Sending, tagOf } from './sending.ts';

interface Listed {
  /** What saving would send, in order. None: it was found before that it would be refused. */
  readonly requests: readonly ListedRequest[];
  /** Why it would be refused. */
  readonly failure: Failure | undefined;
}

/** Carries out a save without changing anything: what it reads is read, and what it would send is listed. */
export async function listed(saving: Sending<unknown>): Promise<Listed> {
  const requests: ListedRequest[] = [];
  const add = async (request: PromiseLike<unknown>, isTagRead: boolean) =>
    requests.push({ ...(await (request as Later<unknown>).listed()), isTagRead });
  const sender: Sender = {
    write: async <T>(request: PromiseLike<Answered<T>>) => {
      await add(request, false);
      return { ok: true, value: undefined as T, etag: null, revision: null };
    },
    tag: async (request) => {
      // After a change, tags are not known before it is carried out.
      if (requests.length === 0) return tagOf(request);
      await add(request, true);
      return TAG_READ;
    },
  };
  const outcome = await saving.by(sender);
  return { requests, failure: (outcome as { failure?: Failure }).failure };
}

/** The request of a read, without sending it. */
export const listedRead = (request: PromiseLike<unknown>): Promise<ListedRequest> =>
  (request as Later<unknown>).listed();
