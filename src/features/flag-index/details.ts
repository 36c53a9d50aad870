import type { Steps } from '../../base/yield-control.ts';
import { FEATURE_TYPES, type Feature, tagText } from '../../model/feature.ts';
import type { StateReader } from '../../state/collections.ts';
import { lifetimeDaysOf } from '../flags/types/commands.ts';
import { digitsOf } from './index-rows.ts';

/** Number of rows that are written in one step. */
const STEP_ROWS = 64;

/** The descriptions are divided into texts of about this size: a larger text would take too long to encode. A description has at most 10,000 characters. */
const TEXT_CHARS = 32_000;

/** What a list shows of the flags beside their states, as columns that follow the other columns of their block: times of creation, tags, descriptions. */
export function* detailsTexts(features: readonly Feature[]): Steps<string[]> {
  const created: number[] = [];
  const numbers: number[] = [];
  const sets = new Map<string, number>();
  const texts: string[] = [];
  let descriptions = ',"descriptions":[';
  for (const [index, { createdAt, tags, description }] of features.entries()) {
    created.push(Date.parse(createdAt));
    const set = JSON.stringify(tags.map(tagText));
    const number = sets.get(set) ?? sets.size;
    sets.set(set, number);
    numbers.push(number);
    descriptions += `${index === 0 ? '' : ','}${JSON.stringify(description ?? '')}`;
    if (descriptions.length >= TEXT_CHARS) {
      texts.push(descriptions);
      descriptions = '';
      yield;
    } else if (index % STEP_ROWS === 0) yield;
  }
  const createdFrom = created.reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY);
  const digits = digitsOf(created.map((ms) => ms - createdFrom));
  return [
    `,"createdFrom":${createdFrom},"created":${JSON.stringify(digits)}`,
    `,"tagSets":[${[...sets.keys()].join(',')}],"tags":${JSON.stringify(numbers)}`,
    ...texts,
    `${descriptions}]`,
  ];
}

/** How long flags of each type are expected to be needed, in days, in the order of the types; null: without an end. */
export const lifetimes = (reader: StateReader): (number | null)[] =>
  FEATURE_TYPES.map((type) => lifetimeDaysOf(reader, type));
