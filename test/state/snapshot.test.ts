import { Packr } from 'msgpackr/pack';
import { describe, expect, it } from 'vitest';
import { SERVICE } from '../../src/base/asking/asker.ts';
import { decodeSnapshot, encodeSnapshot, SNAPSHOT_FORMAT, StateReplacedError } from '../../src/state/snapshot.ts';
import { State } from '../../src/state/state.ts';
import { DamagedRecordError, UnknownFormatError } from '../../src/state/stored-schema.ts';
import { flag } from '../support/admin.ts';

/** A state with so many flags: 48 of them fill a slice. */
function stateOf(count: number): State {
  const state = new State();
  for (let index = 0; index < count; index++) state.load('features', `flag-${index}`, flag(`flag-${index}`));
  return state;
}

async function piecesOf(state: State): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of encodeSnapshot(state, SERVICE)) pieces.push(piece);
  return pieces;
}

async function decoded(pieces: readonly (Uint8Array | undefined)[]): Promise<State> {
  return decodeSnapshot(
    (async function* () {
      for (const piece of pieces) if (piece) yield piece;
    })(),
  );
}

const packed = (piece: object) => new Packr({ useRecords: true }).pack(piece) as Uint8Array;

describe('a snapshot', () => {
  it('has the state in a header, slices and an end', async () => {
    const pieces = await piecesOf(stateOf(100));
    expect(pieces).toHaveLength(5);
    const state = await decoded(pieces);
    expect([...state.entries('features')]).toEqual([...stateOf(100).entries('features')]);
  });

  it.each([
    ['in the middle', 2, 100],
    ['at its end', 3, 96],
    ['before anything was read', 1, 10],
  ])('of a state that is replaced %s cannot be used', async (_when, after, count) => {
    const state = stateOf(count);
    const pieces = encodeSnapshot(state, SERVICE);
    for (let piece = 0; piece < after; piece++) expect((await pieces.next()).done).toBe(false);
    state.replaceWith(new State());
    const rest = async () => {
      for await (const _piece of pieces);
    };
    await expect(rest()).rejects.toThrow(new StateReplacedError());
    expect(new StateReplacedError().name).toBe('StateReplacedError');
  });

  it.each([
    ['without its header', [1, 2, 3, 4], 'has a slice before its header'],
    ['without a slice', [0, 1, 3, 4], 'entries are missing'],
    ['without its end', [0, 1, 2, 3], 'is incomplete'],
    ['with a slice after its end', [0, 1, 2, 3, 4, 3], 'or after its end'],
    ['without anything', [], 'is incomplete'],
  ])('%s is refused', async (_how, order, problem) => {
    const pieces = await piecesOf(stateOf(100));
    // A decoder learns the forms of objects from earlier pieces, so each piece is packed by itself.
    const reader = new Packr({ useRecords: true });
    const alone = pieces.map((piece) => packed(reader.unpack(piece)));
    const refusal = decoded(order.map((at) => alone[at]));
    await expect(refusal).rejects.toThrow(DamagedRecordError);
    await expect(refusal).rejects.toThrow(problem);
  });

  it('of another format, or with other pieces, is refused', async () => {
    const header = { kind: 'header', format: SNAPSHOT_FORMAT + 1, seq: 1, lastEventId: 0 };
    await expect(decoded([packed(header)])).rejects.toThrow(UnknownFormatError);
    await expect(decoded([packed({ kind: 'middle' })])).rejects.toThrow('a piece of an unknown kind');
    await expect(decoded([packed(header).subarray(0, 3)])).rejects.toThrow(DamagedRecordError);
  });
});
