import { decodeEvent } from '../../state/commit.ts';
import type { TextResult, TextTask } from '../bulk/text-protocol.ts';
import { partInStrings, positionsWith, textMatcher } from './text-matcher.ts';

/**
 * Searches the events of one task for a text. Runs in a thread of the pool. It decodes only events whose bytes may contain the text. An event that
 * cannot be decoded does not match.
 */
export default function searchTask({ bytes, ends, text }: TextTask): TextResult {
  const matches = textMatcher(text);
  const part = partInStrings(text);
  const matchingPositions: number[] = [];
  for (const position of part === undefined ? ends.keys() : positionsWith(part, bytes, ends)) {
    const encoded = bytes.subarray(position === 0 ? 0 : ends[position - 1], ends[position]);
    try {
      if (matches(decodeEvent(encoded))) matchingPositions.push(position);
    } catch {
      // Another version wrote the event.
    }
  }
  return matchingPositions;
}
