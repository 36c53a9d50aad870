import { createHash, sign } from 'node:crypto';
import { canonicalForm } from '../../../../src/features/sign-on/saml/canonical.ts';
import type { SamlResult } from '../../../../src/features/sign-on/saml/protocol.ts';
import samlTask from '../../../../src/features/sign-on/saml/saml-worker.ts';
import { onlyChild, readXml } from '../../../../src/features/sign-on/saml/xml.ts';
import { selfSigned } from '../../../support/programs/certificate.ts';

const OWN = 'https://flags.example.com';
const IDP = 'https://idp.example.com/metadata';
const CALLBACK = `${OWN}/auth/saml/callback`;
export const REQUEST = '_request';
const IDP_KEY = selfSigned('identity provider', 'rsa');
export const PARTIES = {
  ownId: OWN,
  callbackUrl: CALLBACK,
  signedOutUrl: OWN,
  idpId: IDP,
  signOnUrl: IDP,
  signOutUrl: '',
  certificates: [IDP_KEY.certificate],
  key: null,
};

const XML_ENC = 'http://www.w3.org/2001/04/xmlenc#';
export const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const DSIG_MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

export const SAML = 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
export const at = (ms: number) => new Date(Date.now() + ms).toISOString();

/** A response to the request, with `inner` in its assertion and `signature` where signatures are. */
export function responseXml(inner: string, signature = '', onRoot = ''): string {
  return (
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ${onRoot} ID="_r" Version="2.0" IssueInstant="${at(0)}" Destination="${CALLBACK}" InResponseTo="${REQUEST}">` +
    `<saml:Issuer ${SAML}>${IDP}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>` +
    `<saml:Assertion ${SAML} ID="_a" Version="2.0" IssueInstant="${at(0)}"><saml:Issuer>${IDP}</saml:Issuer>${signature}` +
    `<saml:Subject><saml:NameID>ann@example.com</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">` +
    `<saml:SubjectConfirmationData NotOnOrAfter="${at(300_000)}" Recipient="${CALLBACK}" InResponseTo="${REQUEST}"/></saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${at(-1_000)}" NotOnOrAfter="${at(300_000)}"><saml:AudienceRestriction><saml:Audience>${OWN}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${at(0)}"/>${inner}</saml:Assertion></samlp:Response>`
  );
}

export interface Signing {
  readonly hash?: 'sha256' | 'sha512';
  readonly prefixes?: string;
  /** Attributes of the root element. */
  readonly onRoot?: string;
}

/** Signs the assertion with our canonical form: the library must compute the same form. */
export function signedXml(inner: string, { hash = 'sha256', prefixes, onRoot = '' }: Signing = {}): string {
  const listed = prefixes === undefined ? [] : prefixes.split(' ');
  const inclusive =
    prefixes === undefined ? '' : `<ec:InclusiveNamespaces xmlns:ec="${EXCLUSIVE}" PrefixList="${prefixes}"/>`;
  const bare = responseXml(inner, '', onRoot);
  const digest = createHash(hash)
    .update(formOf(bare, ['Assertion'], listed))
    .digest('base64');
  const signedInfo =
    `<ds:SignedInfo><ds:CanonicalizationMethod Algorithm="${EXCLUSIVE}"/><ds:SignatureMethod Algorithm="${DSIG_MORE}rsa-${hash}"/>` +
    `<ds:Reference URI="#_a"><ds:Transforms><ds:Transform Algorithm="${DSIG}enveloped-signature"/>` +
    `<ds:Transform Algorithm="${EXCLUSIVE}">${inclusive}</ds:Transform></ds:Transforms>` +
    `<ds:DigestMethod Algorithm="${XML_ENC}${hash}"/><ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  const around = (value: string) =>
    `<ds:Signature xmlns:ds="${DSIG}">${signedInfo}<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`;
  const unsigned = bare.replace(`</saml:Issuer><saml:Subject>`, () => `</saml:Issuer>${around('')}<saml:Subject>`);
  const form = formOf(unsigned, ['Assertion', 'Signature', 'SignedInfo'], []);
  const value = sign(hash, Buffer.from(form), IDP_KEY.key).toString('base64');
  return unsigned.replace(around(''), () => around(value));
}

function formOf(xml: string, path: readonly string[], listed: readonly string[]): string {
  const document = readXml(xml);
  if (typeof document === 'string') throw new Error(document);
  let element = document.root;
  for (const name of path) element = onlyChild(element, name) ?? element;
  return canonicalForm(element, listed) ?? '';
}

export const read = (xml: string, requestId = REQUEST): Promise<SamlResult> =>
  samlTask({ kind: 'validate', parties: PARTIES, requestId, response: Buffer.from(xml).toString('base64') });

export const statement = (values: string) =>
  `<saml:AttributeStatement><saml:Attribute Name="groups">${values}</saml:Attribute></saml:AttributeStatement>`;

/** Attributes of attribute values as in Entra ID: three, two of them namespaces. */
const TYPED =
  'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string"';
export const groups = (count: number) =>
  statement(
    Array.from(
      { length: count },
      (_, index) => `<saml:AttributeValue ${TYPED}>group-${index}</saml:AttributeValue>`,
    ).join(''),
  );
