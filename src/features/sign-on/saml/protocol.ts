/** Tasks for the thread that reads and writes SAML, and their results. Plain data. */

/** The format of a NameID that states none. */
export const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** Both sides of sign-on with SAML. */
export interface SamlParties {
  /** The entity id of this service. */
  readonly ownId: string;
  /** Where the identity provider sends its responses. */
  readonly callbackUrl: string;
  readonly signedOutUrl: string;
  readonly idpId: string;
  readonly signOnUrl: string;
  readonly signOutUrl: string;
  /** Certificates of the identity provider's signing keys, as PEM. */
  readonly certificates: readonly string[];
  /** The private key with which this service signs, as PEM; null: it signs nothing. */
  readonly key: string | null;
}

/** A user who signed on, as named by the identity provider. */
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

/** The identity that the identity provider asserts. */
export interface SamlIdentity extends SamlSubject {
  /** Attribute names with their values, in the order of the document. */
  readonly attributes: readonly (readonly [name: string, values: readonly string[]])[];
}

export type SamlResult =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'identity'; readonly identity: SamlIdentity }
  /** For the log, not for callers: it may repeat parts of the request. */
  | { readonly kind: 'refused'; readonly reason: string };
