import type { Static, TSchema } from 'typebox';
import { JsonBytes, type MemberName } from '../../../base/json-bytes.ts';
import { JSON_VALUES_MAX, parseJson } from '../../../base/json-text.ts';
import { Rejection } from '../../../base/rejection.ts';
import { TextTable } from '../../../base/text-table.ts';
import { validate } from '../../../base/validation.ts';
import { FlagReader } from '../../client/flag-reader.ts';

/** Longest body that is read in one pass: relays send up to 100 KB at a time, and longer ones are parsed in several turns of the loop. */
export const READ_BYTES_MAX = 128 * 1024;

/** Names of applications, environments and instances: each a text of 100 bytes that is found again by its bytes. */
const TEXT_SLOTS = 4_096;
const TEXT_LENGTH_MAX = 100;

/**
 * The text of a report, read in one pass by whoever knows its form (docs/decisions/report-parsing.md), and what of earlier ones is found again in it. What a
 * reader does not know exactly is left: the body is then read as all bodies are.
 */
export class ReportText {
  readonly json = new JsonBytes(READ_BYTES_MAX, JSON_VALUES_MAX);
  readonly flags = new FlagReader(this.json);
  readonly #texts = new TextTable(TEXT_SLOTS, TEXT_LENGTH_MAX, this.json);
  #last = 0;

  /** Whether `read` has read all of it. What was found in it is valid until the next one. */
  take(body: Uint8Array, read: () => void): boolean {
    this.flags.names.begin();
    this.#texts.begin();
    return this.json.take(body, read);
  }

  /** A text of which there are not many; probably the one that was found last. */
  text(): string {
    this.#last = this.json.text(this.#texts, this.#last);
    return this.#texts.textOf(this.#last);
  }

  textOrNull(): string | null {
    return this.json.isNull() ? null : this.text();
  }

  /** A value that conforms, read as all bodies are. */
  value<Schema extends TSchema>(schema: Schema): Static<Schema> {
    const parsed = parseJson(this.json.value());
    if (parsed instanceof Rejection || validate(schema, parsed.value, 'body')) return this.json.leave();
    return parsed.value as Static<Schema>;
  }

  /** Reads over a member that means nothing here. It has to be JSON all the same. */
  skipMember(): void {
    this.json.otherName();
    if (parseJson(this.json.value()) instanceof Rejection) this.json.leave();
  }

  /**
   * Reads an object that has begun: of these members each at most once, and others. `take` reads the value of the one at a place among `names`. Answers, as bits,
   * which there were.
   */
  members(names: readonly MemberName[], take: (place: number) => void): number {
    let seen = 0;
    do {
      const place = this.memberOf(names);
      if (place < 0) {
        this.skipMember();
        continue;
      }
      if (seen & (1 << place)) this.json.leave();
      seen |= 1 << place;
      take(place);
    } while (this.json.more());
    return seen;
  }

  /** The place among `names` of the member that stands here, what comes then is its value; -1 for none of them. */
  memberOf(names: readonly MemberName[]): number {
    const { word } = this.json;
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as MemberName;
      if (name.firstWord === word && this.json.is(name)) return at;
    }
    return -1;
  }
}
