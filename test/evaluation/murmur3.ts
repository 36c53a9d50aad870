import {
  absorb,
  bucketOf,
  digest,
  groupState,
  type HashEncoding,
  hashState,
  ROLLOUT_SEED,
} from '../../src/evaluation/hashing.ts';

/** murmur3_x86_32 over the bytes of `text`, as an unsigned number. */
export function murmur3(text: string, seed: number, hashEncoding: HashEncoding = 'utf-8'): number {
  const state = hashState(seed, hashEncoding);
  absorb(state, text);
  return digest(state);
}

/** `murmur3_x86_32(groupId + ":" + id, seed) % n + 1`, the hash that rollouts and variants share. */
export function normalizedHash(groupId: string, id: string, n: number, seed: number = ROLLOUT_SEED): number {
  return bucketOf(groupState(groupId, seed, 'utf-8'), id, n);
}
