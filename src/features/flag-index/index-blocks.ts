import { createHash } from 'node:crypto';
import { SharedWork } from '../../base/asking/shared-work.ts';
import { byText, type Order } from '../../base/lists/sorted.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { Feature } from '../../model/feature.ts';
import { Piece } from '../../views/payload/piece.ts';
import { detailsTexts } from './details.ts';
import { blockTexts, fingerprintsText, type Layout } from './index-rows.ts';

/** Mean number of flags in a block. Larger blocks compress better; smaller ones are cheaper to renew after a change. */
const BLOCK_FLAGS = 1_024;
const BLOCK_FLAGS_MAX = 4 * BLOCK_FLAGS;

/** Number of flags that are visited in one step. */
const STEP_FLAGS = 512;

/** Pieces above this size are compressed on another thread. */
const ASIDE_BYTES = 16 * 1024;

type Place = Pick<Feature, 'name' | 'project'>;

/** The order of the flags in the index: it keeps the flags of a project together. */
export const inIndexOrder: Order<Place> = (one, other) =>
  byText(one.project, other.project) || byText(one.name, other.name);

/** Some consecutive flags of the index, with their columns as bytes. Immutable, except that bytes are created when they are needed. */
export class IndexBlock {
  readonly features: readonly Feature[];
  readonly #layout: Layout;
  /** The private project to which all flags belong; null if all of them belong to projects that everybody sees. */
  readonly privateProject: string | null;
  readonly #columns = new Map<Columns, HashedPieces>();
  readonly #encoding = new Map<Columns, SharedWork<HashedPieces>>();

  constructor(features: readonly Feature[], layout: Layout) {
    this.features = features;
    this.#layout = layout;
    const project = features[0]?.project ?? '';
    this.privateProject = isHidden(project, layout) ? project : null;
  }

  /**
   * The columns as bytes, which are encoded once for all who ask for them. They take as much memory as what the state has of the flags in these columns.
   * @throws AskerEnded if no caller waits for the answer any more
   */
  async columns(of: Columns, { asker }: Slicer): Promise<HashedPieces> {
    const known = this.#columns.get(of);
    if (known) return known;
    const work = this.#encoding.get(of) ?? new SharedWork();
    this.#encoding.set(of, work);
    const pieces = await work.ask(
      asker,
      (shared) => hashedPieces(columnTexts(of, this.features, this.#layout), Slicer.of(shared)),
      asker.holder,
    );
    this.#encoding.delete(of);
    this.#columns.set(of, pieces);
    return pieces;
  }
}

/** `rows`: the columns that every answer has. The others are sent on request. */
export type Columns = 'rows' | 'fingerprints' | 'details';

/** The columns of these flags as JSON texts. */
export function columnTexts(of: Columns, features: readonly Feature[], layout: Layout): Steps<string[]> {
  if (of === 'rows') return blockTexts(features, layout);
  return of === 'details' ? detailsTexts(features) : fingerprintsText(features, layout);
}

/** Pieces with a hash of their bytes. */
interface HashedPieces {
  readonly pieces: readonly Piece[];
  readonly digest: string;
}

export async function hashedPieces(texts: Steps<string[]>, slicer: Slicer): Promise<HashedPieces> {
  const pieces: Piece[] = [];
  const hash = createHash('sha256');
  for (const text of await inSlices(texts, slicer)) {
    const piece = Piece.ofText(text);
    hash.update(piece.bytes);
    await compress(piece, slicer);
    // Computed here, because the checksums of all blocks together take milliseconds.
    void piece.sum;
    pieces.push(piece);
  }
  return { pieces, digest: hash.digest('base64url') };
}

async function compress(piece: Piece, slicer: Slicer): Promise<void> {
  if (slicer.spent) await slicer.pause();
  if (piece.uncompressedBytes > ASIDE_BYTES) await piece.deflateAside();
  else void piece.deflated;
  if (slicer.spent) await slicer.pause();
}

/**
 * The blocks of the flags, which are in the order of the index. The boundaries depend only on the flags and the layout, so every replica has the same
 * blocks: a block begins at a flag whose name has a certain hash, at the flags of another project if one of the two is private, and after
 * `BLOCK_FLAGS_MAX` flags.
 */
export function* divided(features: Iterable<Feature>, layout: Layout): Steps<IndexBlock[]> {
  const division = new Division(layout);
  let count = 0;
  for (const feature of features) {
    division.add(feature);
    if (++count % STEP_FLAGS === 0) yield;
  }
  return division.close();
}

/**
 * The blocks of the same flags after these flags have changed. `changed`: name → the project that contained the flag in `before`; null: it was not there.
 * `added`: those that exist now, in the order of the index. Blocks without changes are used again. All blocks have the same layout.
 */
export function* divideAgain(
  before: readonly IndexBlock[],
  layout: Layout,
  changed: ReadonlyMap<string, string | null>,
  added: readonly Feature[],
): Steps<IndexBlock[]> {
  const renewed = new Set<number>();
  for (const [name, project] of changed) if (project !== null) renewed.add(blockAt(before, { name, project }));
  for (const feature of added) renewed.add(blockAt(before, feature));
  yield;
  const division = new Division(layout);
  let next = 0;
  for (const [index, block] of before.entries()) {
    if (!renewed.has(index) && division.addBlock(block)) continue;
    const following = before[index + 1]?.features[0];
    for (const feature of block.features) {
      for (let one = added[next]; one && inIndexOrder(one, feature) < 0; one = added[++next]) division.add(one);
      if (!changed.has(feature.name)) division.add(feature);
    }
    for (let one = added[next]; one && (!following || inIndexOrder(one, following) < 0); one = added[++next])
      division.add(one);
    yield;
  }
  for (; next < added.length; next++) division.add(added[next] as Feature);
  return division.close();
}

/** Index of the block to which the flag belongs: the last one that begins before or at it. */
function blockAt(blocks: readonly IndexBlock[], feature: Place): number {
  let [low, high] = [0, blocks.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (inIndexOrder(blocks[middle]?.features[0] as Feature, feature) <= 0) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Puts consecutive flags into blocks. */
class Division {
  readonly #layout: Layout;
  readonly #blocks: IndexBlock[] = [];
  /** The flags of the block that is not complete. */
  #current: Feature[] = [];

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  add(feature: Feature): void {
    if (isBoundary(this.#last, feature, this.#layout)) this.#complete();
    else if (this.#current.length === 0) this.#current = [...(this.#blocks.pop()?.features ?? [])];
    this.#current.push(feature);
  }

  /** Adds a block of another division, if it begins at a boundary; otherwise returns false. */
  addBlock(block: IndexBlock): boolean {
    if (!isBoundary(this.#last, block.features[0] as Feature, this.#layout)) return false;
    this.#complete();
    this.#blocks.push(block);
    return true;
  }

  close(): IndexBlock[] {
    this.#complete();
    return this.#blocks;
  }

  /** The flags of the last block. */
  get #last(): readonly Feature[] {
    return this.#current.length > 0 ? this.#current : (this.#blocks.at(-1)?.features ?? NO_FLAGS);
  }

  #complete(): void {
    if (this.#current.length > 0) this.#blocks.push(new IndexBlock(this.#current, this.#layout));
    this.#current = [];
  }
}

const NO_FLAGS: readonly Feature[] = [];

/** Whether the flag begins a block if these are the flags of the block before it. */
function isBoundary(block: readonly Feature[], { name, project }: Feature, layout: Layout): boolean {
  const previous = block.at(-1);
  if (!previous || block.length === BLOCK_FLAGS_MAX || hashOf(name) % BLOCK_FLAGS === 0) return true;
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
