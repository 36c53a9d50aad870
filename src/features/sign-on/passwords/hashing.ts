import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { Rejection } from '../../../base/rejection.ts';
import {
  decodePasswordHash,
  encodePasswordHash,
  type PasswordHash,
  type ScryptCost,
} from '../../people/passwords/password.ts';

/** Each password needs 16 MiB, and one core for about a quarter of a second. */
const COST: ScryptCost = { N: 2 ** 14, r: 8, p: 5 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

/**
 * Maximum number of passwords that are hashed at the same time. scrypt runs on the four threads that Node also uses for files and compression: half
 * of them stay free for that.
 */
const CONCURRENT_MAX = 2;

/** Maximum number of passwords in the queue; a further request gets 429. This limits the memory, and limits the wait to two or three seconds. */
const WAITING_MAX = 16;

/** A limit on the memory that the cost of a stored hash may ask for. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;

interface PasswordsOptions {
  readonly cost?: ScryptCost;
  readonly waitingMax?: number;
}

const BUSY = new Rejection('TooManyRequestsError', 'Too many people are signing on at the moment. Try again.', [], 5);

/**
 * Hashes and compares passwords, off the event loop. The limits on concurrent and queued passwords bound the cost of a flood.
 */
export class Passwords {
  readonly #cost: ScryptCost;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  /** A hash that no password matches, for users without a password: their comparison needs the same time. */
  readonly #noPassword: PasswordHash;
  #running = 0;
  #derivations = 0;

  constructor({ cost = COST, waitingMax = WAITING_MAX }: PasswordsOptions = {}) {
    this.#cost = cost;
    this.#waitingMax = waitingMax;
    this.#noPassword = { cost, salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES) };
  }

  /** How many passwords were hashed since the start. */
  get derivations(): number {
    return this.#derivations;
  }

  /** The encoded hash to store. */
  async hash(password: string): Promise<string | Rejection> {
    const salt = randomBytes(SALT_BYTES);
    const key = await this.#derive(password, { cost: this.#cost, salt, length: KEY_BYTES });
    return key instanceof Rejection ? key : encodePasswordHash({ cost: this.#cost, salt, key });
  }

  /** Whether the password matches the stored hash. With null (no hash is stored), it needs the same time and returns false. */
  async matches(password: string, storedHash: string | null): Promise<boolean | Rejection> {
    const known = storedHash === null ? undefined : decodePasswordHash(storedHash);
    const { cost, salt, key } = known ?? this.#noPassword;
    const derived = await this.#derive(password, { cost, salt, length: key.length });
    if (derived instanceof Rejection) return derived;
    return timingSafeEqual(derived, key) && known !== undefined;
  }

  async #derive(
    password: string,
    { cost, salt, length }: { cost: ScryptCost; salt: Uint8Array; length: number },
  ): Promise<Buffer | Rejection> {
    if (this.#running >= CONCURRENT_MAX) {
      if (this.#waiting.length >= this.#waitingMax) return BUSY;
      // A finished password wakes the next one in the queue, so `#running` does not change.
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    } else this.#running++;
    this.#derivations++;
    try {
      return await derive(password, salt, length, cost);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

/** Normalizes the password, because keyboards encode the same character in different ways. */
function derive(password: string, salt: Uint8Array, length: number, cost: ScryptCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, length, { ...cost, maxmem: MEMORY_BYTES_MAX }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
