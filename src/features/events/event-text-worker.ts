import { decodeEvent } from '../../state/commit.ts';
import { partInStrings, placesWith, textMatcher } from './text.ts';
import type { TextResult, TextTask } from './text-protocol.ts';

/**
 * Looks for a text in the events of one task. Runs in a thread of the pool. Only events whose bytes may hold it are decoded. One that cannot be read
 * does not hold it.
 */
export default function searchTask({ bytes, ends, text }: TextTask): TextResult {
  const matches = textMatcher(text);
  const part = partInStrings(text);
  const found: number[] = [];
  for (const place of part === undefined ? ends.keys() : placesWith(part, bytes, ends)) {
    const encoded = bytes.subarray(place === 0 ? 0 : ends[place - 1], ends[place]);
    try {
      if (matches(decodeEvent(encoded))) found.push(place);
    } catch {
      // Another version wrote it.
    }
  }
  return found;
}
