/** What JSON needs at a place. */
const EXPECTED = {
  value: 'a value',
  valueOrEnd: 'a value or ]',
  key: 'a name in quotation marks',
  keyOrEnd: 'a name in quotation marks or }',
  colon: 'a colon',
  separator: 'a comma or the end of the list or object',
  end: 'the end',
} as const;

/** Where a text stops being JSON. */
export const invalidJson = (line: number, expected: keyof typeof EXPECTED, found: string) =>
  `Line ${line} is not JSON: ${found === '' ? 'the text ends' : `there is ${found}`} where ${EXPECTED[expected]} must be.`;
