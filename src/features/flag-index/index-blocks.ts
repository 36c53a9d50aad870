import { createHash } from 'node:crypto';
import { byText, type Order } from '../../base/sorted.ts';
import { inSlices, type Slicer, type Steps } from '../../base/yield-control.ts';
import type { Feature } from '../../model/feature.ts';
import { Piece } from '../../views/payload/piece.ts';
import { blockText, fingerprintsText, type Layout } from './index-rows.ts';

/** Mean number of flags in a block. Larger blocks compress better; smaller ones are cheaper to renew after a change. */
const BLOCK_FLAGS = 1_024;
const BLOCK_FLAGS_MAX = 4 * BLOCK_FLAGS;

/** Number of flags that are visited in one step. */
const STEP_FLAGS = 512;

/** Pieces above this size are compressed on another thread. */
const ASIDE_BYTES = 64 * 1024;

/** The order of the flags in the index: it keeps the flags of a project together. */
export const inIndexOrder: Order<Feature> = (one, other) =>
  byText(one.project, other.project) || byText(one.name, other.name);

/** Some consecutive flags of the index, with their columns as bytes. Immutable, except that bytes are created when they are needed. */
export class IndexBlock {
  readonly features: readonly Feature[];
  readonly layout: Layout;
  /** The private project to which all flags belong; null if all of them belong to projects that everybody sees. */
  readonly privateProject: string | null;
  #rows: HashedPiece | undefined;
  #fingerprints: HashedPiece | undefined;

  constructor(features: readonly Feature[], layout: Layout) {
    this.features = features;
    this.layout = layout;
    const project = features[0]?.project ?? '';
    this.privateProject = isHidden(project, layout) ? project : null;
  }

  /** Whether the bytes are those of the flags with this layout. */
  isOf(features: readonly Feature[], layout: Layout): boolean {
    if (features.length !== this.features.length || layout.environments !== this.layout.environments) return false;
    for (const [index, feature] of features.entries()) {
      if (feature !== this.features[index]) return false;
      const isNewProject = feature.project !== features[index - 1]?.project;
      if (isNewProject && layout.projects.get(feature.project) !== this.layout.projects.get(feature.project))
        return false;
    }
    return true;
  }

  /** The columns of the index. */
  async rows(slicer: Slicer): Promise<HashedPiece> {
    this.#rows ??= await hashedPiece(blockText(this.features, this.layout), slicer);
    return this.#rows;
  }

  /** The column of the fingerprints. */
  async fingerprints(slicer: Slicer): Promise<HashedPiece> {
    this.#fingerprints ??= await hashedPiece(fingerprintsText(this.features, this.layout), slicer);
    return this.#fingerprints;
  }
}

/** A piece with a hash of its bytes. */
export interface HashedPiece {
  readonly piece: Piece;
  readonly digest: string;
}

async function hashedPiece(text: Steps<string>, slicer: Slicer): Promise<HashedPiece> {
  const piece = Piece.ofText(await inSlices(text, slicer));
  if (slicer.spent) await slicer.pause();
  const digest = createHash('sha256').update(piece.bytes).digest('base64url');
  await compress(piece, slicer);
  return { piece, digest };
}

export async function compress(piece: Piece, slicer: Slicer): Promise<void> {
  if (slicer.spent) await slicer.pause();
  if (piece.uncompressedBytes > ASIDE_BYTES) await piece.deflateAside();
  else void piece.deflated;
  if (slicer.spent) await slicer.pause();
}

/**
 * Divides the flags, which are in the order of the index, into blocks. Blocks of `before` with the same content are used again. The boundaries depend
 * only on the flags and the layout, so every replica has the same blocks: a block begins at a flag whose name has a certain hash, at the flags of another
 * project if one of the two is private, and after `BLOCK_FLAGS_MAX` flags.
 */
export function* divided(
  features: Iterable<Feature>,
  layout: Layout,
  before: readonly IndexBlock[],
): Steps<IndexBlock[]> {
  const known = new Map<Feature | undefined, IndexBlock>();
  for (const block of before) known.set(block.features[0], block);
  const blocks: IndexBlock[] = [];
  let current: Feature[] = [];
  const close = () => {
    if (current.length === 0) return;
    const same = known.get(current[0]);
    blocks.push(same?.isOf(current, layout) ? same : new IndexBlock(current, layout));
    current = [];
  };
  let count = 0;
  for (const feature of features) {
    if (isBoundary(current, feature, layout)) close();
    current.push(feature);
    if (++count % STEP_FLAGS === 0) yield;
  }
  close();
  return blocks;
}

function isBoundary(current: readonly Feature[], { name, project }: Feature, layout: Layout): boolean {
  const previous = current.at(-1);
  if (!previous || current.length === BLOCK_FLAGS_MAX || hashOf(name) % BLOCK_FLAGS === 0) return true;
  return previous.project !== project && (isHidden(previous.project, layout) || isHidden(project, layout));
}

function isHidden(project: string, { projects }: Layout): boolean {
  return projects.get(project)?.isPrivate !== false;
}

/** FNV-1a, with the high bits mixed into the low ones. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** The flags of the blocks without `removed`, and with `added`, which are in the order of the index. */
export function* merged(
  blocks: readonly IndexBlock[],
  removed: ReadonlySet<Feature>,
  added: readonly Feature[],
): Generator<Feature> {
  let next = 0;
  for (const { features } of blocks) {
    for (const feature of features) {
      if (removed.has(feature)) continue;
      for (let one = added[next]; one && inIndexOrder(one, feature) < 0; one = added[++next]) yield one;
      yield feature;
    }
  }
  for (; next < added.length; next++) yield added[next] as Feature;
}
