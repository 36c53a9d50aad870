import { beforeEach, describe, expect, it } from 'vitest';
import { StreamInvitations } from '../../../src/features/client/stream-invitations.ts';
import type { Caller } from '../../../src/model/caller.ts';

const HOUR_MS = 3_600_000;
const CALLER = {} as Caller;

let nowMs: number;
let room: number;
let invitations: StreamInvitations;

beforeEach(() => {
  nowMs = 0;
  room = 10_000;
  invitations = new StreamInvitations(
    () => nowMs,
    () => room,
  );
});

const choose = (id: string, isUnchanged = false) => invitations.choose(id, CALLER, isUnchanged);

/** Number of SDKs that are asked, of `count` new ones that poll. */
function askedOf(count: number): number {
  let asked = 0;
  for (let sdk = 0; sdk < count; sdk++) if (choose(`${nowMs}-${sdk}`) === 'ask') asked++;
  return asked;
}

describe('invitations to open a stream', () => {
  it('are at most 1,000 in a second, so that a crowd does not open all streams at once', () => {
    expect(askedOf(5_000)).toBe(1_000);
    nowMs += 1_000;
    expect(askedOf(5_000)).toBe(1_000);
  });

  it('are not more than the streams that can still be opened', () => {
    room = 3;
    expect(askedOf(10)).toBe(3);
    room = 0;
    nowMs += 1_000;
    expect(askedOf(10)).toBe(0);
  });

  it('are sent again only after an hour to an SDK that opens no stream, and at its next list to an SDK whose stream was open', () => {
    expect([choose('stays'), choose('stays', true), choose('stays', true), choose('stays')]).toEqual([
      ...['ask', 'whole', 'unchanged', 'whole'],
    ]);
    nowMs += HOUR_MS;
    expect(choose('stays')).toBe('ask');
    expect(choose('moves')).toBe('ask');
    invitations.noteStream('moves');
    expect([choose('moves', true), choose('moves')]).toEqual(['unchanged', 'ask']);
  });

  it('remember at most 20,000 SDKs, and none by a long id', () => {
    for (let second = 0; second < 21; second++) {
      nowMs += 1_000;
      expect(askedOf(1_000)).toBe(1_000);
    }
    expect(choose('1000-0', true), 'forgotten').toBe('unchanged');
    expect(choose(`${nowMs}-0`, true), 'remembered').toBe('whole');
    nowMs += 1_000;
    const long = 'x'.repeat(101);
    expect([choose(long), choose(long, true)]).toEqual(['ask', 'unchanged']);
  });
});
