import { STATUS_CODES } from 'node:http';
import { assert } from './assert.ts';

/** Names and values. Text of a caller stands in none of them, unless it was checked to be plain. */
export type HeaderRecord = Readonly<Record<string, string>>;

/**
 * The status and the headers of an answer, as bytes: the first header's name, and one run that holds its value and all other headers.
 * Written with one call, which crosses into C++ once and encodes nothing.
 */
export interface ResponseHead {
  /** `404 Not Found` */
  readonly status: Uint8Array;
  readonly name: Uint8Array | undefined;
  readonly value: Uint8Array;
}

const EMPTY = new Uint8Array(0);

/** A line break would begin a header, or a body, of the caller's making. */
const NOT_PLAIN = /[^\t\x20-\x7e]/;

const statusLines = new Map<number, Uint8Array>();

/** Of headers that stand in several records the last one counts. @throws AssertionError for anything but printable ASCII */
export function responseHead(status: number, ...records: readonly (HeaderRecord | undefined)[]): ResponseHead {
  const headers: Record<string, string> = Object.assign({}, ...records);
  let first: string | undefined;
  let run = '';
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (first === undefined) {
      first = name;
      run = value;
    } else run += `\r\n${name}: ${value}`;
    assert(!NOT_PLAIN.test(value), `the header ${name} holds more than printable ASCII`);
  }
  if (first === undefined) return { status: statusLine(status), name: undefined, value: EMPTY };
  return { status: statusLine(status), name: Buffer.from(first, 'latin1'), value: Buffer.from(run, 'latin1') };
}

function statusLine(status: number): Uint8Array {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = Buffer.from(`${status} ${STATUS_CODES[status] ?? 'Unknown'}`, 'latin1');
    statusLines.set(status, line);
  }
  return line;
}
