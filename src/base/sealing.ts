import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Minimum length of the key: 32 random characters cannot be found by brute force. */
export const SEALING_KEY_LENGTH_MIN = 32;

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets before they are stored, if Burgee must later use their text, as for the secret of an OpenID Connect client. It uses AES-256-GCM
 * with a key that is never stored. `purpose` is bound to the sealed text, so one sealed secret cannot replace another one.
 */
export class Sealer {
  readonly #key: Buffer;

  /** `key` is a random text of at least 32 characters. */
  constructor(key: string) {
    this.#key = Buffer.from(hkdfSync('sha256', key, 'burgee', 'sealed secrets', 32));
  }

  seal(text: string, purpose: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `v1.${sealed.toString('base64url')}`;
  }

  /** Decrypts a sealed text. Undefined when it was sealed with another key or for another purpose, or is not a sealed text. */
  open(sealed: string, purpose: string): string | undefined {
    if (!sealed.startsWith('v1.')) return undefined;
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)).toString('utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }
}
