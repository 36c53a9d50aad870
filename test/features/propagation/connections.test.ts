import { describe, expect, it } from 'vitest';
import { Connection, Connections, revisionIn } from '../../../src/features/propagation/connections.ts';
import type { Scope } from '../../../src/model/caller.ts';

describe('Connections', () => {
  const scope: Scope = { environment: 'development', projects: null };

  it('are bounded, and removed after they were silent for too long', () => {
    const connections = new Connections(20_000);
    for (let id = 0; id < 20_010; id++) connections.recordContact(scope, `c${id}`, 'shop', 1_000);
    expect([connections.size, connections.refused]).toEqual([20_000, 10]);
    expect(connections.recordContact(scope, 'x'.repeat(101), 'shop', 1_000)).toBeUndefined();
    connections.recordContact(scope, 'c7', 'shop', 100_000);
    const later = 1_000 + 150_001;
    connections.recordContact(scope, 'new', 'shop', later);
    expect([...connections].map(({ id }) => id)).toEqual(['c7', 'new']);
  });

  it('are open until they are silent for longer than they may be', () => {
    const connections = new Connections(20_000);
    const every = connections.recordContact(scope, 'rare', 'shop', 0, 300_000) as Connection;
    expect([every.isOpen(750_000), every.isOpen(750_001)]).toEqual([true, false]);
    const stream = connections.recordContact(scope, 'stream', 'shop', 0, 1) as Connection;
    expect(stream.isOpen(150_001)).toBe(false);
    stream.streams = 1;
    expect(stream.isOpen(1e12)).toBe(true);
  });

  it('are removed with the history of their revisions, except streams, which stay open at position 0', () => {
    const connections = new Connections(20_000);
    const [poll, stream] = ['poll', 'stream'].map(
      (id) => connections.recordContact(scope, id, 'shop', 0) as Connection,
    );
    for (const one of [poll, stream]) one?.recordReceipt(7, 10);
    (stream as Connection).streams = 1;
    connections.clear();
    expect([...connections]).toEqual([stream]);
    expect([connections.size, stream?.position, stream?.receivedMs(7)]).toEqual([1, 0, undefined]);
    stream?.recordReceipt(3, 20);
    expect([stream?.position, stream?.receivedMs(2)]).toEqual([3, 20]);
  });

  it('return when a revision was sent, as long as it is recorded, and never too early a time', () => {
    const one = new Connection('1', 'shop', scope, 0);
    one.setInitialPosition(5);
    for (let step = 1; step <= 5; step++) one.recordReceipt(5 + step * 10, step * 1_000);
    expect([5, 6, 15, 16, 55, 56].map((revision) => one.receivedMs(revision))).toEqual([
      undefined,
      1_000,
      1_000,
      2_000,
      5_000,
      undefined,
    ]);
    // Many revisions in a row: each is recorded at its time or a little later, and earlier records are kept.
    for (let step = 0; step < 100; step++) one.recordReceipt(56 + step, 6_000 + step);
    expect(one.receivedMs(45)).toBe(4_000);
    expect(one.receivedMs(57)).toBeGreaterThanOrEqual(6_001);
    expect(one.receivedMs(57)).toBeLessThan(6_300);
    for (let step = 0; step < 10; step++) one.recordReceipt(200 + step, 10_000 + step * 1_000);
    expect([one.receivedMs(45), one.receivedMs(209), one.position]).toEqual([undefined, 19_000, 209]);
    one.recordReceipt(100, 30_000);
    expect(one.position).toBe(209);
  });

  it('of clients without an id are removed with their stream', () => {
    const reports: [string, boolean][] = [];
    const connections = new Connections(2, ({ id, hasEnded }) => reports.push([id, hasEnded]));
    const [one, other] = ['', ''].map((id) => connections.open(scope, id, 'shop', 0) as Connection);
    expect(one?.id).not.toBe(other?.id);
    expect([connections.open(scope, '', 'shop', 0), connections.refused]).toEqual([undefined, 1]);
    connections.recordStreamEnd(one as Connection);
    expect([...connections]).toEqual([other]);
    expect(reports.at(-1)).toEqual([one?.id, true]);
    connections.open(scope, 'named', 'shop', 0);
    expect(connections.size).toBe(2);
  });

  it.each([
    ['W/"0123abcd:17"', 17],
    ['W/"0123abcd:17.1a2b3c4d"', 17],
    ['W/"12345678:17"', 17],
    ['W/"12345678:17.1a2b3c4d"', 17],
    ['17:0123abcd', 17],
    // The name of the list may have only digits, and the revision may have eight digits.
    ['17:12345678', 17],
    ['12345678:90abcdef', 12_345_678],
    ['"12345678:90abcdef.1a2b3c4d"', 12_345_678],
    ['12345678:90123456', 12_345_678],
    ['W/"12345678:90123456"', 90_123_456],
    // Of a list that is identified by its content, as in a delta.
    ['0123abcd0123abcd01234567:17.1a2b3c4d', 17],
    ['=12345678-90abcdef:context.draw', 12_345_678],
    ['"17:0123abcd.1a2b3c4d"', 17],
    ['', 0],
    ['=17-0123abcd:context.draw', 17],
    ['=17-0123abcd.1a2b3c4d~3:context.draw', 17],
    ['*', 0],
    ['W/"0123abcd0123abcd01234567"', 0],
  ])('have the revision that is in the tag %s', (tag, revision) => {
    expect(revisionIn(tag)).toBe(revision);
  });
});
