import { bodyInParts, type PreparedBody } from '../../base/prepared-answer.ts';

/**
 * Up to this size a body is copied into one run, which a socket takes in few writes: sent piece by piece, 10,000 flags cost a quarter more.
 * Larger ones are sent from their parts, which exist once: memory counts for more there.
 */
export const COPIED_BYTES_MAX = 8 * 1024 * 1024;

/** Room for what grows, before other memory is needed: an eighth. */
const ROOM_SHARE = 8;

/** Memory is given back when it is more than so many times what is needed. */
const SHRINKS_AT = 2;

/**
 * One run of memory, in which the newest of many bodies lies: each next one is copied over it, from where the two begin to differ. So a list that keeps
 * changing allocates nothing for it; made anew for each change, large ones have the garbage collector stop the process every few changes.
 */
export class Strip {
  #bytes = new Uint8Array(0);
  /** Of them, the body that lies there: told while it does, and held by nobody else, so that a reader who takes hours does not keep the memory. */
  #whole: Uint8Array | undefined;
  #parts: readonly Uint8Array[] = [];
  #isAskedFor = false;

  /** There is another body, which will be laid when it is asked for. Where the one before it was not, nobody asks any more: the memory is given back, and true is told. */
  pass(): boolean {
    const isForgotten = !this.#isAskedFor;
    this.#isAskedFor = false;
    if (isForgotten) this.#forget();
    return isForgotten;
  }

  /** These parts as a body. They lie in one run until others are laid. */
  lay(parts: readonly Uint8Array[]): PreparedBody {
    const body = bodyInParts(parts);
    this.#isAskedFor = true;
    if (body.lengthBytes > COPIED_BYTES_MAX) {
      this.#forget();
      return body;
    }
    this.#copy(parts, body.lengthBytes);
    this.#whole = this.#bytes.subarray(0, body.lengthBytes);
    return { ...body, inOne: () => (this.#parts === parts ? this.#whole : undefined) };
  }

  #forget(): void {
    this.#bytes = new Uint8Array(0);
    this.#whole = undefined;
    this.#parts = [];
  }

  #copy(parts: readonly Uint8Array[], lengthBytes: number): void {
    const isFirst = this.#parts.length === 0;
    let at = 0;
    let index = 0;
    const isSpacious = lengthBytes * SHRINKS_AT < this.#bytes.byteLength;
    if (lengthBytes > this.#bytes.byteLength || isSpacious) {
      this.#bytes = Buffer.allocUnsafeSlow(lengthBytes + (isFirst ? 0 : Math.ceil(lengthBytes / ROOM_SHARE)));
    } else {
      for (let part = parts[0]; part && part === this.#parts[index]; part = parts[index]) {
        at += part.byteLength;
        index++;
      }
    }
    for (let part = parts[index]; part; part = parts[index]) {
      this.#bytes.set(part, at);
      at += part.byteLength;
      index++;
    }
    this.#parts = parts;
  }
}
