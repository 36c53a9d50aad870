import { createPrivateKey, X509Certificate } from 'node:crypto';
import { invalid, type Rejection, unavailable } from '../../../base/rejection.ts';
import { SEALING_KEY_LENGTH_MIN, type Sealer } from '../../../base/sealing.ts';
import type { StoredText } from '../../../model/sign-on.ts';

/** Returned instead of a secret. In a request it means: keep the stored secret. */
export const MASK = '********';

/** The purpose of a sealed text. The seal is bound to it, so that the text cannot be opened for another purpose. */
type Purpose = 'saml-sp-key' | 'oidc-client-secret';

/** The form in which a text is stored: plain, or sealed if `isSecret`. If the text is the mask, the result is `before`. */
export function storedForm(
  text: string,
  isSecret: boolean,
  purpose: Purpose,
  before: StoredText | undefined,
  sealer: Sealer | null,
): StoredText | undefined | Rejection {
  if (text === MASK) return before;
  if (text === '') return undefined;
  if (!isSecret) return { plain: text };
  if (sealer) return { sealed: sealer.seal(text, purpose) };
  return invalid(
    'This secret cannot be stored: secrets are encrypted with SECRETS_KEY, which is not set. Set SECRETS_KEY to a random text of at least ' +
      `${SEALING_KEY_LENGTH_MIN} characters, the same on every replica, or configure this sign-on with environment variables.`,
  );
}

/** The stored text in plain form; null if there is none. */
export function reveal(
  stored: StoredText | undefined,
  purpose: Purpose,
  sealer: Sealer | null,
): string | null | Rejection {
  if (stored === undefined) return null;
  if ('plain' in stored) return stored.plain;
  return (
    sealer?.open(stored.sealed, purpose) ??
    unavailable('Sign-on is not possible: its secret was sealed with another SECRETS_KEY. Enter it again.', 60)
  );
}

/** The text as the API may return it: a secret or a possible private key is masked. */
export function maskedText(stored: StoredText | undefined): string | undefined {
  if (stored === undefined) return undefined;
  return 'plain' in stored && !mayBeKey(stored.plain) ? stored.plain : MASK;
}

/** Whether a text in a field for certificates may be a private key, possibly a damaged one: it is base64 but not a certificate. */
export function mayBeKey(text: string): boolean {
  if (/PRIVATE KEY/.test(text)) return true;
  const base64Text = text.replace(/-----[^-]*-----|\s/g, '');
  if (base64Text.length < 40 || !/^[A-Za-z0-9+/]+=*$/.test(base64Text)) return false;
  return !isCertificate(Buffer.from(base64Text, 'base64'));
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).subject !== undefined;
  } catch {
    return false;
  }
}

/** The private key in the text, which is PEM or only base64; undefined if there is no readable key. */
export function privateKeyOf(text: string): string | undefined {
  const block = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?-----END [A-Z ]*PRIVATE KEY-----/.exec(text)?.[0];
  try {
    const key = block ? createPrivateKey(block) : keyOfBase64(text);
    return key.export({ type: 'pkcs8', format: 'pem' }).toString();
  } catch {
    return undefined;
  }
}

function keyOfBase64(text: string) {
  const der = Buffer.from(text.replace(/\s/g, ''), 'base64');
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** Every certificate in the text, as PEM. The text is PEM blocks, or the base64 form of one certificate. Empty if no certificate is readable. */
export function certificatesOf(text: string): string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g);
  const candidates = blocks ?? [Buffer.from(text.replace(/\s/g, ''), 'base64')];
  return candidates.flatMap((candidate) => {
    try {
      return [new X509Certificate(candidate).toString()];
    } catch {
      return [];
    }
  });
}
