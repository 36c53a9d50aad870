import { STATUS_CODES } from 'node:http';
import { assert } from './assert.ts';

/** Names and values. They must not contain text from a caller, unless it was validated. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** The status and the headers of an answer, prepared once for any number of answers. Only a front (`http/front/`) knows how they are sent. */
export class ResponseHead {
  readonly status: number;
  /** Names and values: each name is followed by its value. Printable ASCII only. */
  readonly fields: readonly string[];
  /** The head as bytes. A front that sends bytes writes it when it first sends this head. */
  bytes: Uint8Array | undefined;

  constructor(status: number, fields: readonly string[]) {
    this.status = status;
    this.fields = fields;
    this.bytes = undefined;
  }
}

/** Characters that a header must not contain: with a line break a caller could add a header or a body. */
const NOT_PLAIN = /[^\t\x20-\x7e]/;

/** For an answer without headers of its own. */
export const NO_HEADERS: HeaderRecord = Object.freeze({});

/** Cached heads, by status, for header records that many answers share. */
const cachedHeads = new WeakMap<HeaderRecord, Map<number, ResponseHead>>();

/** Enables the cache of heads for this record, with one head for each status. Use it for records that are created once. */
export function withHeadCache<Record extends HeaderRecord>(record: Record): Record {
  cachedHeads.set(record, new Map());
  return record;
}

/** Statuses whose answers have no body by definition, not even an empty one. */
export function isBodyless(status: number): boolean {
  return status === 204 || status === 304;
}

/** The text after the status in the first line of an answer. */
export function reasonOf(status: number): string {
  return STATUS_CODES[status] ?? 'Unknown';
}

const NO_BODY: HeaderRecord = { 'content-length': '0' };

/** The head of an answer with only these headers and no body. */
export function bareHead(status: number, record: HeaderRecord | undefined): ResponseHead {
  const heads = record && cachedHeads.get(record);
  let head = heads?.get(status);
  if (!head) {
    head = responseHead(status, record, isBodyless(status) ? undefined : NO_BODY);
    heads?.set(status, head);
  }
  return head;
}

/** If several records contain a header, the last one is used. @throws InvariantError if a header contains anything but printable ASCII */
export function responseHead(status: number, ...records: readonly (HeaderRecord | undefined)[]): ResponseHead {
  const headers: Record<string, string> = Object.assign({}, ...records);
  const fields: string[] = [];
  for (const name in headers) {
    const value = headers[name] ?? '';
    assert(!NOT_PLAIN.test(value), `the header ${name} contains characters that are not printable ASCII`);
    fields.push(name, value);
  }
  return new ResponseHead(status, fields);
}
