/** Largest document, in bytes of XML. The longest lists of groups fit. */
export const SAML_BYTES_MAX = 128 * 1024;

const ELEMENTS_MAX = 3_000;
const DEPTH_MAX = 30;
const ATTRIBUTES_MAX = 6_000;

/** What signatures may be made with: nothing that rests on SHA-1 or on a secret that both sides know. */
const ALGORITHMS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmldsig-more#sha384',
  'http://www.w3.org/2001/04/xmlenc#sha512',
  'http://www.w3.org/2001/10/xml-exc-c14n#',
  'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
]);

/** White space as XML has it: what JavaScript calls so, other readers may take for a part of a name. */
const TAG =
  /<(\/?)(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)((?:[ \t\r\n]+[\w.:-]+[ \t\r\n]*=[ \t\r\n]*(?:"[^"<]*"|'[^'<]*'))*)[ \t\r\n]*(\/?)>/y;
const ATTRIBUTE = /([\w.:-]+)[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)')/g;

/** What is found where, in the order of the document: names of elements without their prefixes. */
interface Element {
  readonly name: string;
  readonly path: string;
}

/**
 * Why a document is not taken, before anything reads it as XML; undefined when it may be. One pass over the text, so its cost is known. It knows
 * nothing of signatures: it refuses every document that two readers could take for two different ones. A response of an identity provider is one
 * Response with one Assertion in it, each with at most one Signature right beneath it, with no second place where an id stands, no comments, no
 * document type and no entities. What is wrapped, moved or doubled to make a signature stand for something else is none of this.
 */
export function shapeProblem(xml: string, root: 'Response' | 'LogoutResponse' | 'LogoutRequest'): string | undefined {
  const text = xml.replace(/^<\?xml [^?<>]*\?>[ \t\r\n]*/, '');
  if (/<[!?]/.test(text)) return 'it has comments, instructions, CDATA or a document type';
  const found: Element[] = [];
  const problem = walk(text, found);
  if (problem !== undefined) return problem;
  const paths = (name: string) => found.filter((element) => element.name === name).map(({ path }) => path);
  if (found[0]?.path !== root) return `it is no ${root}`;
  if (paths(root).length > 1) return `it has a ${root} within another`;
  const assertions = paths('Assertion');
  if (paths('EncryptedAssertion').length > 0) return 'its assertion is encrypted';
  if (root === 'Response' && assertions.length > 1) return 'it has several assertions';
  if (assertions.some((path) => path !== 'Response/Assertion')) return 'its assertion is not where it belongs';
  const signatures = paths('Signature');
  if (new Set(signatures).size < signatures.length) return 'it has several signatures of one element';
  if (signatures.some((path) => path !== `${root}/Signature` && path !== 'Response/Assertion/Signature'))
    return 'a signature is not where it belongs';
  if (paths('Object').length > 0) return 'a signature holds an object';
  return undefined;
}

function walk(text: string, found: Element[]): string | undefined {
  const open: string[] = [];
  const ids = new Set<string>();
  let attributes = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', TAG.lastIndex)) {
    TAG.lastIndex = at;
    const tag = TAG.exec(text);
    if (!tag) return 'it is no XML that is read here';
    const [, closing, name = '', attributeText = '', selfClosing] = tag;
    if (closing) {
      if (open.pop() !== name) return 'its elements do not close each other';
      continue;
    }
    if (open.length === 0 && found.length > 0) return 'it has several roots';
    open.push(name);
    found.push({ name, path: open.join('/') });
    if (found.length > ELEMENTS_MAX || open.length > DEPTH_MAX) return 'it has too many elements';
    const names = new Set<string>();
    for (const [, attribute = '', double, single] of attributeText.matchAll(ATTRIBUTE)) {
      if (++attributes > ATTRIBUTES_MAX) return 'it has too many attributes';
      if (names.size === names.add(attribute).size) return 'an element has an attribute twice';
      const problem = attributeProblem(name, attribute, double ?? single ?? '', ids);
      if (problem !== undefined) return problem;
    }
    if (selfClosing) open.pop();
  }
  return open.length > 0 ? 'it ends too early' : undefined;
}

/** Elements whose algorithm is part of how a signature is made. */
const SIGNING: ReadonlySet<string> = new Set([
  'SignatureMethod',
  'DigestMethod',
  'Transform',
  'CanonicalizationMethod',
]);

function attributeProblem(element: string, attribute: string, value: string, ids: Set<string>): string | undefined {
  const name = attribute.slice(attribute.indexOf(':') + 1);
  if (/^id$/i.test(name)) {
    if (ids.has(value) || !/^[A-Za-z_][\w.-]*$/.test(value)) return 'it has an id twice, or one that is none';
    ids.add(value);
  }
  if (name === 'Algorithm' && SIGNING.has(element) && !ALGORITHMS.has(value))
    return `it is signed with ${value.slice(0, 100)}, which is not taken`;
  return undefined;
}
