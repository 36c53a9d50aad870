import { absorb, bucketOf, digest, groupState, hashState, ROLLOUT_SEED } from '../../src/evaluation/hashing.ts';

/** murmur3_x86_32 over the UTF-8 bytes of `text`, as an unsigned number. */
export function murmur3(text: string, seed: number): number {
  const state = hashState(seed);
  absorb(state, text);
  return digest(state);
}

/** `murmur3_x86_32(groupId + ":" + id, seed) % n + 1`, the hash that rollouts and variants share. */
export function normalizedHash(groupId: string, id: string, n: number, seed: number = ROLLOUT_SEED): number {
  return bucketOf(groupState(groupId, seed), id, n);
}
