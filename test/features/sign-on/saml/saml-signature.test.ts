import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DSIG, groups, read, responseXml, type Signing, signedXml, statement } from './signed-response.ts';

async function reasonOf(xml: string): Promise<string> {
  const result = await read(xml);
  return result.kind === 'refused' ? result.reason : result.kind;
}

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
  it('may be as large as those of providers', async () => {
    for (const count of [150, 600]) {
      const result = await read(signedXml(groups(count)));
      expect(result).toMatchObject({ kind: 'identity', identity: { nameId: 'ann@example.com' } });
      if (result.kind === 'identity') expect(result.identity.attributes[0]?.[1]).toHaveLength(count);
    }
  });
});
