import type { XmlAttribute, XmlElement } from './xml.ts';

/** The longest accepted list of prefixes. Providers list one or two. */
const LISTED_PREFIXES_MAX = 20;

/** Namespaces by prefix. The declarations of an element override those of its ancestors. */
class Namespaces {
  readonly #around: Namespaces | null;
  readonly #own: ReadonlyMap<string, string>;

  constructor(around: Namespaces | null, own: ReadonlyMap<string, string>) {
    this.#around = around;
    this.#own = own;
  }

  /** The namespace of the prefix; undefined if the prefix is not declared. */
  get(prefix: string): string | undefined {
    return this.#own.get(prefix) ?? this.#around?.get(prefix);
  }
}

const NO_NAMESPACES = new Namespaces(null, new Map());

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';

/**
 * Exclusive XML Canonicalization 1.0 of the element (https://www.w3.org/TR/xml-exc-c14n/), for documents that `xml.ts` accepts: they have no
 * comments. The prefixes in `listedPrefixes` are treated as in inclusive canonicalization. The child `omitted` is left out. Returns undefined if a
 * prefix is not declared, or if `listedPrefixes` is too long.
 */
export function canonicalForm(
  element: XmlElement,
  listedPrefixes: readonly string[],
  omitted?: XmlElement,
): string | undefined {
  if (listedPrefixes.length > LISTED_PREFIXES_MAX) return undefined;
  const form = new CanonicalForm(listedPrefixes, omitted);
  return form.write(element, scopeAround(element), NO_NAMESPACES) ? form.text : undefined;
}

class CanonicalForm {
  readonly #listedPrefixes: readonly string[];
  readonly #omitted: XmlElement | undefined;
  readonly #parts: string[] = [];

  constructor(listedPrefixes: readonly string[], omitted: XmlElement | undefined) {
    this.#listedPrefixes = listedPrefixes;
    this.#omitted = omitted;
  }

  get text(): string {
    return this.#parts.join('');
  }

  /**
   * `around`: the namespaces in scope of the parent. `written`: the namespaces that the text has declared so far. Returns false if a prefix is not
   * declared.
   */
  write(element: XmlElement, around: Namespaces, written: Namespaces): boolean {
    const scope = declaredOn(element, around);
    const attributes = element.attributes.filter((attribute) => declaredPrefix(attribute) === undefined);
    const used = new Set([element.prefix, ...attributes.flatMap(({ prefix }) => (isDeclarable(prefix) ? prefix : []))]);
    for (const prefix of used) if (prefix !== '' && scope.get(prefix) === undefined) return false;
    for (const prefix of this.#listedPrefixes) if (scope.get(prefix) !== undefined) used.add(prefix);
    const name = element.prefix === '' ? element.local : `${element.prefix}:${element.local}`;
    this.#parts.push('<', name);
    const known = this.#writeNamespaces(used, scope, written);
    for (const { prefix, local, value } of inOrder(attributes, scope))
      this.#parts.push(prefix === '' ? ` ${local}="` : ` ${prefix}:${local}="`, attributeText(value), '"');
    this.#parts.push('>');
    for (const child of element.children) {
      if (typeof child === 'string') this.#parts.push(childText(child));
      else if (child !== this.#omitted && !this.write(child, scope, known)) return false;
    }
    this.#parts.push('</', name, '>');
    return true;
  }

  /** Writes the namespaces that the text has not declared yet, or has declared differently. */
  #writeNamespaces(used: ReadonlySet<string>, scope: Namespaces, written: Namespaces): Namespaces {
    const newDeclarations = new Map<string, string>();
    for (const prefix of [...used].sort()) {
      const namespace = scope.get(prefix) ?? '';
      if (namespace === (written.get(prefix) ?? '')) continue;
      newDeclarations.set(prefix, namespace);
      this.#parts.push(prefix === '' ? ' xmlns="' : ` xmlns:${prefix}="`, attributeText(namespace), '"');
    }
    return newDeclarations.size === 0 ? written : new Namespaces(written, newDeclarations);
  }
}

/** The prefix that the attribute declares; empty for the default namespace; undefined when it declares none. */
function declaredPrefix({ prefix, local }: XmlAttribute): string | undefined {
  if (prefix === 'xmlns') return local;
  return prefix === '' && local === 'xmlns' ? '' : undefined;
}

/** Attributes without a prefix are in no namespace, and `xml` needs no declaration. */
const isDeclarable = (prefix: string) => prefix !== '' && prefix !== 'xml';

function declaredOn(element: XmlElement, around: Namespaces): Namespaces {
  const own = new Map<string, string>();
  for (const attribute of element.attributes) {
    const prefix = declaredPrefix(attribute);
    if (prefix !== undefined) own.set(prefix, attribute.value);
  }
  return own.size === 0 ? around : new Namespaces(around, own);
}

function scopeAround({ parent }: XmlElement): Namespaces {
  return parent ? declaredOn(parent, scopeAround(parent)) : NO_NAMESPACES;
}

/** Sorted by namespace, then by name. Attributes without a namespace come first. */
function inOrder(attributes: readonly XmlAttribute[], scope: Namespaces): readonly XmlAttribute[] {
  if (attributes.length < 2) return attributes;
  const keyed = attributes.map((attribute) => {
    const { prefix, local } = attribute;
    const namespace = prefix === '' ? '' : prefix === 'xml' ? XML_NAMESPACE : (scope.get(prefix) ?? '');
    return { attribute, key: `${namespace}\0${local}` };
  });
  return keyed.sort(({ key: left }, { key: right }) => (left < right ? -1 : 1)).map(({ attribute }) => attribute);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

const childText = (text: string) => text.replace(/[&<>\r]/g, (character) => ESCAPES[character] ?? '');
const attributeText = (text: string) => text.replace(/[&<"\t\n\r]/g, (character) => ESCAPES[character] ?? '');
