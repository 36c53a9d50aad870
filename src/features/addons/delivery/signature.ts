import { createHmac } from 'node:crypto';

/** What a message is signed with, by the Standard Webhooks scheme. */
export interface Signing {
  /** `whsec_` and the key in base64. */
  readonly secret: string;
  /** The header `webhook-id`. */
  readonly id: string;
  /** The time in the header `webhook-timestamp`, in milliseconds. The scheme rounds it down to seconds. */
  readonly atMs: number;
}

/** The header `webhook-signature`. */
export function signatureOf({ secret, id, atMs }: Signing, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const digest = createHmac('sha256', key)
    .update(`${id}.${Math.floor(atMs / 1000)}.${body}`)
    .digest('base64');
  return `v1,${digest}`;
}
