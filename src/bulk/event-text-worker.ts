import { decodeEvent } from '../state/commit.ts';
import { textMatcher } from './event-text.ts';
import type { TextResult, TextTask } from './event-text-protocol.ts';

/** Looks for a text in the events of one task. Runs in a thread of the pool. An event that cannot be read does not hold it. */
export default function searchTask({ bytes, ends, text }: TextTask): TextResult {
  const matches = textMatcher(text);
  const found: number[] = [];
  let start = 0;
  for (const [place, end] of ends.entries()) {
    const encoded = bytes.subarray(start, end);
    start = end;
    try {
      if (matches(decodeEvent(encoded))) found.push(place);
    } catch {
      // Another version wrote it.
    }
  }
  return found;
}
