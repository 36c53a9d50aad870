import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { Rejection } from '../../../base/rejection.ts';
import { decodePasswordHash, encodePasswordHash, type PasswordHash, type ScryptCost } from './password.ts';

/** 16 MiB and about a quarter of a second of one core a password. */
const COST: ScryptCost = { N: 2 ** 14, r: 8, p: 5 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

/**
 * Passwords that are worked on at once. scrypt runs on the threads that Node has for files and compression, four of them: half are left to those,
 * however many people sign on.
 */
const AT_ONCE = 2;

/** Passwords that may wait for their turn; one more is told 429. Bounds memory, and how long the last of them waits: two or three seconds. */
const WAITING_MAX = 16;

/** More than this, a hash in the store asks for more memory than a password may take. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;

interface PasswordsOptions {
  readonly cost?: ScryptCost;
  readonly waitingMax?: number;
}

const BUSY = new Rejection('TooManyRequestsError', 'Too many people are signing on at the moment.', [], 5);

/**
 * Works with passwords, off the event loop: makes what is kept of them, and says whether one is the one that was kept. What a flood of them costs
 * is bounded by how many are worked on at once and how many wait.
 */
export class Passwords {
  readonly #cost: ScryptCost;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  /** Compared with where nothing is kept: it costs the same, and is nobody's. */
  readonly #nobodys: PasswordHash;
  #running = 0;
  #derivations = 0;

  constructor({ cost = COST, waitingMax = WAITING_MAX }: PasswordsOptions = {}) {
    this.#cost = cost;
    this.#waitingMax = waitingMax;
    this.#nobodys = { cost, salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES) };
  }

  /** How many passwords were worked on since the start: what signing on costs. */
  get derivations(): number {
    return this.#derivations;
  }

  /** What is to be kept of the password. */
  async hash(password: string): Promise<string | Rejection> {
    const salt = randomBytes(SALT_BYTES);
    const key = await this.#derive(password, { cost: this.#cost, salt, length: KEY_BYTES });
    return key instanceof Rejection ? key : encodePasswordHash({ cost: this.#cost, salt, key });
  }

  /** Whether it is the password that `kept` was made of; null, for nothing is kept, takes as long and is false. */
  async matches(password: string, kept: string | null): Promise<boolean | Rejection> {
    const known = kept === null ? undefined : decodePasswordHash(kept);
    const { cost, salt, key } = known ?? this.#nobodys;
    const derived = await this.#derive(password, { cost, salt, length: key.length });
    if (derived instanceof Rejection) return derived;
    return timingSafeEqual(derived, key) && known !== undefined;
  }

  async #derive(
    password: string,
    { cost, salt, length }: { cost: ScryptCost; salt: Uint8Array; length: number },
  ): Promise<Buffer | Rejection> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= this.#waitingMax) return BUSY;
      // Whoever ends hands its place over.
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

/** Signs that look the same are the same, however a keyboard composes them. */
function derive(password: string, salt: Uint8Array, length: number, cost: ScryptCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, length, { ...cost, maxmem: MEMORY_BYTES_MAX }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
