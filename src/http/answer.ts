/** The answer of a handler. It has at most one of `body`, `text` and `pieces`. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged; the headers contain its content-type. */
  readonly text?: string;
  /**
   * Text of a JSON document that is too large to build at once: it is written in pieces, and the event loop runs in between. Promises are awaited.
   */
  readonly pieces?: Iterable<string | Promise<string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** For evaluated `pieces`: the number of long answers in progress is limited for each caller (`http/sending/long-answers.ts`). */
  readonly isBounded?: boolean;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** The header with the sequence number of the state that contains a write. */
export const REVISION_HEADER = 'burgee-revision';

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

/** Same as `ok`, for a body that is already JSON text. */
export function okText(text: string): Answer {
  return { status: 200, text, headers: JSON_TYPE };
}

export function created(body: unknown, location?: string): Answer {
  return location === undefined ? { status: 201, body } : { status: 201, body, headers: { location } };
}

/** A success without a body, usually 200, as in Unleash after an entity is deleted or switched on or off. */
export function done(status: 200 | 201 | 202 | 204 = 200): Answer {
  return { status };
}

/** Redirects a browser to another URL, which it requests with GET. */
export function seeOther(location: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 303, headers: { ...headers, location } };
}

/**
 * `{...head, [listName]: [item, item, …]}`, built lazily. `head` must not have a key named `listName`. Undefined items are left out: a search
 * that finds few of many items yields them so that the event loop can run.
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

/** The beginning of the JSON object: `{...head, `. */
function objectStart(head: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(head).slice(0, -1);
  return json.length > 1 ? `${json},` : json;
}

/**
 * Same as `listAnswer`, for items that are fetched while the answer is sent: for a caller that does not read, only the last fetched items are
 * buffered. The first item is awaited here, so an immediate failure can still be answered.
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
    yield `${objectStart(head)}${JSON.stringify(listName)}:[`;
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

/** The name of a list, its items, and a function that returns the JSON of an item in pieces. Undefined items are left out. */
// biome-ignore lint/suspicious/noExplicitAny: each list has items of its own
type PieceList = readonly [name: string, items: Iterable<any>, pieces: (item: any) => Iterable<string>];

/** `{...head, [name]: [item, …], …}` in pieces, for lists whose items may themselves be long. */
export function* listPieces(head: Readonly<Record<string, unknown>>, lists: readonly PieceList[]): Generator<string> {
  let begin = objectStart(head);
  for (const [name, items, pieces] of lists) {
    yield `${begin}${JSON.stringify(name)}:[`;
    begin = ',';
    let separator = '';
    for (const item of items) {
      if (item === undefined) {
        yield '';
        continue;
      }
      let hasBegun = false;
      for (const piece of pieces(item)) {
        yield hasBegun ? piece : separator + piece;
        hasBegun = true;
      }
      if (hasBegun) separator = ',';
    }
    yield ']';
  }
  yield '}';
}
