import { bodyOf, type PreparedAnswer, type PreparedBody, preparedAnswer } from '../../base/prepared-answer.ts';
import type { HeaderRecord } from '../../base/response-head.ts';
import { gzipBody, identityBody } from '../payload/body.ts';
import { changeEvents, hydrationPieces, positionOf, textOf } from './delta-events.ts';
import type { ChangingList } from './list-changes.ts';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const VARY = 'authorization, accept-encoding';

const GZIPPED = { 'content-encoding': 'gzip' };

/** Answers that are kept by what the caller has: slow clients are at few different positions. */
const ANSWERS_MAX = 64;

interface DeltaSource extends ChangingList {
  readonly etag: string;
  readonly hasSilentChanges: boolean;
}

/** The answers of a list to callers who ask for what has changed. Made once, and sent to all who lack the same. */
export class DeltaAnswers {
  readonly #list: DeltaSource;
  /** By what the caller has; they all bring to `#position`. */
  readonly #changes = new Map<string, PreparedAnswer>();
  #position = '';
  #identity: PreparedAnswer | undefined;
  #gzip: PreparedAnswer | undefined;

  constructor(list: DeltaSource) {
    this.#list = list;
  }

  /** The list has become another one: the bytes of the one before it are kept no longer. */
  forget(): void {
    this.#identity = undefined;
    this.#gzip = undefined;
  }

  /**
   * What brings a caller from the position it names (`If-None-Match`) to now: a 304, or events. Undefined when it needs the whole list, or when
   * that is not known before it is built.
   */
  since(known: string): PreparedAnswer | undefined {
    const from = positionOf(known, this.#list.queryHash);
    if (!from || this.#list.hasSilentChanges) return undefined;
    const now = textOf(this.#list.position, this.#list.queryHash);
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

  /** The whole list, or a 304 to who has it. Valid after `refresh` of the list. */
  whole(known: string, gzip: boolean): PreparedAnswer {
    const { etag, shown, queryHash, hasSilentChanges } = this.#list;
    const tag = hasSilentChanges ? tagIn(etag) : textOf(shown.position, queryHash);
    if (known === tag) return preparedAnswer(304, headersOf(tag));
    if (gzip) this.#gzip ??= hydration(tag, gzipBody(hydrationPieces(shown)), GZIPPED);
    else this.#identity ??= hydration(tag, identityBody(hydrationPieces(shown)), {});
    return (gzip ? this.#gzip : this.#identity) as PreparedAnswer;
  }
}

function hydration(tag: string, body: PreparedBody, headers: HeaderRecord): PreparedAnswer {
  return preparedAnswer(200, { ...JSON_TYPE, ...headersOf(tag), ...headers }, body);
}

function headersOf(tag: string): HeaderRecord {
  return { etag: `"${tag}"`, vary: VARY };
}

/** The tag without quotes and without the prefix of a weak tag. A text without them is returned unchanged: some callers leave them out. */
export function tagIn(text: string): string {
  const start = text.startsWith('W/') ? 2 : 0;
  return text.length > start + 1 && text[start] === '"' && text.endsWith('"') ? text.slice(start + 1, -1) : text;
}
