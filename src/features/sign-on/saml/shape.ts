import { CANONICAL_FORM, DIGESTS, ENVELOPED, SIGNATURES } from './signature.ts';
import type { XmlDocument, XmlElement } from './xml.ts';

/** The accepted algorithms of signatures: none with SHA-1 or with a shared secret. */
const ALGORITHMS: ReadonlySet<string> = new Set([
  ...Object.keys(SIGNATURES),
  ...Object.keys(DIGESTS),
  CANONICAL_FORM,
  ENVELOPED,
]);

/** Elements that name an algorithm of a signature. */
const ALGORITHM_ELEMENTS: ReadonlySet<string> = new Set([
  'SignatureMethod',
  'DigestMethod',
  'Transform',
  'CanonicalizationMethod',
]);

/** Maximum number of namespaces of a document. Providers use about ten. Each one adds cost to every element. */
const PREFIXES_MAX = 50;
/** Maximum length of a prefix and its namespace, in characters. Both may be repeated in the canonical form of every element. */
const NAMESPACE_LENGTH_MAX = 400;

/**
 * Maximum number of elements and attributes outside the assertion or in its signature, which its signature does not cover. Providers write about
 * fifty.
 */
const UNSIGNED_MAX = 200;

/**
 * Why the shape of a response is not accepted; undefined when it is. Does not check signatures: it rejects every document that two readers could
 * interpret differently. A valid response is one Response with one Assertion as its child. Each has at most one Signature as its child, and no two
 * elements have the same id. This excludes signature wrapping: elements that are wrapped, moved or duplicated so that a signature covers another one.
 */
export function shapeProblem({ root, elements }: XmlDocument): string | undefined {
  const elementsNamed = (name: string) => elements.filter(({ local }) => local === name);
  if (root.local !== 'Response') return 'its root element is not a Response';
  if (elementsNamed('Response').length > 1) return 'it has a Response inside another one';
  if (elementsNamed('EncryptedAssertion').length > 0) return 'its assertion is encrypted';
  const assertions = elementsNamed('Assertion');
  if (assertions.length > 1) return 'it has several assertions';
  if (assertions.some(({ parent }) => parent !== root)) return 'its assertion is not a child of the response';
  const signed = elementsNamed('Signature').map(({ parent }) => parent);
  if (new Set(signed).size < signed.length) return 'it has several signatures of one element';
  if (signed.some((parent) => parent !== root && parent !== assertions[0]))
    return 'a signature is not a child of the element that it signs';
  if (elementsNamed('Object').length > 0) return 'a signature contains an object';
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
        if (ids.has(value) || !/^[A-Za-z_][\w.-]*$/.test(value)) return 'it has a duplicate or an invalid id';
        ids.add(value);
      }
      if (local === 'Algorithm' && ALGORITHM_ELEMENTS.has(element.local) && !ALGORITHMS.has(value))
        return `it is signed with ${value.slice(0, 100)}, which is not accepted`;
    }
  }
  return undefined;
}

/** Limits the unsigned part: anyone may have added it to a valid assertion. The identity provider made the signed part. */
function unsignedProblem(elements: readonly XmlElement[]): string | undefined {
  const signed = new Set<XmlElement | null>();
  let unsigned = 0;
  for (const element of elements) {
    const isSigned = element.local === 'Assertion' || (element.local !== 'Signature' && signed.has(element.parent));
    if (isSigned) signed.add(element);
    else unsigned += 1 + element.attributes.length;
  }
  return unsigned > UNSIGNED_MAX ? 'its unsigned part is too large' : undefined;
}
