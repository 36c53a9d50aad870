// A SAML identity provider on samlify, as a separate process. It signs on the subject of the last `PUT /subject`, without a prompt.
//
// GET  /metadata                its metadata
// PUT  /service {metadata}      the service that it answers; metadata as XML
// PUT  /subject {…}             the subject that signs on, and the content of the answers; see SUBJECT
// GET  /sign-on?SAMLRequest=    answers with the page that a browser would post
// GET  /sign-out?SAMLRequest=   checks the signature, answers with the page that a browser would post
// GET  /sign-outs               the sign-outs so far
import { createServer } from 'node:http';
import * as samlify from 'samlify';

const { KEY, CERTIFICATE } = process.env;

// samlify does not validate XML schemas itself. It parses the XML and checks the signatures.
samlify.setSchemaValidator({ validate: async () => 'SUCCESS_VALIDATE_XML' });

const SUBJECT = {
  nameId: 'ann@example.com',
  format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  attributes: {},
  /** Signed part: assertion, message, both, none. */
  sign: 'assertion',
  /** Replace the correct values. */
  audience: undefined,
  recipient: undefined,
  destination: undefined,
  issuer: undefined,
  inResponseTo: undefined,
  /** Shift of all times in milliseconds. */
  shiftMs: 0,
  lifetimeMs: 300_000,
  algorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
};

let subject = SUBJECT;
let service;
const signOuts = [];
let ids = 0;

const server = createServer((request, response) => {
  answer(request).then(
    ({ status = 200, type = 'application/json', body = '', headers = {} }) =>
      response.writeHead(status, { 'content-type': type, ...headers }).end(body),
    (error) => response.writeHead(500).end(String(error?.stack ?? error)),
  );
});

async function answer(request) {
  const url = new URL(request.url, base());
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /metadata':
      return { type: 'application/xml', body: provider().getMetadata() };
    case 'PUT /service':
      service = (await bodyOf(request)).metadata;
      return {};
    case 'PUT /subject':
      subject = { ...SUBJECT, ...(await bodyOf(request)) };
      return {};
    case 'GET /sign-on':
      return signOn(url);
    case 'GET /sign-out':
      return signOut(url);
    case 'GET /sign-outs':
      return { body: JSON.stringify(signOuts) };
    default:
      return { status: 404 };
  }
}

const base = () => `http://127.0.0.1:${server.address().port}`;

function provider() {
  const Redirect = samlify.Constants.namespace.binding.redirect;
  return samlify.IdentityProvider({
    entityID: `${base()}/metadata`,
    signingCert: CERTIFICATE,
    privateKey: KEY,
    requestSignatureAlgorithm: subject.algorithm,
    nameIDFormat: ['urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'],
    singleSignOnService: [{ Binding: Redirect, Location: `${base()}/sign-on` }],
    singleLogoutService: [{ Binding: Redirect, Location: `${base()}/sign-out` }],
    wantLogoutRequestSigned: true,
    loginResponseTemplate: { context: TEMPLATE, attributes: [] },
  });
}

const serviceProvider = () =>
  samlify.ServiceProvider({ metadata: service, wantMessageSigned: ['message', 'both'].includes(subject.sign) });

async function signOn(url) {
  const [idp, sp] = [provider(), serviceProvider()];
  const request = await idp.parseLoginRequest(sp, 'redirect', { query: Object.fromEntries(url.searchParams) });
  const { id } = request.extract.request;
  const callbackUrl = sp.entityMeta.getAssertionConsumerService('post');
  if (subject.sign === 'none' || subject.sign === 'message') sp.entityMeta.isWantAssertionsSigned = () => false;
  const fill = () => ({ id: `_r${++ids}`, context: filled(id, callbackUrl, sp.entityMeta.getEntityID()) });
  const { context } = await idp.createLoginResponse(sp, request, 'post', {}, fill);
  const relayState = url.searchParams.get('RelayState') ?? '';
  return {
    type: 'text/html',
    body: `<form method="post" action="${callbackUrl}"><input name="SAMLResponse" value="${context}"><input name="RelayState" value="${relayState}"></form>`,
  };
}

async function signOut(url) {
  const [idp, sp] = [provider(), serviceProvider()];
  const query = Object.fromEntries(url.searchParams);
  const at = url.search.indexOf('&Signature=');
  const parsed = await idp.parseLogoutRequest(sp, 'redirect', { query, octetString: url.search.slice(1, at) });
  signOuts.push({ nameId: parsed.extract.nameID, sessionIndex: parsed.extract.sessionIndex, signed: at > 0 });
  const { context, entityEndpoint } = idp.createLogoutResponse(sp, parsed, 'post');
  const body = `<form method="post" action="${entityEndpoint}"><input name="SAMLResponse" value="${context}"></form>`;
  return { type: 'text/html', body };
}

const text = (value) => String(value).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

function filled(requestId, callbackUrl, audience) {
  const at = (ms) => new Date(Date.now() + subject.shiftMs + ms).toISOString();
  const number = ++ids;
  const issuer = subject.issuer ?? `${base()}/metadata`;
  const values = {
    NUMBER: `${process.pid}_${Date.now()}_${number}`,
    ISSUER: issuer,
    NOW: at(0),
    SOON: at(subject.lifetimeMs),
    BEFORE: at(-1_000),
    DESTINATION: subject.destination ?? callbackUrl,
    RECIPIENT: subject.recipient ?? callbackUrl,
    REQUEST: subject.inResponseTo ?? requestId,
    AUDIENCE: subject.audience ?? audience,
    NAME: subject.nameId,
    FORMAT: subject.format,
    STATUS: subject.status,
  };
  const attributes = Object.entries(subject.attributes).map(
    ([name, each]) =>
      `<saml:Attribute Name="${text(name)}">${[each].flat().map((value) => `<saml:AttributeValue>${text(value)}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
  );
  const statement = attributes.length > 0 ? `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>` : '';
  return TEMPLATE.replace('%ATTRIBUTES%', () => statement).replace(/%([A-Z]+)%/g, (_match, name) => text(values[name]));
}

const TEMPLATE =
  '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_response%NUMBER%" Version="2.0" IssueInstant="%NOW%" Destination="%DESTINATION%" InResponseTo="%REQUEST%">' +
  '<saml:Issuer>%ISSUER%</saml:Issuer><samlp:Status><samlp:StatusCode Value="%STATUS%"/></samlp:Status>' +
  '<saml:Assertion ID="_assertion%NUMBER%" Version="2.0" IssueInstant="%NOW%"><saml:Issuer>%ISSUER%</saml:Issuer>' +
  '<saml:Subject><saml:NameID Format="%FORMAT%">%NAME%</saml:NameID>' +
  '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="%SOON%" Recipient="%RECIPIENT%" InResponseTo="%REQUEST%"/></saml:SubjectConfirmation></saml:Subject>' +
  '<saml:Conditions NotBefore="%BEFORE%" NotOnOrAfter="%SOON%"><saml:AudienceRestriction><saml:Audience>%AUDIENCE%</saml:Audience></saml:AudienceRestriction></saml:Conditions>' +
  '<saml:AuthnStatement AuthnInstant="%NOW%" SessionIndex="_session%NUMBER%"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>' +
  '%ATTRIBUTES%</saml:Assertion></samlp:Response>';

function bodyOf(request) {
  return new Promise((resolve, reject) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => resolve(JSON.parse(body)));
    request.on('error', reject);
  });
}

server.listen(0, '127.0.0.1', () => console.log(base()));
// The parent process has ended.
process.stdin.on('end', () => process.exit(0)).resume();
