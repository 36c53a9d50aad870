import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import searchTask from '../../../src/features/events/event-text-worker.ts';
import { partInStrings, positionsWith, textMatcher } from '../../../src/features/events/text-matcher.ts';
import type { AuditEvent } from '../../../src/model/event.ts';
import { decodeEvent, encodeEvent } from '../../../src/state/commit.ts';

const CHARACTERS = [
  ...'aAbeflnrstuEK19.-+,:{}[] "\\\nλΣςσéÉİK中文😀',
  '\ud83d',
  'true',
  'null',
  '"enabled":',
  'flag-1',
];
const text = (maxLength: number) => fc.array(fc.constantFrom(...CHARACTERS), { maxLength }).map((all) => all.join(''));
const data = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text(6),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('map'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  map: fc.dictionary(text(3), tie('value'), { maxKeys: 4 }),
})).value;
const event: fc.Arbitrary<AuditEvent> = fc.record({ createdBy: text(5), data, preData: data }).map((random) => ({
  id: 1,
  type: 'feature-environment-enabled',
  createdAt: '2026-01-01T00:00:00.000Z',
  createdByUserId: 1,
  environment: null,
  project: 'default',
  featureName: 'Kelvin',
  tags: null,
  ...random,
}));

function taskOf(events: readonly AuditEvent[]): { readonly bytes: Uint8Array; readonly ends: readonly number[] } {
  const encoded = events.map((event) => encodeEvent(event));
  let end = 0;
  return { bytes: Buffer.concat(encoded), ends: encoded.map(({ length }) => (end += length)) };
}

/** JSON writes a line break as a backslash and a letter. That letter is not part of the decoded text. */
const hasEscapes = (events: readonly AuditEvent[]) => /\\/.test(JSON.stringify(events));

describe('text in audit events', () => {
  it('is found in the bytes of the same events as in the decoded events', () => {
    let looked = 0;
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 4 }),
        text(4),
        fc.nat(12),
        fc.nat(12),
        (randomEvents, random, from, length) => {
          // What the service has of them: half of a surrogate pair is not encoded.
          const events = randomEvents.map((one) => decodeEvent(encodeEvent(one)));
          // Texts that are in the events, and texts that may be absent.
          const json = JSON.stringify(events[0]?.data ?? '');
          for (const wanted of [random, json.slice(from, from + 1 + length), events[0]?.createdBy.slice(0, 3) ?? '']) {
            if (wanted === '') continue;
            const matches = textMatcher(wanted);
            const { bytes, ends } = taskOf(events);
            const found = [...events.keys()].filter((index) => matches(events[index] as AuditEvent));
            const rows = searchTask({ bytes, ends, text: wanted });
            const part = partInStrings(wanted);
            if (part !== undefined) looked++;
            if (hasEscapes(events)) expect(found).toEqual(expect.arrayContaining([...rows]));
            else expect([wanted, rows]).toEqual([wanted, found]);
          }
        },
      ),
      { numRuns: 1_000 },
    );
    expect(looked).toBeGreaterThan(150);
  });

  it.each([
    ['needle in the haystack', 'needle in the haystack'],
    ['as agreed, with all', 'as agreed, with all'],
    ['"Enabled":true', 'enabled'],
    ['2026-01-31', '2026-01-31'],
    ['{"flag-1":{"on":1}}', 'flag-1'],
    ['Été', 'été'],
  ])('%s can only be in a string', (wanted, part) => {
    expect(partInStrings(wanted)).toBe(part);
  });

  it.each(['100', '-1.5e+3', 'true', 'al', ':true,', '[]', '"a":', 'line\\n', 'ΤΗΣ', '"'])(
    '%s may be outside of strings',
    (wanted) => {
      expect(partInStrings(wanted)).toBeUndefined();
    },
  );

  it('is searched without decoding events that cannot contain it', () => {
    const fields = { type: 'feature-created', createdBy: 'a', data: { text: 'Something else' } } as const;
    const [plain] = fc.sample(event, 1) as [AuditEvent];
    const events = Array.from({ length: 50 }, (_, index) => ({
      ...plain,
      ...fields,
      preData: null,
      data: index % 20 === 7 ? { text: 'NEEDLE' } : fields.data,
    }));
    const { bytes, ends } = taskOf(events);
    expect([...positionsWith('needle', bytes, ends)]).toEqual([7, 27, 47]);
    expect([...positionsWith('needlé', bytes, ends)]).toEqual([]);
  });
});
