import { decodeEvent } from '../../state/commit.ts';
import { partInStrings, rowsWith, textMatcher } from './text.ts';
import type { TextResult, TextTask } from './text-protocol.ts';

/**
 * Searches the events of one task for a text. Runs in a thread of the pool. It decodes only events whose bytes may contain the text. An event that
 * cannot be decoded does not match.
 */
export default function searchTask({ bytes, ends, text }: TextTask): TextResult {
  const matches = textMatcher(text);
  const part = partInStrings(text);
  const found: number[] = [];
  for (const row of part === undefined ? ends.keys() : rowsWith(part, bytes, ends)) {
    const encoded = bytes.subarray(row === 0 ? 0 : ends[row - 1], ends[row]);
    try {
      if (matches(decodeEvent(encoded))) found.push(row);
    } catch {
      // Another version wrote the event.
    }
  }
  return found;
}
