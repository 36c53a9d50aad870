import { generateServiceProviderMetadata, SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { ATTEMPT_LIFETIME_MS, CLOCK_SKEW_MS } from '../providers/attempt.ts';
import { EMAIL_FORMAT, type SamlIdentity, type SamlParties, type SamlResult, type SamlTask } from './protocol.ts';
import { shapeProblem } from './shape.ts';
import { signatureProblem } from './signature.ts';
import { attributeOf, onlyChild, readXml, type XmlElement } from './xml.ts';

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';

const ATTRIBUTES_MAX = 200;
const VALUES_MAX = 2_000;
const BLANKS = ' \t\r\n';
const VALUE_LENGTH_MAX = 1_000;

/** An element that the signature covers, as the library reads it: its attributes under `$`, its text under `_`, its children under their names. */
interface Node {
  readonly $?: Readonly<Record<string, string>>;
  readonly _?: string;
  readonly [child: string]: unknown;
}

/** Reads and writes SAML in a separate thread: a caller can make the XML library take long, which would block the event loop. */
export default async function samlTask(task: SamlTask): Promise<SamlResult> {
  try {
    return await resultOf(task);
  } catch (error) {
    return refused(error instanceof Error ? error.message : 'it cannot be read');
  }
}

async function resultOf(task: SamlTask): Promise<SamlResult> {
  switch (task.kind) {
    case 'authorize':
      return text(await samlOf(task.parties, task.requestId).getAuthorizeUrlAsync('', undefined, {}));
    case 'sign-out': {
      const { nameId, nameIdFormat, sessionIndex } = task.subject;
      const subject = { issuer: task.parties.ownId, nameID: nameId, nameIDFormat: nameIdFormat, sessionIndex };
      const saml = samlOf(task.parties, undefined, task.parties.key);
      return text(await saml.getLogoutUrlAsync(subject, '', {}));
    }
    case 'metadata':
      return text(metadataOf(task.parties, task.certificate));
    default:
      return validate(task.parties, task.requestId, task.response);
  }
}

const text = (value: string): SamlResult => ({ kind: 'text', text: value });
const refused = (reason: string): SamlResult => ({ kind: 'refused', reason: reason.slice(0, 500) });

function samlOf(parties: SamlParties, requestId?: string, key: string | null = null): SAML {
  return new SAML({
    issuer: parties.ownId,
    audience: parties.ownId,
    callbackUrl: parties.callbackUrl,
    logoutCallbackUrl: parties.signedOutUrl,
    entryPoint: parties.signOnUrl,
    logoutUrl: parties.signOutUrl,
    idpIssuer: parties.idpId,
    idpCert: [...parties.certificates],
    ...(key !== null && { privateKey: key }),
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    identifierFormat: EMAIL_FORMAT,
    disableRequestedAuthnContext: true,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: CLOCK_SKEW_MS,
    maxAssertionAgeMs: ATTEMPT_LIFETIME_MS,
    requestIdExpirationPeriodMs: ATTEMPT_LIFETIME_MS,
    validateInResponseTo: ValidateInResponseTo.always,
    // The only valid request id is known, so no cache of request ids is needed.
    cacheProvider: {
      saveAsync: async () => null,
      getAsync: async (id) => (id === requestId ? new Date().toISOString() : null),
      removeAsync: async () => null,
    },
    ...(requestId !== undefined && { generateUniqueId: () => requestId }),
  });
}

function metadataOf(parties: SamlParties, certificate: string | null): string {
  return generateServiceProviderMetadata({
    issuer: parties.ownId,
    callbackUrl: parties.callbackUrl,
    logoutCallbackUrl: parties.signedOutUrl,
    identifierFormat: EMAIL_FORMAT,
    wantAssertionsSigned: true,
    ...(certificate !== null && parties.key !== null && { privateKey: parties.key, publicCerts: certificate }),
  });
}

/**
 * The identity in the response. The first checks take bounded time for any input, and the library reads only documents with a valid signature. The
 * library returns the signed bytes, and the identity is read only from these bytes. This function also checks what the library does not check: the
 * recipient, the request that the response answers, and the status.
 */
async function validate(parties: SamlParties, requestId: string, response: string): Promise<SamlResult> {
  const base64 = response.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return refused('it is not base64');
  const document = readXml(Buffer.from(base64, 'base64').toString('utf8'));
  if (typeof document === 'string') return refused(document);
  const problem =
    shapeProblem(document) ??
    envelopeProblem(document.root, parties, requestId) ??
    signatureProblem(document.root, parties.certificates);
  if (problem !== undefined) return refused(problem);
  const { profile } = await samlOf(parties, requestId).validatePostResponseAsync({ SAMLResponse: base64 });
  const assertion = (profile?.getAssertion?.() as { Assertion?: Node } | undefined)?.Assertion;
  return assertion ? identityOf(assertion, parties, requestId) : refused('it has no assertion');
}

/**
 * Checks the elements around the assertion, which may be unsigned. They cannot make a response valid, but they can show that it is not for this
 * service.
 */
function envelopeProblem(root: XmlElement, parties: SamlParties, requestId: string): string | undefined {
  const destination = attributeOf(root, 'Destination');
  if (destination !== undefined && destination !== parties.callbackUrl) return `it is meant for ${destination}`;
  if (attributeOf(root, 'InResponseTo') !== requestId) return 'it answers another request';
  const code = attributeOf(onlyChild(onlyChild(root, 'Status'), 'StatusCode'), 'Value');
  return code === SUCCESS ? undefined : `its status is ${code}`;
}

function identityOf(assertion: Node, parties: SamlParties, requestId: string): SamlResult {
  const issuer = onlyNode(assertion, 'Issuer');
  if (issuer?._ !== parties.idpId) return refused(`it is of the issuer ${issuer?._}`);
  const subject = onlyNode(assertion, 'Subject');
  const nameId = subject && onlyNode(subject, 'NameID');
  const name = trimmed(nameId?._ ?? '');
  const format = nameId?.$?.Format ?? EMAIL_FORMAT;
  if (!subject || name === '' || Math.max(name.length, format.length) > VALUE_LENGTH_MAX)
    return refused('it has no acceptable NameID');
  if (!children(subject, 'SubjectConfirmation').some((node) => confirms(node, parties, requestId)))
    return refused('it was not made for this sign-on: its recipient, its request or its time is wrong');
  const attributes = attributesOf(assertion);
  if (!attributes) return refused('it has too many attributes');
  const identity: SamlIdentity = {
    nameId: name,
    nameIdFormat: format,
    sessionIndex: (children(assertion, 'AuthnStatement')[0]?.$?.SessionIndex ?? '').slice(0, VALUE_LENGTH_MAX),
    attributes,
  };
  return { kind: 'identity', identity };
}

/** Trims only XML white space: other blanks are part of a name. It uses loops, because a regular expression for the end needs quadratic time. */
function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && BLANKS.includes(text.charAt(from))) from++;
  while (to > from && BLANKS.includes(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

function confirms(confirmation: Node, { callbackUrl }: SamlParties, requestId: string): boolean {
  if (confirmation.$?.Method !== BEARER) return false;
  const { Recipient, InResponseTo, NotOnOrAfter, NotBefore } =
    onlyNode(confirmation, 'SubjectConfirmationData')?.$ ?? {};
  if (Recipient !== callbackUrl || InResponseTo !== requestId || NotBefore !== undefined) return false;
  return Date.parse(NotOnOrAfter ?? '') + CLOCK_SKEW_MS > Date.now();
}

function attributesOf(assertion: Node): SamlIdentity['attributes'] | undefined {
  const found = new Map<string, string[]>();
  let count = 0;
  for (const statement of children(assertion, 'AttributeStatement')) {
    for (const attribute of children(statement, 'Attribute')) {
      const values = children(attribute, 'AttributeValue').flatMap(({ _: value }) => trimmed(value ?? '') || []);
      const name = attribute.$?.Name ?? '';
      found.set(name, [...(found.get(name) ?? []), ...values]);
      count += values.length;
      if (values.some((value) => value.length > VALUE_LENGTH_MAX)) return undefined;
    }
  }
  return found.size <= ATTRIBUTES_MAX && count <= VALUES_MAX ? [...found] : undefined;
}

/** The children of this name. The library returns a child with text only as a string. */
function children(node: Node, name: string): readonly Node[] {
  const found = node[name];
  if (!Array.isArray(found)) return [];
  return found.map((node: unknown) => (typeof node === 'string' ? { _: node } : (node as Node)));
}

/** The child of this name, if there is exactly one. */
function onlyNode(node: Node, name: string): Node | undefined {
  const found = children(node, name);
  return found.length === 1 ? found[0] : undefined;
}
