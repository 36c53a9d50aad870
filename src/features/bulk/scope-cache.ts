import { type CompiledFlag, compileFlag } from '../../evaluation/compile.ts';
import type { HashEncoding } from '../../evaluation/hashing.ts';
import type { SegmentDefinition } from '../../evaluation/segment.ts';
import type { ClientFeature } from '../../model/client-feature.ts';
import type { FlagSelection } from './evaluate-lines.ts';
import type { BulkChunk, BulkScope } from './protocol.ts';

/**
 * Maximum number of scopes whose flags a worker keeps assembled. A scope that is no longer kept is assembled again, from compiled chunks, when it is
 * needed.
 */
const SCOPES_MAX = 8;

interface CompiledChunk {
  readonly flags: readonly CompiledFlag[];
  /** The segments with which the chunk was compiled, by id. The compiled chunk is valid while the segments are the same objects. */
  readonly segments: ReadonlyMap<number, SegmentDefinition | undefined>;
}

interface AssembledScope extends FlagSelection {
  readonly revision: number;
  readonly chunkIds: ReadonlySet<number>;
  readonly segmentChunkIds: ReadonlySet<number>;
}

/**
 * The cache of a worker: compiled flags for each chunk, and assembled flags for each scope. A task names the chunks of its revision: known chunks are
 * reused, other chunks are compiled. So after a change a worker compiles only the changed chunk, and requests at different revisions can be answered
 * at the same time.
 */
export class ScopeCache {
  readonly #hashEncoding: HashEncoding;
  readonly #chunks = new Map<number, CompiledChunk>();
  readonly #segments = new Map<number, SegmentDefinition>();
  /** The assembled scopes by key, in the order in which they were assembled, oldest first. */
  readonly #scopes = new Map<string, AssembledScope>();

  constructor(hashEncoding: HashEncoding) {
    this.#hashEncoding = hashEncoding;
  }

  /** The flags of the scope at its revision. */
  flags(scope: BulkScope): FlagSelection {
    const known = this.#scopes.get(scope.key);
    if (known?.revision === scope.revision) return known;
    const assembled = this.#assemble(scope);
    this.#scopes.delete(scope.key);
    this.#scopes.set(scope.key, assembled);
    for (const oldest of this.#scopes.keys()) {
      if (this.#scopes.size <= SCOPES_MAX) break;
      this.#scopes.delete(oldest);
    }
    this.#forgetUnused();
    return assembled;
  }

  #assemble(scope: BulkScope): AssembledScope {
    const segments = new Map<number, SegmentDefinition>();
    for (const chunk of scope.segments) {
      const segment = this.#segment(chunk);
      segments.set(segment.id, segment);
    }
    const flags: CompiledFlag[] = [];
    const byName = new Map<string, CompiledFlag>();
    for (const chunk of scope.chunks) {
      for (const flag of this.#chunk(chunk, segments).flags) {
        flags.push(flag);
        byName.set(flag.name, flag);
      }
    }
    return {
      revision: scope.revision,
      chunkIds: new Set(scope.chunks.map((chunk) => chunk.id)),
      segmentChunkIds: new Set(scope.segments.map((chunk) => chunk.id)),
      flags,
      find: (name) => byName.get(name),
    };
  }

  #segment(chunk: BulkChunk): SegmentDefinition {
    let segment = this.#segments.get(chunk.id);
    if (!segment) {
      segment = JSON.parse(textOf(chunk)) as SegmentDefinition;
      this.#segments.set(chunk.id, segment);
    }
    return segment;
  }

  #chunk(chunk: BulkChunk, segments: ReadonlyMap<number, SegmentDefinition>): CompiledChunk {
    const known = this.#chunks.get(chunk.id);
    if (known && [...known.segments].every(([id, segment]) => segments.get(id) === segment)) return known;
    const used = new Map<number, SegmentDefinition | undefined>();
    const features = JSON.parse(`[${textOf(chunk)}]`) as ClientFeature[];
    const flags = features.map((feature) =>
      compileFlag(
        definitionOf(feature),
        (id) => {
          used.set(id, segments.get(id));
          return segments.get(id);
        },
        this.#hashEncoding,
      ),
    );
    const compiled = { flags, segments: used };
    this.#chunks.set(chunk.id, compiled);
    return compiled;
  }

  #forgetUnused(): void {
    const scopes = [...this.#scopes.values()];
    for (const id of this.#chunks.keys()) if (!scopes.some((scope) => scope.chunkIds.has(id))) this.#chunks.delete(id);
    for (const id of this.#segments.keys())
      if (!scopes.some((scope) => scope.segmentChunkIds.has(id))) this.#segments.delete(id);
  }
}

/** Builds the definition of a flag from the flag that SDKs receive, which has everything that evaluation needs. */
function definitionOf(feature: ClientFeature) {
  return {
    name: feature.name,
    enabled: feature.enabled,
    impressionData: feature.impressionData,
    strategies: feature.strategies.map((strategy, index) => ({
      id: String(index),
      name: strategy.name,
      title: null,
      disabled: false,
      sortOrder: index,
      parameters: strategy.parameters,
      constraints: strategy.constraints,
      segments: strategy.segments ?? [],
      variants: strategy.variants ?? [],
    })),
    variants: feature.variants,
    dependencies: feature.dependencies ?? [],
  };
}

function textOf(chunk: BulkChunk): string {
  return Buffer.from(chunk.bytes).toString();
}
