import { bodyOf, type PreparedAnswer, type PreparedBody, preparedAnswer } from '../../base/prepared-answer.ts';
import type { HeaderRecord } from '../../base/response-head.ts';
import { gzipBody, identityBody } from '../payload/body.ts';
import { changeEvents, hydrationPieces, parsePosition, positionText } from './delta-events.ts';
import type { ChangingList } from './list-changes.ts';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const VARY = 'authorization, accept-encoding';

const GZIPPED = { 'content-encoding': 'gzip' };

/** Maximum number of cached answers, one for each position that a caller may have. Slow clients have only a few different positions. */
const ANSWERS_MAX = 64;

interface DeltaSource extends ChangingList {
  readonly etag: string;
  readonly hasSilentChanges: boolean;
}

/** The answers for callers that request the changes of a list. Each answer is created once and sent to all callers with the same position. */
export class DeltaAnswers {
  readonly #list: DeltaSource;
  /** Position of the caller → the answer that updates the caller to `#position`. */
  readonly #changes = new Map<string, PreparedAnswer>();
  #position = '';
  #identity: PreparedAnswer | undefined;
  #gzip: PreparedAnswer | undefined;

  constructor(list: DeltaSource) {
    this.#list = list;
  }

  /** Drops the bytes of the previous content. Call it when the list has changed. */
  forget(): void {
    this.#identity = undefined;
    this.#gzip = undefined;
  }

  /**
   * The answer that updates a caller from `known`, the position in its `If-None-Match`, to the current position: a 304, or events. Undefined when the
   * caller needs the whole list, or when the list must be built before this is known.
   */
  since(known: string): PreparedAnswer | undefined {
    const from = parsePosition(known, this.#list.queryHash);
    if (!from || this.#list.hasSilentChanges) return undefined;
    const now = positionText(this.#list.position, this.#list.queryHash);
    if (this.#position !== now || this.#changes.size >= ANSWERS_MAX) this.#changes.clear();
    this.#position = now;
    let answer = this.#changes.get(known);
    if (answer) return answer;
    const changes = known === now ? null : this.#list.changesSince(from);
    if (known !== now && !changes) return undefined;
    const events = changes && changeEvents(changes);
    answer = events
      ? preparedAnswer(200, { ...JSON_TYPE, ...headersOf(now) }, bodyOf(events))
      : preparedAnswer(304, headersOf(now));
    this.#changes.set(known, answer);
    return answer;
  }

  /** The whole list, or a 304 if the caller already has it. Call it only after `refresh` of the list. */
  wholeList(known: string, gzip: boolean): PreparedAnswer {
    const { etag, shown, queryHash, hasSilentChanges } = this.#list;
    const bare = hasSilentChanges ? bareEtag(etag) : positionText(shown.position, queryHash);
    if (known === bare) return preparedAnswer(304, headersOf(bare));
    if (gzip) this.#gzip ??= hydration(bare, gzipBody(hydrationPieces(shown)), GZIPPED);
    else this.#identity ??= hydration(bare, identityBody(hydrationPieces(shown)), {});
    return (gzip ? this.#gzip : this.#identity) as PreparedAnswer;
  }
}

function hydration(etag: string, body: PreparedBody, headers: HeaderRecord): PreparedAnswer {
  return preparedAnswer(200, { ...JSON_TYPE, ...headersOf(etag), ...headers }, body);
}

function headersOf(etag: string): HeaderRecord {
  return { etag: `"${etag}"`, vary: VARY };
}

/** The ETag without quotes and without the prefix of a weak ETag. A text without them is returned unchanged: some callers leave them out. */
export function bareEtag(text: string): string {
  const start = text.startsWith('W/') ? 2 : 0;
  return text.length > start + 1 && text[start] === '"' && text.endsWith('"') ? text.slice(start + 1, -1) : text;
}
