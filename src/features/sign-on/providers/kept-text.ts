import { createPrivateKey, X509Certificate } from 'node:crypto';
import { invalid, type Rejection, unavailable } from '../../../base/rejection.ts';
import { SEALING_KEY_LENGTH_MIN, type Sealer } from '../../../base/sealing.ts';
import type { KeptText } from '../../../model/sign-on.ts';

/** Shown in place of a secret. Sent back, it means: the one that you have. */
export const MASK = '********';

/** What a sealed text is for: bound to it, so that it opens nowhere else. */
type Purpose = 'saml-sp-key' | 'oidc-client-secret';

/** A text that is to be stored: as it is, or sealed when `isSecret`. `before` is what a mask that was sent back stands for. */
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
    `This secret cannot be stored: it is kept sealed under a key that only the environment holds, and SECRETS_KEY is not set. Set it to a random text of at least ${SEALING_KEY_LENGTH_MIN} characters, the same on every replica, or set up this sign-on in the environment.`,
  );
}

/** The text again, for use; null when there is none. */
export function reveal(kept: KeptText | undefined, purpose: Purpose, sealer: Sealer | null): string | null | Rejection {
  if (kept === undefined) return null;
  if ('plain' in kept) return kept.plain;
  return (
    sealer?.open(kept.sealed, purpose) ??
    unavailable('Sign-on is not possible: its secret was sealed with another SECRETS_KEY. Enter it again.', 60)
  );
}

/** What may be shown of it. */
export function shown(kept: KeptText | undefined): string | undefined {
  if (kept === undefined) return undefined;
  return 'plain' in kept && !mayBeKey(kept.plain) ? kept.plain : MASK;
}

/** Whether a text that belongs to certificates is a private key, or might be one that was damaged: not a certificate, and made of base64. */
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

/** The private key among the blocks of a PEM text, or a bare one; undefined when there is none that can be read. */
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

/** Every certificate in the text, as PEM: its blocks, or a bare one. Empty when there is none that can be read. */
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
