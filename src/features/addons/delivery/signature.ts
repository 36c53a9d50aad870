import { Webhook } from 'standardwebhooks';

/** What a message is signed with, by the Standard Webhooks scheme. */
export interface Signing {
  /** `whsec_` and the key in base64. */
  readonly secret: string;
  /** The header `webhook-id`. */
  readonly id: string;
  /** The time in the header `webhook-timestamp`, in milliseconds. The scheme rounds it down to seconds. */
  readonly atMs: number;
}

export interface SignatureTask extends Signing {
  readonly body: string;
}

/** The header `webhook-signature`. */
export function signatureOf({ secret, id, atMs, body }: SignatureTask): string {
  return new Webhook(secret).sign(id, new Date(atMs), body);
}

/** Whether the library can read the key of the secret. */
export function isReadable(secret: string): boolean {
  try {
    return new Webhook(secret) !== undefined;
  } catch {
    return false;
  }
}
