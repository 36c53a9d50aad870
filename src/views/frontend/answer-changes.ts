import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { evaluationCost, resolve } from '../../evaluation/evaluate.ts';
import { type Needs, NeedsBuilder, NO_NEEDS } from '../../evaluation/needs.ts';
import { toggleJson } from '../../evaluation/toggle-json.ts';
import type { FlagCell } from '../flags/flag-cell.ts';
import type { FlagSnapshot } from '../flags/flag-snapshot.ts';
import type { FlagDifference, FlagMoment } from './flag-differences.ts';
import type { StreamContext } from './stream-context.ts';

/** The result when nothing is sent. */
const NO_BYTES = new Uint8Array();

/**
 * Maximum size of the changes that are sent. If they are larger, the whole answer is sent, because the queue of whole answers limits the memory of whole
 * answers.
 */
const CHANGES_BYTES_MAX = 64 * 1024;

/**
 * Maximum units of work for one context in one step, about half a millisecond. A context that needs more gets the whole answer, which is created in
 * slices.
 */
const WORK_MAX = 25_000;

/** Maximum number of contexts with cached answers, and maximum number of characters of these answers. Beyond it the cache is cleared. */
const CACHED_CONTEXTS_MAX = 8_192;
export const REMEMBERED_CHARS_MAX = 4 * 1024 * 1024;

/**
 * The changes that update readers from one version of their answers to the newest. They contain only the flags whose answers may differ. Contexts
 * with equal values in the fields that these flags read share one evaluation, and contexts with the same result share the same bytes.
 */
export class AnswerChanges {
  readonly #differences: readonly FlagDifference[];
  /** The moment of the version that the readers have. Undefined when it is not known; then the readers get all flags of the differences. */
  readonly #before: FlagMoment | undefined;
  readonly #after: FlagMoment;
  readonly #needs: Needs;
  readonly #costFixed: number;
  readonly #costPerChar: number;
  readonly #byContext = new Map<string, Uint8Array | null>();
  #ofEveryContext: Uint8Array | null | undefined;
  readonly #byText = new Map<string, Uint8Array>();
  #rememberedChars = 0;
  /** Number of evaluations; for tests and stats. */
  evaluations = 0;

  /** Number of characters in the cache; for tests and stats. */
  get rememberedChars(): number {
    return this.#rememberedChars;
  }

  /** All flags of the differences must be compiled, and so must their parents. */
  constructor(differences: readonly FlagDifference[], before: FlagMoment | undefined, after: FlagMoment) {
    this.#differences = differences;
    this.#before = before;
    this.#after = after;
    const needs = new NeedsBuilder();
    for (const difference of differences) {
      addNeeds(difference.after, after.snapshot, needs);
      if (before) addNeeds(difference.before, before.snapshot, needs);
    }
    this.#needs = needs.result;
    this.#costFixed = this.#costFor(0);
    this.#costPerChar = this.#costFor(1) - this.#costFixed;
  }

  /**
   * The end of the event for this context: empty when none of its answers has changed, null when the whole answer must be sent. The changed flags are
   * evaluated once for all contexts that are equal in the fields that these flags read.
   */
  of(context: StreamContext): Uint8Array | null {
    if (this.#costFixed + this.#costPerChar * context.longestValue > WORK_MAX) return null;
    // The answers are the same for every context, so its fields are not read.
    if (this.#needs === NO_NEEDS && this.#ofEveryContext !== undefined) return this.#ofEveryContext;
    const { key, restrictedContext } = context.restrictTo(this.#needs);
    const known = this.#byContext.get(key);
    if (known !== undefined) return known;
    if (this.#byContext.size >= CACHED_CONTEXTS_MAX) this.#forget();
    const bytes = this.#bytesOf(restrictedContext, context);
    this.#remember(key.length);
    this.#byContext.set(key, bytes);
    if (this.#needs === NO_NEEDS) this.#ofEveryContext = bytes;
    return bytes;
  }

  #bytesOf(restrictedContext: EvaluationContext, context: StreamContext): Uint8Array | null {
    this.evaluations++;
    const text = this.#textOf(restrictedContext, context);
    if (text === null || text === '') return text === null ? null : NO_BYTES;
    let bytes = this.#byText.get(text);
    if (bytes === undefined) {
      bytes = Buffer.from(text);
      this.#remember(text.length);
      this.#byText.set(text, bytes);
    }
    return bytes.byteLength > CHANGES_BYTES_MAX ? null : bytes;
  }

  /** Evicts entries to make space for this many characters. */
  #remember(chars: number): void {
    if (this.#rememberedChars + chars > REMEMBERED_CHARS_MAX) this.#forget();
    this.#rememberedChars += chars;
  }

  #forget(): void {
    this.#byContext.clear();
    this.#byText.clear();
    this.#rememberedChars = 0;
  }

  /** The text of the changes; null as soon as it is longer than the maximum. */
  #textOf(restrictedContext: EvaluationContext, context: StreamContext): string | null {
    const contextNow = context.at(restrictedContext, this.#after.nowMs);
    const contextBefore = this.#before && context.at(restrictedContext, this.#before.nowMs);
    let toggles = '';
    let removed = '';
    for (const { name, before, after } of this.#differences) {
      const toggle = toggleIfOn(after?.flag, contextNow, this.#after.snapshot.find);
      if (
        this.#before &&
        contextBefore &&
        toggle === toggleIfOn(before?.flag, contextBefore, this.#before.snapshot.find)
      )
        continue;
      if (toggle === undefined) removed += removed === '' ? JSON.stringify(name) : `,${JSON.stringify(name)}`;
      else toggles += toggles === '' ? toggle : `,${toggle}`;
      if (toggles.length + removed.length > CHANGES_BYTES_MAX) return null;
    }
    return toggles === '' && removed === '' ? '' : `"toggles":[${toggles}],"removed":[${removed}]}\n\n`;
  }

  #costFor(longestValue: number): number {
    let cost = 0;
    for (const { before, after } of this.#differences) {
      if (after?.flag) cost += evaluationCost(after.flag, longestValue, this.#after.snapshot.find);
      if (this.#before && before?.flag) cost += evaluationCost(before.flag, longestValue, this.#before.snapshot.find);
    }
    return cost;
  }
}

/** The JSON of the toggle; undefined when the flag is off or does not exist. */
function toggleIfOn(flag: CompiledFlag | undefined, context: EvaluationContext, find: FlagLookup): string | undefined {
  if (flag === undefined) return undefined;
  const resolution = resolve(flag, context, find);
  return resolution.on ? toggleJson(flag, resolution) : undefined;
}

function addNeeds(cell: FlagCell | undefined, snapshot: FlagSnapshot, needs: NeedsBuilder): void {
  if (cell === undefined) return;
  needs.add(cell.needs);
  for (const { feature } of cell.feature.dependencies) {
    const parent = snapshot.parent(feature);
    if (parent) needs.add(parent.needs);
  }
}
