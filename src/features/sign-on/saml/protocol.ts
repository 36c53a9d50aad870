/** What is asked of the thread that reads and writes SAML, and what it answers: plain data. */

/** The format of a NameID that says none. */
export const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** Both sides of sign-on with SAML. */
export interface SamlParties {
  /** What the identity provider knows this service by. */
  readonly ownId: string;
  /** Where it sends its answers. */
  readonly callbackUrl: string;
  readonly signedOutUrl: string;
  readonly idpId: string;
  readonly signOnUrl: string;
  readonly signOutUrl: string;
  /** What it signs with, as PEM. */
  readonly certificates: readonly string[];
  /** What this service signs with, as PEM; null: it signs nothing. */
  readonly key: string | null;
}

/** Somebody who signed on, as the identity provider knows them. */
export interface SamlSubject {
  readonly nameId: string;
  readonly nameIdFormat: string;
  readonly sessionIndex: string;
}

export type SamlTask =
  | { readonly kind: 'authorize'; readonly parties: SamlParties; readonly requestId: string }
  | { readonly kind: 'validate'; readonly parties: SamlParties; readonly requestId: string; readonly response: string }
  | { readonly kind: 'metadata'; readonly parties: SamlParties; readonly certificate: string | null }
  | { readonly kind: 'sign-out'; readonly parties: SamlParties; readonly subject: SamlSubject };

/** What the identity provider vouches for. */
export interface SamlIdentity extends SamlSubject {
  /** Values by the names of attributes, in the order of the document. */
  readonly attributes: readonly (readonly [name: string, values: readonly string[]])[];
}

export type SamlResult =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'identity'; readonly identity: SamlIdentity }
  /** For the log, not for callers: it may repeat what somebody sent. */
  | { readonly kind: 'refused'; readonly reason: string };
