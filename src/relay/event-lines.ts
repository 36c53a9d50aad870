import { UpstreamError } from './upstream.ts';

/** One event of a stream. */
export interface StreamEvent {
  readonly event: string;
  readonly data: Uint8Array;
}

/** An event is at most this large: one that brings everything is as large as a list. */
const EVENT_BYTES_MAX = 512 * 1024 * 1024;

const NEWLINE = 10;
const RETURN = 13;

/** Reads server-sent events. Bytes of a line are put together once, however many pieces they come in. @throws UpstreamError when one has no end */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent, void, void> {
  let line: Uint8Array[] = [];
  let event = '';
  let data: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > EVENT_BYTES_MAX) throw new UpstreamError(`an event is larger than ${EVENT_BYTES_MAX} bytes`);
    for (let start = 0; ; ) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) {
        if (start < chunk.length) line.push(chunk.subarray(start));
        break;
      }
      const whole = withoutReturn(Buffer.concat([...line, chunk.subarray(start, end)]));
      line = [];
      start = end + 1;
      if (whole.length > 0) {
        const { name, value } = fieldOf(whole);
        if (name === 'event') event = value.toString();
        else if (name === 'data') data.push(value);
        continue;
      }
      if (data.length > 0) yield { event, data: joined(data) };
      [event, data, size] = ['', [], chunk.length - start];
    }
  }
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
}

/** What stands before the first colon, and behind it; a comment has no name. */
function fieldOf(line: Buffer): { readonly name: string; readonly value: Buffer } {
  const colon = line.indexOf(':');
  if (colon < 0) return { name: line.toString(), value: Buffer.alloc(0) };
  const begin = line[colon + 1] === 32 ? colon + 2 : colon + 1;
  return { name: line.subarray(0, colon).toString(), value: line.subarray(begin) };
}

function joined(lines: readonly Uint8Array[]): Uint8Array {
  const [first = Buffer.alloc(0)] = lines;
  return lines.length === 1
    ? first
    : Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [Buffer.from('\n'), line])));
}
