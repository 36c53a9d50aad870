import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '../../../base/remote-error.ts';
import { ProgramError } from '../subcommand.ts';
import { Refusal, refusalOf } from './connection.ts';
import type { Profile } from './profiles.ts';
import { type SentEvent, sentEvents } from './server-sent-events.ts';

/** The service sends at least a heartbeat every 5 seconds. Without any byte for this time, the connection is broken. */
const SILENCE_MAX_MS = 30_000;
const RETRY_MS = 1_000;
const RETRY_MAX_MS = 30_000;

/** Follows `GET /api/admin/changes`. After a loss of the connection, it continues after the last event that it has received. */
export class ChangeFeed {
  readonly #connection: Profile;
  readonly #stop: AbortSignal | undefined;
  readonly #note: (text: string) => void;
  #lastId: string | undefined;
  #waitMs = RETRY_MS;

  /** `note` is called when the connection is lost, and when it is established again. */
  constructor(connection: Profile, stop: AbortSignal | undefined, note: (text: string) => void) {
    this.#connection = connection;
    this.#stop = stop;
    this.#note = note;
  }

  /** Yields events until `stop`. @throws ProgramError if the service refuses, or if there is no answer at first */
  async *events(): AsyncGenerator<SentEvent> {
    while (!this.#stop?.aborted) {
      try {
        for await (const event of this.#connected()) {
          this.#lastId = event.id;
          yield event;
        }
      } catch (error) {
        if (this.#stop?.aborted) return;
        if (!(error instanceof ProgramError) || !this.#isTemporary(error)) throw error;
      }
      await this.#wait();
    }
  }

  /** Waits before the next try, each time longer. Clients that have lost the same service do not return at the same time. */
  async #wait(): Promise<void> {
    if (this.#stop?.aborted) return;
    if (this.#waitMs === RETRY_MS) this.#note(`the connection to ${this.#connection.url} is lost: trying again`);
    const options = this.#stop && { signal: this.#stop };
    await delay(this.#waitMs * (1 + Math.random()), undefined, options).catch(() => {});
    this.#waitMs = Math.min(this.#waitMs * 2, RETRY_MAX_MS);
  }

  /** Whether to try again: not before the first event, because then the address or the token is wrong. */
  #isTemporary(error: ProgramError): boolean {
    if (this.#lastId === undefined) return false;
    return !(error instanceof Refusal) || error.status === 429 || error.status >= 500;
  }

  /** Yields the events of one connection. */
  async *#connected(): AsyncGenerator<SentEvent> {
    const { url, token } = this.#connection;
    const end = new AbortController();
    const silence = setTimeout(() => end.abort(new Error('the service is silent')), SILENCE_MAX_MS);
    const stopped = () => end.abort();
    this.#stop?.addEventListener('abort', stopped);
    const headers: Record<string, string> = { accept: 'text/event-stream', authorization: token };
    if (this.#lastId !== undefined) headers['last-event-id'] = this.#lastId;
    try {
      const answer = await fetch(`${url}/api/admin/changes`, { headers, redirect: 'manual', signal: end.signal });
      if (answer.status !== 200) throw refusalOf(url, answer.status, await answer.text());
      if (this.#lastId !== undefined) this.#note(`connected to ${url} again`);
      this.#waitMs = RETRY_MS;
      yield* sentEvents(answer.body as AsyncIterable<Uint8Array>, () => silence.refresh());
    } catch (error) {
      throw error instanceof ProgramError ? error : new ProgramError(`no answer from ${url}: ${reasonOf(error)}`);
    } finally {
      clearTimeout(silence);
      this.#stop?.removeEventListener('abort', stopped);
      end.abort();
    }
  }
}
