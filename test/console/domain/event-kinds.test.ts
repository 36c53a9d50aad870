import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EVENT_KINDS } from '../../../console/src/words/en/event-kinds.ts';

const { components } = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
const TYPES: readonly string[] = components.schemas.event.properties.type.enum;

describe('the kinds of events', () => {
  it('are in words, and have every type of event and no other', () => {
    const named = Object.values(EVENT_KINDS).flat();
    expect(TYPES.length).toBeGreaterThan(150);
    expect(TYPES.filter((type) => !named.includes(type))).toEqual([]);
    expect(named.filter((type) => !TYPES.includes(type))).toEqual([]);
    for (const kind of Object.keys(EVENT_KINDS)) expect(kind).toMatch(/^[A-Z][a-z ,]+$/);
  });
});
