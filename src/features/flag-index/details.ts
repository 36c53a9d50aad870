import type { Steps } from '../../base/yield-control.ts';
import { FEATURE_TYPES, type Feature, tagText } from '../../model/feature.ts';
import type { StateReader } from '../../state/collections.ts';
import { lifetimeDaysOf } from '../flags/types/commands.ts';
import { digitsOf } from './index-rows.ts';

/** Number of rows that are written in one step. */
const STEP_ROWS = 64;

/** Tags and descriptions are divided into texts of about this size: a larger text would take too long to encode. A description has at most 10,000 characters. */
const TEXT_CHARS = 32_000;

/** What a list shows of the flags beside their states, as columns that follow the other columns of their block: times of creation, tags, descriptions. */
export function* detailsTexts(features: readonly Feature[]): Steps<string[]> {
  const created: number[] = [];
  const numbers: number[] = [];
  const sets = new Map<string, number>();
  const descriptions = new Texts(',"descriptions":[');
  let chars = 0;
  for (const [index, { createdAt, tags, description }] of features.entries()) {
    created.push(Date.parse(createdAt));
    const set = JSON.stringify(tags.map(tagText));
    const number = sets.get(set) ?? sets.size;
    sets.set(set, number);
    numbers.push(number);
    descriptions.add(JSON.stringify(description ?? ''));
    chars += set.length;
    if (index % STEP_ROWS !== 0 && chars < TEXT_CHARS && !descriptions.isAtStart) continue;
    chars = 0;
    yield;
  }
  const createdFrom = created.reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY);
  const digits = digitsOf(created.map((ms) => ms - createdFrom));
  const tagSets = new Texts(
    `,"createdFrom":${createdFrom},"created":${JSON.stringify(digits)},"tags":${JSON.stringify(numbers)},"tagSets":[`,
  );
  yield;
  for (const set of sets.keys()) {
    tagSets.add(set);
    if (tagSets.isAtStart) yield;
  }
  return [...tagSets.closed(), ...descriptions.closed()];
}

/** A list of JSON values, divided into texts. */
class Texts {
  readonly #texts: string[] = [];
  #current: string;
  #separator = '';

  constructor(start: string) {
    this.#current = start;
  }

  add(json: string): void {
    this.#current += `${this.#separator}${json}`;
    this.#separator = ',';
    if (this.#current.length < TEXT_CHARS) return;
    this.#texts.push(this.#current);
    this.#current = '';
  }

  /** Whether the last value has completed a text. */
  get isAtStart(): boolean {
    return this.#current === '';
  }

  closed(): string[] {
    return [...this.#texts, `${this.#current}]`];
  }
}

/** How long flags of each type are expected to be needed, in days, in the order of the types; null: without an end. */
export const lifetimes = (reader: StateReader): (number | null)[] =>
  FEATURE_TYPES.map((type) => lifetimeDaysOf(reader, type));
