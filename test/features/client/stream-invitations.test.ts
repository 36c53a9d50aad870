import { beforeEach, describe, expect, it } from 'vitest';
import { invitedIdOf, StreamInvitations } from '../../../src/features/client/stream-invitations.ts';
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

const invites = (id: string) => invitations.invites(id, CALLER);

/** Number of SDKs that are asked, of `count` new ones that poll. */
function askedOf(count: number): number {
  let asked = 0;
  for (let sdk = 0; sdk < count; sdk++) if (invites(`${nowMs}-${sdk}`)) asked++;
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
    expect([invites('stays'), invites('stays')]).toEqual([true, false]);
    nowMs += HOUR_MS;
    expect([invites('stays'), invites('moves')]).toEqual([true, true]);
    invitations.noteStream('moves');
    expect(invites('moves')).toBe(true);
  });

  it('remember at most 20,000 SDKs, and ask none without an id or with a long one', () => {
    for (let second = 0; second < 21; second++) {
      nowMs += 1_000;
      expect(askedOf(1_000)).toBe(1_000);
    }
    nowMs += 1_000;
    expect([invites('1000-0'), invites('21000-0')]).toEqual([true, false]);
    const idOf = (id: string) => invitedIdOf({ header: () => id }, CALLER);
    expect([invites(idOf('x'.repeat(101))), invites(idOf('')), invites(idOf('x'.repeat(100)))]).toEqual([
      false,
      false,
      true,
    ]);
  });
});
