import { FACT_BYTES } from '../state/event-facts.ts';

/** A fact, under the id of its event. */
export interface NumberedFact {
  readonly id: number;
  readonly fact: Uint8Array;
}

/** Facts of consecutive events, one by one. */
export function* numberedFacts(firstId: number, facts: Uint8Array): Generator<NumberedFact, void, void> {
  for (let at = 0; at < facts.length; at += FACT_BYTES) {
    yield { id: firstId + at / FACT_BYTES, fact: facts.subarray(at, at + FACT_BYTES) };
  }
}

/** Facts of consecutive events, and the page they are part of. */
interface PagePart {
  readonly page: number;
  /** Where they begin in the page. */
  readonly place: number;
  readonly facts: Uint8Array;
}

/** Cuts facts of the events from `firstId` on where pages of `pageFacts` begin. The fact of event `id` has the place `id % pageFacts`. */
export function* pageParts(firstId: number, facts: Uint8Array, pageFacts: number): Generator<PagePart, void, void> {
  const count = facts.length / FACT_BYTES;
  for (let done = 0; done < count; ) {
    const place = (firstId + done) % pageFacts;
    const length = Math.min(pageFacts - place, count - done);
    const part = facts.subarray(done * FACT_BYTES, (done + length) * FACT_BYTES);
    yield { page: Math.floor((firstId + done) / pageFacts), place, facts: part };
    done += length;
  }
}
