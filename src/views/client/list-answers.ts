import { includesEtag } from '../../base/etag.ts';
import { type PreparedAnswer, type PreparedBody, preparedAnswer } from '../../base/prepared-answer.ts';
import type { HeaderRecord } from '../../base/response-head.ts';
import { FETCH_MODE_NAME, type FetchMode } from '../../model/fetch-mode.ts';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const VARY = 'authorization, accept-encoding, unleash-client-spec';

const ASKS_FOR_STREAM = { [FETCH_MODE_NAME]: 'streaming' satisfies FetchMode };

/** A list as bytes, and the tag that identifies it. */
interface TaggedList {
  readonly etag: string;
  readonly identity: PreparedBody;
  readonly gzip: PreparedBody;
}

/** The answers of one state of a list, made once and sent to every client that polls it. */
export class ListAnswers {
  readonly #list: TaggedList;
  #notModified: PreparedAnswer | undefined;
  #identity: PreparedAnswer | undefined;
  #gzip: PreparedAnswer | undefined;
  #askingIdentity: PreparedAnswer | undefined;
  #askingGzip: PreparedAnswer | undefined;

  constructor(list: TaggedList) {
    this.#list = list;
  }

  /** A 304 if the caller already has the list, otherwise undefined. `known` is the `If-None-Match` header; "" when it is missing. */
  notModified(known: string): PreparedAnswer | undefined {
    if (!includesEtag(known, this.#list.etag)) return undefined;
    this.#notModified ??= preparedAnswer(304, { etag: this.#list.etag, vary: VARY });
    return this.#notModified;
  }

  /** The answer with the whole list. */
  wholeList(gzip: boolean): PreparedAnswer {
    if (gzip) this.#gzip ??= this.#answer({ 'content-encoding': 'gzip', etag: this.#list.etag }, this.#list.gzip);
    else this.#identity ??= this.#answer({ etag: this.#list.etag }, this.#list.identity);
    return (gzip ? this.#gzip : this.#identity) as PreparedAnswer;
  }

  /**
   * Same as `wholeList`, and asks the SDK to open a stream instead of polling. The bytes of the body are shared. It has no ETag: an SDK drops this list,
   * and would otherwise get a 304 for it if it polls again.
   */
  wholeListAskingForStream(gzip: boolean): PreparedAnswer {
    if (gzip) this.#askingGzip ??= this.#answer({ 'content-encoding': 'gzip', ...ASKS_FOR_STREAM }, this.#list.gzip);
    else this.#askingIdentity ??= this.#answer(ASKS_FOR_STREAM, this.#list.identity);
    return (gzip ? this.#askingGzip : this.#askingIdentity) as PreparedAnswer;
  }

  /** Drops the answers with the previous content. Call it when the list has changed. */
  forget(): void {
    this.#notModified = undefined;
    this.#identity = undefined;
    this.#gzip = undefined;
    this.#askingIdentity = undefined;
    this.#askingGzip = undefined;
  }

  #answer(headers: HeaderRecord, body: PreparedBody): PreparedAnswer {
    return preparedAnswer(200, { ...JSON_TYPE, vary: VARY, ...headers }, body);
  }
}
