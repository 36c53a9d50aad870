import { type Asker, AskerEnded } from '../base/asking/asker.ts';
import { SharedWork } from '../base/asking/shared-work.ts';
import type { Logger } from '../base/logger.ts';
import { Slicer } from '../base/yield-control.ts';
import type { AdmittedRequest } from './admission.ts';
import type { Basis, Endpoint } from './endpoint.ts';
import { parseAndHandle, UNSEEN } from './parse-and-handle.ts';
import { type EncodedAnswer, encodeDefect } from './sending/encoded-answer.ts';

/**
 * How long an answer is shared. The use of flags and the time of day are not part of the moment, so an answer may be this much older than they are. It is
 * longer than the time over which open consoles spread what they read after a change (`console/src/data/live.ts`).
 */
const SHARED_MS = 1_000;

/** Maximum number of answers, and of their characters. With its compressed form, a character takes at most three bytes. */
const ANSWERS_MAX = 256;
const CHARS_MAX = 8_000_000;

/** Maximum length of a shared answer, in characters. A longer one is sent while it is created, to each caller for itself. */
const ANSWER_CHARS_MAX = 1_000_000;

/** An answer that exists or is being created. */
interface Entry {
  readonly work: SharedWork<Made>;
  readonly beganMs: number;
  /** Undefined while it is created. */
  made: Made | undefined;
}

interface Made {
  readonly answer: EncodedAnswer;
  /** Whether other callers may get it: it is a whole success. */
  readonly isShared: boolean;
}

/** Answers that are created once for all callers with an equal basis who send the same request at the same moment of the state. */
export class SharedAnswers {
  /** Request and basis → answer, the oldest first. All of them are of the same moment. */
  readonly #entries = new Map<string, Entry>();
  #moment = '';
  #chars = 0;
  #timer: NodeJS.Timeout | undefined;

  /** The answer to the request. Never throws. */
  answer<S>(
    endpoint: Endpoint<S>,
    basisOf: NonNullable<Endpoint<S>['basis']>,
    request: AdmittedRequest,
    services: S,
    logger: Logger,
  ): EncodedAnswer | Promise<EncodedAnswer> {
    const failed = (error: unknown) =>
      error instanceof AskerEnded ? UNSEEN : encodeDefect(error, endpoint.operationId, logger, endpoint.protocol);
    const own = () => parseAndHandle(endpoint, request, NO_BODY, services, logger);
    try {
      const basis = basisOf(request as never, services);
      if (basis.isOwn) return own();
      const key = keyOf(endpoint, request, basis);
      const entry = this.#entry(key, basis.moment);
      if (entry.made) return entry.made.isShared ? entry.made.answer : own();
      let isFirst = false;
      const create = (asker: Asker) => {
        isFirst = true;
        return this.#create(
          key,
          entry,
          () => parseAndHandle(endpoint, request.askedBy(asker), NO_BODY, services, logger),
          asker,
        );
      };
      const shared = async () => {
        const { answer, isShared } = await entry.work.ask(request.asker, create, request.asker.holder);
        // A caller who has lost rights meanwhile gets an answer without what they showed.
        const isFor = isFirst || (isShared && basisOf(request as never, services).key === basis.key);
        return isFor ? answer : own();
      };
      return shared().catch(failed);
    } catch (error) {
      return failed(error);
    }
  }

  #entry(key: string, moment: string): Entry {
    if (this.#moment !== moment) this.#clear();
    this.#moment = moment;
    const nowMs = performance.now();
    const known = this.#entries.get(key);
    if (known && nowMs - known.beganMs < SHARED_MS) return known;
    this.#remove(key);
    const entry: Entry = { work: new SharedWork(), beganMs: nowMs, made: undefined };
    this.#entries.set(key, entry);
    this.#timer ??= setTimeout(() => this.#removeOld(), SHARED_MS).unref();
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= ANSWERS_MAX) break;
      this.#remove(oldest);
    }
    return entry;
  }

  async #create(
    key: string,
    entry: Entry,
    dispatched: () => EncodedAnswer | Promise<EncodedAnswer>,
    asker: Asker,
  ): Promise<Made> {
    let made: Made | undefined;
    try {
      const answer = await dispatched();
      made = answer.status === 200 ? await wholeOf(answer, asker) : { answer, isShared: false };
      return made;
    } finally {
      if (this.#entries.get(key) === entry) {
        // An answer that is too long is remembered, so that the next callers need not try. A refusal concerns only the caller who gets it.
        if (made && (made.isShared || made.answer.status === 200)) this.#keep(key, entry, made);
        else this.#remove(key);
      }
    }
  }

  #keep(key: string, entry: Entry, made: Made): void {
    entry.made = made.isShared ? made : TOO_LONG;
    this.#chars += charsOf(entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#chars <= CHARS_MAX) break;
      if (oldest !== key) this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#chars -= charsOf(entry);
  }

  #removeOld(): void {
    const oldMs = performance.now() - SHARED_MS;
    for (const [key, { beganMs }] of this.#entries) if (beganMs <= oldMs) this.#remove(key);
    this.#timer = this.#entries.size > 0 ? setTimeout(() => this.#removeOld(), SHARED_MS).unref() : undefined;
  }

  #clear(): void {
    this.#entries.clear();
    this.#chars = 0;
  }
}

const NO_BODY = new Uint8Array(0);
/** Takes the place of an answer that is too long to be shared. */
const TOO_LONG: Made = { answer: UNSEEN, isShared: false };

const charsOf = ({ made }: Entry) => made?.answer.text?.length ?? 0;

/** Only the basis may contain line breaks. */
function keyOf<S>({ operationId }: Endpoint<S>, { params, queryText }: AdmittedRequest, { key }: Basis): string {
  return [operationId, JSON.stringify(params), queryText, key].join('\n');
}

/** The answer with its whole text, if it is not too long. */
async function wholeOf(answer: EncodedAnswer, asker: Asker): Promise<Made> {
  const { pieces, text = '' } = answer;
  if (!pieces)
    return { answer: { ...answer, packed: { heads: new Map() } }, isShared: text.length <= ANSWER_CHARS_MAX };
  const slicer = Slicer.of(asker);
  const rest = pieces[Symbol.iterator]();
  let whole = '';
  try {
    for (let next = rest.next(); !next.done; next = rest.next()) {
      whole += await next.value;
      if (whole.length > ANSWER_CHARS_MAX)
        return { answer: { ...answer, pieces: joined(whole, rest) }, isShared: false };
      if (slicer.spent) await slicer.pause();
    }
  } catch (error) {
    rest.return?.();
    throw error;
  }
  return { answer: { ...answer, text: whole, pieces: undefined, packed: { heads: new Map() } }, isShared: true };
}

function* joined(begin: string, rest: Iterator<string | Promise<string>>): Generator<string | Promise<string>> {
  yield begin;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}
