import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { evaluationCostWithParents, resolve } from '../../evaluation/evaluate.ts';
import { type Needs, NeedsBuilder, NO_NEEDS } from '../../evaluation/needs.ts';
import { toggleJson } from '../../evaluation/toggle-json.ts';
import type { FlagCell } from '../flags/flag-cell.ts';
import type { FlagSnapshot } from '../flags/flag-snapshot.ts';
import type { FlagDifference, FlagMoment } from './flag-differences.ts';
import type { StreamContext } from './stream-context.ts';

/** Sent to no stream. */
const NO_BYTES = new Uint8Array();

/** The most that is sent as changes: beyond it everything is sent, whose bytes are counted and waited for. */
const CHANGES_BYTES_MAX = 64 * 1024;

/** Units of work that one context may take in one go, about half a millisecond; a context that needs more is sent everything, which is made in slices. */
const WORK_MAX = 25_000;

/** Contexts whose answers are remembered, and characters of these answers. Beyond it they are forgotten, and worked out again when they come. */
const REMEMBERED_MAX = 8_192;
export const REMEMBERED_CHARS_MAX = 4 * 1024 * 1024;

/**
 * Updates readers from one version of their answers to the newest, with the flags whose answers may differ. Contexts that are equal in the fields that
 * those flags read use one evaluation, and contexts with the same result use the same bytes.
 */
export class AnswerChanges {
  readonly #differences: readonly FlagDifference[];
  /** Undefined when it is not known what readers were sent: they are sent all these flags. */
  readonly #before: FlagMoment | undefined;
  readonly #after: FlagMoment;
  readonly #needs: Needs;
  readonly #costFixed: number;
  readonly #costPerChar: number;
  readonly #byContext = new Map<string, Uint8Array | null>();
  #ofEverybody: Uint8Array | null | undefined;
  readonly #byText = new Map<string, Uint8Array>();
  #rememberedChars = 0;
  /** Evaluations that were made; for tests and stats. */
  evaluations = 0;

  /** Characters of what is remembered; for tests and stats. */
  get rememberedChars(): number {
    return this.#rememberedChars;
  }

  /** All flags of the differences are compiled, and so are their parents. */
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
   * What the context is sent, as the end of an event: empty when none of its answers has changed, null when everything has to be sent. Costs an evaluation
   * of the changed flags for each context that differs in what they read.
   */
  of(context: StreamContext): Uint8Array | null {
    if (this.#costFixed + this.#costPerChar * context.longestValue > WORK_MAX) return null;
    // The same for every context: nothing of it needs to be looked at.
    if (this.#needs === NO_NEEDS && this.#ofEverybody !== undefined) return this.#ofEverybody;
    const { key, evaluated } = context.restricted(this.#needs);
    const known = this.#byContext.get(key);
    if (known !== undefined) return known;
    if (this.#byContext.size >= REMEMBERED_MAX) this.#forget();
    const bytes = this.#bytesOf(evaluated, context);
    this.#remember(key.length);
    this.#byContext.set(key, bytes);
    if (this.#needs === NO_NEEDS) this.#ofEverybody = bytes;
    return bytes;
  }

  #bytesOf(evaluated: EvaluationContext, context: StreamContext): Uint8Array | null {
    this.evaluations++;
    const text = this.#textOf(evaluated, context);
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

  /** Null as soon as it is more than is sent as changes. */
  #textOf(evaluated: EvaluationContext, context: StreamContext): string | null {
    const now = context.at(evaluated, this.#after.nowMs);
    const then = this.#before && context.at(evaluated, this.#before.nowMs);
    let toggles = '';
    let removed = '';
    for (const { name, before, after } of this.#differences) {
      const is = telling(after?.flag, now, this.#after.snapshot.find);
      if (this.#before && then && is === telling(before?.flag, then, this.#before.snapshot.find)) continue;
      if (is === undefined) removed += removed === '' ? JSON.stringify(name) : `,${JSON.stringify(name)}`;
      else toggles += toggles === '' ? is : `,${is}`;
      if (toggles.length + removed.length > CHANGES_BYTES_MAX) return null;
    }
    return toggles === '' && removed === '' ? '' : `"toggles":[${toggles}],"removed":[${removed}]}\n\n`;
  }

  #costFor(longestValue: number): number {
    let cost = 0;
    for (const { before, after } of this.#differences) {
      if (after?.flag) cost += evaluationCostWithParents(after.flag, longestValue, this.#after.snapshot.find);
      if (this.#before && before?.flag)
        cost += evaluationCostWithParents(before.flag, longestValue, this.#before.snapshot.find);
    }
    return cost;
  }
}

/** The toggle as it is sent; undefined when it is off, or not there. */
function telling(flag: CompiledFlag | undefined, context: EvaluationContext, find: FlagLookup): string | undefined {
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
