/** What a handler answers. At most one of `body`, `text` and `pieces`. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is; its content-type stands in the headers. */
  readonly text?: string;
  /** Text of a JSON document too large to build at once: written piece by piece, giving the event loop back in between. */
  readonly pieces?: Iterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Tells the state's sequence number that holds a write. */
export const REVISION_HEADER = 'burgee-revision';

export function ok(body: unknown): Answer {
  return { status: 200, body };
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

/** `{...head, [listName]: [item, item, …]}`, built lazily. `head` must have at least no key named `listName`. */
export function listAnswer<Item>(
  head: Readonly<Record<string, unknown>>,
  listName: string,
  items: Iterable<Item>,
  present: (item: Item) => unknown,
): Answer {
  return { status: 200, pieces: listPieces(head, listName, items, present) };
}

function* listPieces<Item>(
  head: Readonly<Record<string, unknown>>,
  listName: string,
  items: Iterable<Item>,
  present: (item: Item) => unknown,
): Generator<string> {
  const headJson = JSON.stringify(head).slice(0, -1);
  yield `${headJson}${headJson.length > 1 ? ',' : ''}${JSON.stringify(listName)}:[`;
  let separator = '';
  for (const item of items) {
    yield separator + JSON.stringify(present(item));
    separator = ',';
  }
  yield ']}';
}
