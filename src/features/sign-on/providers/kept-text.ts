import { createPrivateKey, X509Certificate } from 'node:crypto';
import { invalid, type Rejection, unavailable } from '../../../base/rejection.ts';
import { SEALING_KEY_LENGTH_MIN, type Sealer } from '../../../base/sealing.ts';
import type { KeptText } from '../../../model/sign-on.ts';

/** Returned instead of a secret. In a request it means: keep the stored secret. */
export const MASK = '********';

/** The purpose of a sealed text. The seal is bound to it, so that the text cannot be opened for another purpose. */
type Purpose = 'saml-sp-key' | 'oidc-client-secret';

/** The form in which a text is stored: plain, or sealed when `isSecret`. For the mask, `before` is kept. */
export function keep(
  text: string,
  isSecret: boolean,
  purpose: Purpose,
  before: KeptText | undefined,
  sealer: Sealer | null,
): KeptText | undefined | Rejection {
  if (text === MASK) return before;
  if (text === '') return undefined;
  if (!isSecret) return { plain: text };
  if (sealer) return { sealed: sealer.seal(text, purpose) };
  return invalid(
    `This secret cannot be stored: secrets are encrypted with SECRETS_KEY, which is not set. Set it to a random text of at least ${SEALING_KEY_LENGTH_MIN} characters, the same on every replica, or configure this sign-on with environment variables.`,
  );
}

/** The stored text in clear; null when there is none. */
export function reveal(kept: KeptText | undefined, purpose: Purpose, sealer: Sealer | null): string | null | Rejection {
  if (kept === undefined) return null;
  if ('plain' in kept) return kept.plain;
  return (
    sealer?.open(kept.sealed, purpose) ??
    unavailable('Sign-on is not possible: its secret was sealed with another SECRETS_KEY. Enter it again.', 60)
  );
}

/** The text as the API may return it: a secret or a possible private key is masked. */
export function shown(kept: KeptText | undefined): string | undefined {
  if (kept === undefined) return undefined;
  return 'plain' in kept && !mayBeKey(kept.plain) ? kept.plain : MASK;
}

/** Whether a text among certificates is, or may be a damaged, private key: it is base64 but not a certificate. */
export function mayBeKey(text: string): boolean {
  if (/PRIVATE KEY/.test(text)) return true;
  const bare = text.replace(/-----[^-]*-----|\s/g, '');
  if (bare.length < 40 || !/^[A-Za-z0-9+/]+=*$/.test(bare)) return false;
  return !isCertificate(Buffer.from(bare, 'base64'));
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).subject !== undefined;
  } catch {
    return false;
  }
}

/** The private key in a PEM text, or in bare base64; undefined when there is no readable one. */
export function privateKeyOf(text: string): string | undefined {
  const block = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?-----END [A-Z ]*PRIVATE KEY-----/.exec(text)?.[0];
  try {
    const key = block ? createPrivateKey(block) : bareKey(text);
    return key.export({ type: 'pkcs8', format: 'pem' }).toString();
  } catch {
    return undefined;
  }
}

function bareKey(text: string) {
  const der = Buffer.from(text.replace(/\s/g, ''), 'base64');
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** Every certificate in the text, as PEM: its PEM blocks, or one in bare base64. Empty when there is no readable one. */
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
