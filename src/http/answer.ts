/** What a handler answers. At most one of `body`, `text` and `pieces`. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged; the headers contain its content-type. */
  readonly text?: string;
  /** Text of a JSON document that is too large to build at once: written in pieces, yielding to the event loop in between. Promises are awaited. */
  readonly pieces?: Iterable<string | Promise<string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** For evaluated `pieces`: the number of long answers in progress is limited for each caller (`http/sending/long-answers.ts`). */
  readonly isBounded?: boolean;
  /** Whether `pieces` are compressed where it is worthwhile. Only if the caller accepts gzip and the answer's `vary` header includes it. */
  readonly gzip?: boolean;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** The sequence number of the state that holds a write. */
export const REVISION_HEADER = 'burgee-revision';

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

/** As `ok`, of a body that is JSON text already. */
export function okText(text: string): Answer {
  return { status: 200, text, headers: JSON_TYPE };
}

export function created(body: unknown, location?: string): Answer {
  return location === undefined ? { status: 201, body } : { status: 201, body, headers: { location } };
}

/** 200 without a body, as Unleash answers deletions and switches. */
export function done(status: 200 | 201 | 202 | 204 = 200): Answer {
  return { status };
}

/** Sends a browser elsewhere, with GET. */
export function seeOther(location: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 303, headers: { ...headers, location } };
}

/**
 * `{...head, [listName]: [item, item, …]}`, built lazily. `head` must have at least no key named `listName`. An item that is undefined is left
 * out: a search for few among many gives the event loop back with them.
 */
export function listAnswer<Item extends object>(
  head: Readonly<Record<string, unknown>>,
  listName: string,
  items: Iterable<Item | undefined>,
  present: (item: Item) => unknown,
): Answer {
  return {
    status: 200,
    pieces: listPieces(head, [[listName, items, (item: Item) => [JSON.stringify(present(item))]]]),
  };
}

/** `{...head, `, to be continued. */
function opened(head: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(head).slice(0, -1);
  return json.length > 1 ? `${json},` : json;
}

/**
 * Same as `listAnswer`, for items that are fetched while the answer is sent: for a caller that does not read, only the last fetched items are buffered.
 * The first item is awaited here, so an immediate failure can still be answered.
 */
export async function fetchedListAnswer<Item>(
  head: Readonly<Record<string, unknown>>,
  listName: string,
  items: AsyncIterable<Item>,
  present: (item: Item) => unknown,
): Promise<Answer> {
  const iterator = items[Symbol.asyncIterator]();
  const text = (item: Item) => JSON.stringify(present(item));
  let next = await iterator.next();
  const pieces = function* () {
    yield `${opened(head)}${JSON.stringify(listName)}:[`;
    if (!next.done) yield text(next.value);
    while (!next.done) {
      yield iterator.next().then((fetched) => {
        next = fetched;
        return fetched.done ? '' : `,${text(fetched.value)}`;
      });
    }
    yield ']}';
  };
  return { status: 200, pieces: pieces() };
}

/** `[item, item, …]`, built lazily. */
export function arrayAnswer(items: Iterable<object>): Answer {
  return { status: 200, pieces: arrayPieces(items) };
}

function* arrayPieces(items: Iterable<object>): Generator<string> {
  let separator = '[';
  for (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** Name of a list, what is in it, and the pieces of each item's JSON; an item without any is left out. */
// biome-ignore lint/suspicious/noExplicitAny: each list has items of its own
type PieceList = readonly [name: string, items: Iterable<any>, pieces: (item: any) => Iterable<string>];

/** `{...head, [name]: [item, …], …}` in pieces, for lists whose items may themselves be long. */
export function* listPieces(head: Readonly<Record<string, unknown>>, lists: readonly PieceList[]): Generator<string> {
  let begin = opened(head);
  for (const [name, items, pieces] of lists) {
    yield `${begin}${JSON.stringify(name)}:[`;
    begin = ',';
    let separator = '';
    for (const item of items) {
      if (item === undefined) {
        yield '';
        continue;
      }
      let isSent = false;
      for (const piece of pieces(item)) {
        yield isSent ? piece : separator + piece;
        isSent = true;
      }
      if (isSent) separator = ',';
    }
    yield ']';
  }
  yield '}';
}
