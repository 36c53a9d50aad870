import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SamlResult } from '../../../../src/features/sign-on/saml/protocol.ts';
import samlTask from '../../../../src/features/sign-on/saml/saml-worker.ts';
import { WorkCounter } from '../../../support/work-counter.ts';
import { groups, PARTIES, REQUEST, read, responseXml, signedXml } from './signed-response.ts';

const counter = new WorkCounter(/^file:.*(\/src\/|\/node_modules\/)/);
beforeAll(() => counter.start());
afterAll(() => counter.stop());

it('a SAML response costs at most three times as much work as a valid one before its signature is checked, even when it is made to be expensive', async () => {
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
  const workOf = async (xml: string, kind: SamlResult['kind']) => {
    let result: SamlResult | undefined;
    const work = await counter.of(async () => {
      result = await read(xml);
    });
    expect(result?.kind, xml.slice(0, 200)).toBe(kind);
    return work;
  };
  await read(good);
  const valid = await workOf(good, 'identity');
  expect(valid).toBeGreaterThan(1_000);
  // An earlier implementation took six to sixty times as long.
  for (const [what, xml] of Object.entries(texts)) expect((await workOf(xml, 'refused')) / valid, what).toBeLessThan(3);
  const spaces = {
    kind: 'validate',
    parties: PARTIES,
    requestId: REQUEST,
    response: `AAAA${' '.repeat(170_000)}!`,
  } as const;
  expect(await samlTask(spaces)).toEqual({ kind: 'refused', reason: 'it is not base64' });
});
