import { searchName, sortedNames } from '../../base/lists/sorted.ts';
import { inSlices, type Slicer } from '../../base/yield-control.ts';
import type { Chunk } from '../../views/client/chunk.ts';

interface RequestedFlags {
  /** The chunks that contain the requested flags or their parents, in the order of the list. */
  readonly chunks: readonly Chunk[];
  /** Number of requested flags. */
  readonly flagCount: number;
}

/**
 * Finds the flags whose names start with the prefix ("" for all flags), in slices. Chunks are sorted by name, so chunks without matching flags are
 * skipped.
 */
export async function findRequestedFlags(
  chunks: readonly Chunk[],
  prefix: string,
  slicer: Slicer,
): Promise<RequestedFlags> {
  const requestedChunks = new Set<Chunk>();
  const parents = new Set<string>();
  let flagCount = 0;
  for (const chunk of chunks) {
    if (slicer.spent) await slicer.pause();
    if (!mayContain(chunk, prefix)) continue;
    for (const { name, dependencies } of chunk.features) {
      if (!name.startsWith(prefix)) continue;
      flagCount++;
      requestedChunks.add(chunk);
      for (const { feature } of dependencies) parents.add(feature);
    }
  }
  const parentNames = await inSlices(sortedNames(parents), slicer);
  for (const chunk of chunks) {
    if (slicer.spent) await slicer.pause();
    if (mayContainAny(chunk, parentNames)) requestedChunks.add(chunk);
  }
  return { chunks: chunks.filter((chunk) => requestedChunks.has(chunk)), flagCount };
}

function mayContain({ firstName, lastName }: Chunk, prefix: string): boolean {
  return lastName >= prefix && (firstName <= prefix || firstName.startsWith(prefix));
}

/** Whether any of the sorted names is between the chunk's first and last name, so that the chunk may contain a flag with that name. */
function mayContainAny({ firstName, lastName }: Chunk, names: readonly string[]): boolean {
  const found = searchName(names.length, (index) => names[index] as string, firstName);
  const next = names[found < 0 ? -1 - found : found];
  return next !== undefined && next <= lastName;
}
