import { createHash, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalForm } from '../../../../src/features/sign-on/saml/canonical.ts';
import type { SamlResult } from '../../../../src/features/sign-on/saml/protocol.ts';
import samlTask from '../../../../src/features/sign-on/saml/saml-worker.ts';
import { onlyChild, readXml } from '../../../../src/features/sign-on/saml/xml.ts';
import { selfSigned } from '../../../support/programs/certificate.ts';

const OWN = 'https://flags.example.com';
const IDP = 'https://idp.example.com/metadata';
const CALLBACK = `${OWN}/auth/saml/callback`;
const REQUEST = '_request';
const IDP_KEY = selfSigned('identity provider');
const PARTIES = {
  ...{ ownId: OWN, callbackUrl: CALLBACK, signedOutUrl: OWN, idpId: IDP, signOnUrl: IDP, signOutUrl: '' },
  ...{ certificates: [IDP_KEY.certificate], key: null },
};

const XML_ENC = 'http://www.w3.org/2001/04/xmlenc#';
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const DSIG_MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

const SAML = 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
const at = (ms: number) => new Date(Date.now() + ms).toISOString();

/** A response to the request, with `inner` in its assertion and `signature` where signatures are. */
function responseXml(inner: string, signature = '', onRoot = ''): string {
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

interface Signing {
  readonly hash?: 'sha256' | 'sha512';
  readonly prefixes?: string;
  /** Attributes of the root element. */
  readonly onRoot?: string;
}

/** Signs the assertion with our canonical form: the library must compute the same form. */
function signedXml(inner: string, { hash = 'sha256', prefixes, onRoot = '' }: Signing = {}): string {
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

const read = (xml: string, requestId = REQUEST): Promise<SamlResult> =>
  samlTask({ kind: 'validate', parties: PARTIES, requestId, response: Buffer.from(xml).toString('base64') });

async function reasonOf(xml: string): Promise<string> {
  const result = await read(xml);
  return result.kind === 'refused' ? result.reason : result.kind;
}

/** The CPU time of reading the response, the least of three. */
async function costMs(xml: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3; tries++) {
    const before = process.cpuUsage();
    await read(xml);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

const statement = (values: string) =>
  `<saml:AttributeStatement><saml:Attribute Name="groups">${values}</saml:Attribute></saml:AttributeStatement>`;

/** Attributes of attribute values as in Entra ID: three, two of them namespaces. */
const TYPED =
  'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string"';
const groups = (count: number) =>
  statement(
    Array.from(
      { length: count },
      (_, index) => `<saml:AttributeValue ${TYPED}>group-${index}</saml:AttributeValue>`,
    ).join(''),
  );

describe('the signature of a SAML response', () => {
  it('is accepted with the algorithms and namespaces that providers use', async () => {
    const signings: Signing[] = [
      {},
      { hash: 'sha512' },
      { prefixes: 'xs' },
      { prefixes: 'xs xsi' },
      { prefixes: '#default' },
    ];
    for (const signing of signings)
      expect(await reasonOf(signedXml(groups(3), signing)), JSON.stringify(signing)).toBe('identity');
    const onRoot =
      'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="urn:some"';
    const value = statement('<saml:AttributeValue xsi:type="xs:string">one</saml:AttributeValue>');
    for (const prefixes of ['xs', 'xs xsi saml'])
      expect(await reasonOf(signedXml(value, { prefixes, onRoot }))).toBe('identity');
  });

  it('covers the same form as in the library, for any characters and namespaces', async () => {
    const text = fc.string({
      unit: fc.constantFrom(
        'a',
        ' ',
        '\n',
        '\r\n',
        '\t',
        '>',
        '"',
        "'",
        'é',
        '😀',
        '&amp;',
        '&lt;',
        '&#13;',
        '&#x9;',
        '&#10;',
        '&quot;',
      ),
    });
    const value = text.map((characters) => characters.replaceAll('"', "'"));
    const attribute = fc.tuple(fc.constantFrom('a', 'b', 'one:a', 'one:b', 'two:a', 'xml:lang', 'Z'), value);
    const namespace = fc.tuple(fc.constantFrom('xmlns:one', 'xmlns:two', 'xmlns'), fc.constantFrom('urn:1', 'urn:2'));
    const attributes = fc.tuple(
      fc.uniqueArray(attribute, { selector: ([name]) => name }),
      fc.uniqueArray(namespace, { selector: ([name]) => name }),
    );
    const { element } = fc.letrec<{ element: string }>((tie) => ({
      element: fc
        .tuple(
          fc.constantFrom('x', 'one:x', 'two:x'),
          attributes,
          fc.array(fc.oneof({ maxDepth: 3 }, text, tie('element')), { maxLength: 3 }),
        )
        .map(([name, [own, declared], children]) => {
          const written = [...own, ...declared].map(([key, each]) => ` ${key}="${each}"`).join('');
          return `<${name}${written}>${children.join('')}</${name}>`;
        }),
    }));
    const listed = fc.constantFrom(undefined, 'one', 'one two');
    await fc.assert(
      fc.asyncProperty(element, listed, async (made, prefixes) => {
        const onRoot = 'xmlns:one="urn:0" xmlns:two="urn:2"';
        const xml = signedXml(statement(`<saml:AttributeValue>${made}</saml:AttributeValue>`), {
          onRoot,
          ...(prefixes !== undefined && { prefixes }),
        });
        expect(await reasonOf(xml)).toBe('identity');
      }),
      { numRuns: 25 },
    );
  });

  it('is checked before the library reads the response, and covers everything that is read', async () => {
    const good = signedXml(groups(3));
    const cases: Readonly<Record<string, [xml: string, reason: RegExp]>> = {
      'no signature': [responseXml(groups(3)), /its assertion is not signed/],
      'another text': [good.replace('group-1', 'group-2'), /the signed element was changed/],
      'another digest': [good.replace(/(<ds:DigestValue>)./, '$1!'), /no certificate of the settings made it/],
      'another value': [
        good.replace(/(<ds:SignatureValue>)...../, '$1AAAAA'),
        /no certificate of the settings made it/,
      ],
      'no value': [good.replace(/<ds:SignatureValue>.*<\/ds:SignatureValue>/, ''), /it is incomplete/],
      'of another element': [good.replace('URI="#_a"', 'URI="#_r"'), /no certificate of the settings made it/],
      'a signature of the response that is none': [
        good.replace('<samlp:Status>', `<ds:Signature xmlns:ds="${DSIG}"/><samlp:Status>`),
        /the signature of its Response: it is incomplete/,
      ],
    };
    for (const [what, [xml, reason]] of Object.entries(cases)) expect(await reasonOf(xml), what).toMatch(reason);
  });
});

describe('a SAML response before its signature is checked', () => {
  it('costs less than three times a valid response, even when it is made to be expensive', async () => {
    const good = signedXml(groups(3));
    const inFrontOf = (tag: string, text: string) => good.replace(tag, () => text + tag);
    const namespaces = (count: number) =>
      Array.from({ length: count }, (_, index) => ` xmlns:n${index}="urn:${index}"`).join('');
    const attributes = Array.from({ length: 3_400 }, (_, index) => ` a${index}=""`).join('');
    const texts: Readonly<Record<string, string>> = {
      '3,400 namespaces': good.replace(' ID="_r"', `${namespaces(3_400)} ID="_r"`),
      '3,400 namespaces in the assertion': good.replace(' ID="_a"', `${namespaces(3_400)} ID="_a"`),
      '3,400 attributes': good.replace(' ID="_r"', `${attributes} ID="_r"`),
      '2,900 elements around the assertion': inFrontOf('</samlp:Status>', '<b/>'.repeat(2_900)),
      '2,900 elements in the assertion': inFrontOf('</saml:Assertion>', '<b/>'.repeat(2_900)),
      '2,900 elements and no signature': responseXml('<b/>'.repeat(2_900)),
      '2,900 elements in the signature': inFrontOf('</ds:Signature>', '<b/>'.repeat(2_900)),
      'namespaces in every element': inFrontOf('</saml:Assertion>', '<n:b xmlns:n="a"/>'.repeat(2_900)).replace(
        ' ID="_a"',
        `${namespaces(40)} ID="_a"`,
      ),
      'long names, deep': inFrontOf('</saml:Assertion>', `<${'n'.repeat(2_000)}>`.repeat(20) + '<b/>'.repeat(2_000)),
      'escaped text': inFrontOf('</saml:Assertion>', '&lt;'.repeat(30_000)),
      'text with invalid escapes': inFrontOf('</saml:Assertion>', '&'.repeat(100_000)),
      'a tag that does not end': inFrontOf('</saml:Assertion>', `<b${' '.repeat(100_000)}`),
    };
    await costMs(good);
    const goodMs = await costMs(good);
    for (const [what, xml] of Object.entries(texts)) {
      expect((await read(xml)).kind, what).toBe('refused');
      // An earlier implementation took six to sixty times as long.
      expect((await costMs(xml)) / goodMs, what).toBeLessThan(3);
    }
    const spaces = {
      kind: 'validate',
      parties: PARTIES,
      requestId: REQUEST,
      response: `AAAA${' '.repeat(170_000)}!`,
    } as const;
    expect(await samlTask(spaces)).toEqual({ kind: 'refused', reason: 'it is not base64' });
  });

  it('may be as large as those of providers', async () => {
    for (const count of [150, 600]) {
      const result = await read(signedXml(groups(count)));
      expect(result).toMatchObject({ kind: 'identity', identity: { nameId: 'ann@example.com' } });
      if (result.kind === 'identity') expect(result.identity.attributes[0]?.[1]).toHaveLength(count);
    }
  });
});
