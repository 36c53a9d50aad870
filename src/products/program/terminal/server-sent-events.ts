import { ProgramError } from '../subcommand.ts';

/** One event of a stream. */
export interface SentEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Longer events are refused: a stream of another service must not fill the memory. */
const EVENT_CHARS_MAX = 4_000_000;

/** The events in the bytes of a stream. `onBytes` is called for every piece, heartbeats included. */
export async function* sentEvents(body: AsyncIterable<Uint8Array>, onBytes: () => void): AsyncGenerator<SentEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body) {
    onBytes();
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = eventOf(text.slice(0, end));
      text = text.slice(end + 2);
      if (event) yield event;
    }
    if (text.length > EVENT_CHARS_MAX) throw new ProgramError('an event of the stream is too long');
  }
}

/** The event of these lines; undefined for a heartbeat. */
function eventOf(lines: string): SentEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of lines.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
  }
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return { event: fields.get('event') ?? 'message', id: fields.get('id') ?? '', data };
}
