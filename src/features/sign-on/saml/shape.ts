import { CANONICAL_FORM, DIGESTS, ENVELOPED, SIGNATURES } from './signature.ts';
import type { XmlDocument, XmlElement } from './xml.ts';

/** What signatures may be made with: nothing that rests on SHA-1 or on a secret that both sides know. */
const ALGORITHMS: ReadonlySet<string> = new Set([
  ...Object.keys(SIGNATURES),
  ...Object.keys(DIGESTS),
  CANONICAL_FORM,
  ENVELOPED,
]);

/** Elements whose algorithm is part of how a signature is made. */
const SIGNING: ReadonlySet<string> = new Set([
  'SignatureMethod',
  'DigestMethod',
  'Transform',
  'CanonicalizationMethod',
]);

/** Namespaces that a document names. Providers name about ten; what each of them costs, it costs in every element. */
const PREFIXES_MAX = 50;
/** Characters of a prefix and its namespace: they may stand in the signed form of every element. */
const NAMESPACE_LENGTH_MAX = 400;

/** Elements and attributes that no signature of an assertion covers: those around it, and its signature’s own. Providers write about fifty. */
const UNSIGNED_MAX = 200;

/**
 * Why a response is not taken; undefined when it may be. It knows nothing of signatures: it refuses every document that two readers could take for two
 * different ones. A response of an identity provider is one Response with one Assertion in it, each with at most one Signature right beneath it, with
 * no second element of an id. What is wrapped, moved or doubled to make a signature stand for something else is none of this.
 */
export function shapeProblem({ root, elements }: XmlDocument): string | undefined {
  const named = (name: string) => elements.filter(({ local }) => local === name);
  if (root.local !== 'Response') return 'it is no Response';
  if (named('Response').length > 1) return 'it has a Response within another';
  if (named('EncryptedAssertion').length > 0) return 'its assertion is encrypted';
  const assertions = named('Assertion');
  if (assertions.length > 1) return 'it has several assertions';
  if (assertions.some(({ parent }) => parent !== root)) return 'its assertion is not right beneath the response';
  const signed = named('Signature').map(({ parent }) => parent);
  if (new Set(signed).size < signed.length) return 'it has several signatures of one element';
  if (signed.some((parent) => parent !== root && parent !== assertions[0]))
    return 'a signature is not right beneath what it signs';
  if (named('Object').length > 0) return 'a signature holds an object';
  return attributeProblem(elements) ?? unsignedProblem(elements);
}

function attributeProblem(elements: readonly XmlElement[]): string | undefined {
  const ids = new Set<string>();
  const prefixes = new Set<string>();
  for (const element of elements) {
    for (const { prefix, local, value } of element.attributes) {
      if (prefix === 'xmlns' && prefixes.add(local).size > PREFIXES_MAX) return 'it has too many namespaces';
      if ((prefix === 'xmlns' || local === 'xmlns') && local.length + value.length > NAMESPACE_LENGTH_MAX)
        return 'it has a namespace that is too long';
      if (/^id$/i.test(local)) {
        if (ids.has(value) || !/^[A-Za-z_][\w.-]*$/.test(value)) return 'it has an id twice, or one that is none';
        ids.add(value);
      }
      if (local === 'Algorithm' && SIGNING.has(element.local) && !ALGORITHMS.has(value))
        return `it is signed with ${value.slice(0, 100)}, which is not taken`;
    }
  }
  return undefined;
}

/** What is signed is as long as the identity provider made it. The rest anybody may have added to an assertion that is good. */
function unsignedProblem(elements: readonly XmlElement[]): string | undefined {
  const signed = new Set<XmlElement | null>();
  let unsigned = 0;
  for (const element of elements) {
    const isSigned = element.local === 'Assertion' || (element.local !== 'Signature' && signed.has(element.parent));
    if (isSigned) signed.add(element);
    else unsigned += 1 + element.attributes.length;
  }
  return unsigned > UNSIGNED_MAX ? 'it has too much around what is signed' : undefined;
}
