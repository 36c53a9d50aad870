import { constants, createHash, verify, X509Certificate } from 'node:crypto';
import { canonicalForm } from './canonical.ts';
import { attributeOf, childrenOf, onlyChild, textOf, type XmlElement } from './xml.ts';

/** Exclusive XML Canonicalization 1.0, the only accepted one. */
export const CANONICAL_FORM = 'http://www.w3.org/2001/10/xml-exc-c14n#';
/** The signature is inside the signed element, and is left out of the digest. */
export const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';

/** Algorithms of digests and signatures, by their XML identifiers: all algorithms that the library supports, except SHA-1. */
export const DIGESTS: Readonly<Record<string, string>> = {
  'http://www.w3.org/2001/04/xmlenc#sha256': 'sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512': 'sha512',
};
export const SIGNATURES: Readonly<Record<string, { readonly hash: string; readonly isPss?: true }>> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': { hash: 'sha256' },
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': { hash: 'sha512' },
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1': { hash: 'sha256', isPss: true },
};

/**
 * Why the signatures of a response with an accepted shape are not accepted; undefined if the certificates verify them. The library verifies the
 * signatures again after this check, and both must accept them. This check comes first, because the time of the library grows faster than the
 * document, also for invalid signatures.
 */
export function signatureProblem(response: XmlElement, certificates: readonly string[]): string | undefined {
  const assertion = onlyChild(response, 'Assertion');
  if (!assertion) return 'it has no assertion';
  if (!onlyChild(assertion, 'Signature')) return 'its assertion is not signed';
  const keys = certificates.map((certificate) => new X509Certificate(certificate).publicKey);
  for (const owner of [assertion, response]) {
    const signature = onlyChild(owner, 'Signature');
    const problem = signature && problemOf(signature, owner, keys);
    if (problem !== undefined) return `the signature of its ${owner.local}: ${problem}`;
  }
  return undefined;
}

type Keys = readonly X509Certificate['publicKey'][];

function problemOf(signature: XmlElement, owner: XmlElement, keys: Keys): string | undefined {
  const signedInfo = onlyChild(signature, 'SignedInfo');
  const value = onlyChild(signature, 'SignatureValue');
  const reference = onlyChild(signedInfo, 'Reference');
  if (!signedInfo || !value || !reference) return 'it is incomplete';
  const algorithm = SIGNATURES[attributeOf(onlyChild(signedInfo, 'SignatureMethod'), 'Algorithm') ?? ''];
  const method = onlyChild(signedInfo, 'CanonicalizationMethod');
  if (!algorithm || !method) return 'its algorithm is missing or not accepted';
  const form = canonicalForm(signedInfo, prefixesOf(method));
  if (form === undefined) return 'its canonical form cannot be computed';
  const text = Buffer.from(form);
  const bytes = Buffer.from(textOf(value), 'base64');
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  const isGood = keys.some((key) => verify(algorithm.hash, text, { key, ...(algorithm.isPss && pss) }, bytes));
  return isGood ? referenceProblem(reference, signature, owner) : 'no certificate of the settings made it';
}

function referenceProblem(reference: XmlElement, signature: XmlElement, owner: XmlElement): string | undefined {
  const id = attributeOf(owner, 'ID');
  if (!id || attributeOf(reference, 'URI') !== `#${id}`) return 'it refers to another element';
  const transforms = childrenOf(onlyChild(reference, 'Transforms') ?? reference, 'Transform');
  const [enveloped, canonical, ...more] = transforms;
  const algorithms = [enveloped, canonical].map((transform) => attributeOf(transform, 'Algorithm'));
  if (!canonical || more.length > 0 || algorithms[0] !== ENVELOPED || algorithms[1] !== CANONICAL_FORM)
    return 'its transforms are not accepted';
  const hash = DIGESTS[attributeOf(onlyChild(reference, 'DigestMethod'), 'Algorithm') ?? ''];
  const form = canonicalForm(owner, prefixesOf(canonical), signature);
  if (hash === undefined) return 'its digest algorithm is missing or not accepted';
  if (form === undefined) return 'its digest cannot be computed';
  const digest = createHash(hash).update(form).digest();
  const isSame = digest.equals(Buffer.from(textOf(onlyChild(reference, 'DigestValue')), 'base64'));
  return isSame ? undefined : 'the signed element was changed';
}

/** The prefixes that the canonical form declares even if no element or attribute name uses them. */
function prefixesOf(method: XmlElement): readonly string[] {
  const list = attributeOf(onlyChild(method, 'InclusiveNamespaces'), 'PrefixList') ?? '';
  return list.split(/[ \t\n]+/).flatMap((prefix) => (prefix === '#default' ? [''] : prefix || []));
}
