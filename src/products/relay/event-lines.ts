import { type AnswerMemory, PIECE_BYTES } from './answer-memory.ts';

/** One event of a stream. */
export interface StreamEvent {
  readonly event: string;
  readonly data: Uint8Array;
  /** Ends the accounting of the event's memory. The reader must call it before it waits for something that also needs memory. */
  release(): void;
}

const NEWLINE = 10;
const RETURN = 13;

/**
 * Reads server-sent events. The bytes of a line are joined only once, even if the line arrives in many pieces. The memory of an event is accounted
 * until the next event is requested.
 * @throws UpstreamError when an event is too large or has no end
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  memory: AnswerMemory,
): AsyncGenerator<StreamEvent, void, void> {
  let line: Uint8Array[] = [];
  let event = '';
  let data: Uint8Array[] = [];
  let share = memory.begin();
  try {
    for await (const chunk of body) {
      await share.take(chunk.length + PIECE_BYTES);
      for (let start = 0; ; ) {
        const end = chunk.indexOf(NEWLINE, start);
        if (end < 0) {
          if (start < chunk.length) line.push(chunk.subarray(start));
          break;
        }
        const completeLine = withoutReturn(Buffer.concat([...line, chunk.subarray(start, end)]));
        line = [];
        start = end + 1;
        if (completeLine.length > 0) {
          const { name, value } = fieldOf(completeLine);
          if (name === 'event') event = value.toString();
          else if (name === 'data') {
            data.push(value);
            if (data.length > 1) await share.take(PIECE_BYTES);
          }
          continue;
        }
        if (data.length > 0) yield { event, data: joinLines(data), release: () => share.give() };
        [event, data] = ['', []];
        share.give();
        share = memory.begin();
        await share.take(chunk.length - start);
      }
    }
  } finally {
    share.give();
  }
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
}

/** The parts before and after the first colon; a comment has an empty name. */
function fieldOf(line: Buffer): { readonly name: string; readonly value: Buffer } {
  const colon = line.indexOf(':');
  if (colon < 0) return { name: line.toString(), value: Buffer.alloc(0) };
  const valueStart = line[colon + 1] === 32 ? colon + 2 : colon + 1;
  return { name: line.subarray(0, colon).toString(), value: line.subarray(valueStart) };
}

function joinLines(lines: readonly Uint8Array[]): Uint8Array {
  const [first = Buffer.alloc(0)] = lines;
  return lines.length === 1
    ? first
    : Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [Buffer.from('\n'), line])));
}
