/** What a pasted list became: values without blanks at the ends, each once, in their order. */
interface CleanedValues {
  readonly values: readonly string[];
  readonly duplicates: number;
}

const LINES = /[\n\r]+/;

/**
 * Splits pasted text at line ends, tabs, commas and semicolons. A part in double quotes stays one value, so that a column copied from a
 * spreadsheet keeps its commas. `existing` come first and count for duplicates.
 */
export function cleanValues(text: string, existing: readonly string[] = []): CleanedValues {
  const seen = new Set(existing);
  const values = [...existing];
  let duplicates = 0;
  for (const line of text.split(LINES)) {
    for (const part of line.match(/"(?:[^"]|"")*"|[^,;\t]+/g) ?? []) {
      const bare = part
        .trim()
        .replace(/^"([\s\S]*)"$/, '$1')
        .replaceAll('""', '"')
        .trim();
      if (bare === '') continue;
      if (seen.has(bare)) duplicates += 1;
      else {
        seen.add(bare);
        values.push(bare);
      }
    }
  }
  return { values, duplicates };
}
