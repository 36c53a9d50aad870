import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/http/exchange.ts';
import { type FrameSource, Subscriber } from '../../../src/http/streams/subscriber.ts';

const FRAME_BYTES = 2_500_000;
/** What one stream may pass to its socket in one turn, with the line before the frame. */
const TURN_BYTES_MAX = 256 * 1024 + 100;

it('a stream passes a large frame on in several turns, also when its socket accepts all of it or asks for more', () => {
  const jobs: (() => void)[] = [];
  let turnBytes = 0;
  let sent = 0;
  let onWritable: () => boolean = () => true;
  const response = {
    onWritable: (listener: () => boolean) => {
      onWritable = listener;
    },
    cork: (write: () => void) => write(),
    writeHead: () => {},
    writeBody: (bytes: Uint8Array) => {
      turnBytes += bytes.byteLength;
      sent += bytes.byteLength;
      return true;
    },
  };
  const exchange = { response, headers: [], over: false, noteRead: () => {}, awaitReader: () => {} };
  const bytes = Buffer.alloc(FRAME_BYTES, 'x');
  const source = {
    channel: { revision: '1' },
    next: () => ({ revision: '1', bytes }),
    later: (work: () => void) => void jobs.push(work),
  };
  const subscriber = new Subscriber(
    exchange as unknown as Exchange,
    {} as ConstructorParameters<typeof Subscriber>[1],
    source as unknown as FrameSource,
    undefined,
    undefined,
  );
  subscriber.begin(0, 1_000, (error) => {
    throw error;
  });
  subscriber.advance(0);
  let turns = 1;
  for (let job = jobs.shift(); job; job = jobs.shift()) {
    expect(turnBytes).toBeLessThan(TURN_BYTES_MAX);
    turnBytes = 0;
    // In the turn in which a socket reports that it accepts more, nothing is written: hundreds of sockets may report it in one turn.
    expect([onWritable(), turnBytes]).toEqual([true, 0]);
    job();
    turns++;
  }
  expect(turns).toBeGreaterThan(FRAME_BYTES / TURN_BYTES_MAX);
  expect(sent).toBeGreaterThanOrEqual(FRAME_BYTES);
});
