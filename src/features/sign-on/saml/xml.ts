/** Maximum length of a document, in characters. It is enough for a list of 600 groups. */
const XML_LENGTH_MAX = 128 * 1024;

const ELEMENTS_MAX = 3_000;
const DEPTH_MAX = 30;
const ATTRIBUTES_MAX = 6_000;

export interface XmlAttribute {
  readonly prefix: string;
  readonly local: string;
  readonly value: string;
}

export interface XmlElement {
  /** Empty when there is none. */
  readonly prefix: string;
  readonly local: string;
  readonly parent: XmlElement | null;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly (XmlElement | string)[];
}

/** A parsed document. Its elements are in the order of their start tags, the root first. */
export interface XmlDocument {
  readonly root: XmlElement;
  readonly elements: readonly XmlElement[];
}

/** White space as XML defines it. JavaScript has more white space characters, which other parsers may read as part of a name. */
const TAG =
  /<(\/?)(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*)((?:[ \t\n]+[\w.:-]+[ \t\n]*=[ \t\n]*(?:"[^"<]*"|'[^'<]*'))*)[ \t\n]*(\/?)>/y;
const ATTRIBUTE = /[ \t\n]+(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*)[ \t\n]*=[ \t\n]*(?:"([^"]*)"|'([^']*)')/y;

const REFERENCE = /&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));/g;
const NO_REFERENCE = /&(?!(?:#x[0-9A-Fa-f]{1,6}|#[0-9]{1,7}|amp|lt|gt|quot|apos);)/;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The message is the reason why the text is not accepted. */
class Unreadable extends Error {}

/**
 * Parses only the XML that identity providers write: names in ASCII, no comments, instructions, CDATA, document types or entities. For any other text
 * it returns the reason. Its time is linear in the length of the text.
 */
export function readXml(text: string): XmlDocument | string {
  if (text.length > XML_LENGTH_MAX) return 'it is too large';
  const normal = text.replace(/\r\n?/g, '\n').replace(/^<\?xml [^?<>]*\?>[ \t\n]*/, '');
  if (/<[!?]/.test(normal)) return 'it has comments, instructions, CDATA or a document type';
  try {
    return new Reader(normal).read();
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
}

/** The value of an attribute without a prefix. */
export function attributeOf(element: XmlElement | undefined, name: string): string | undefined {
  return element?.attributes.find(({ prefix, local }) => prefix === '' && local === name)?.value;
}

/** The children of this name, whatever their prefix. */
export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => typeof child !== 'string' && child.local === name) as XmlElement[];
}

/** The child of this name, if there is exactly one. */
export function onlyChild(element: XmlElement | undefined, name: string): XmlElement | undefined {
  const found = element ? childrenOf(element, name) : [];
  return found.length === 1 ? found[0] : undefined;
}

/** The text of the element, without that of its children. */
export function textOf(element: XmlElement | undefined): string {
  return element?.children.filter((child) => typeof child === 'string').join('') ?? '';
}

type OpenElement = XmlElement & { readonly children: (XmlElement | string)[] };

class Reader {
  readonly #text: string;
  readonly #open: OpenElement[] = [];
  readonly #elements: XmlElement[] = [];
  #attributes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): XmlDocument {
    let from = 0;
    for (let at = this.#text.indexOf('<'); at >= 0; at = this.#text.indexOf('<', from)) {
      this.#take(this.#text.slice(from, at));
      TAG.lastIndex = at;
      const tag = TAG.exec(this.#text);
      if (!tag) throw new Unreadable('it is not XML that is accepted here');
      from = TAG.lastIndex;
      const [, closing, prefix = '', local = '', attributes = '', selfClosing] = tag;
      if (closing && (/\S/.test(attributes) || selfClosing))
        throw new Unreadable('it is not XML that is accepted here');
      if (!closing) this.#begin(prefix, local, attributes);
      if (closing || selfClosing) this.#end(prefix, local);
    }
    this.#take(this.#text.slice(from));
    const [root] = this.#elements;
    if (this.#open.length > 0 || !root) throw new Unreadable('it ends too early');
    return { root, elements: this.#elements };
  }

  #take(text: string): void {
    const parent = this.#open.at(-1);
    if (parent && text !== '') parent.children.push(decoded(text));
    else if (/[^ \t\n]/.test(text)) throw new Unreadable('it has text around its root');
  }

  #begin(prefix: string, local: string, attributeText: string): void {
    const parent = this.#open.at(-1) ?? null;
    if (!parent && this.#elements.length > 0) throw new Unreadable('it has several roots');
    const element: OpenElement = { prefix, local, parent, attributes: this.#attributesIn(attributeText), children: [] };
    parent?.children.push(element);
    this.#open.push(element);
    this.#elements.push(element);
    if (this.#elements.length > ELEMENTS_MAX || this.#open.length > DEPTH_MAX)
      throw new Unreadable('it has too many elements');
  }

  #end(prefix: string, local: string): void {
    const element = this.#open.pop();
    if (element?.local !== local || element.prefix !== prefix)
      throw new Unreadable('its elements are not nested correctly');
  }

  #attributesIn(text: string): XmlAttribute[] {
    const found: XmlAttribute[] = [];
    const names = new Set<string>();
    for (let at = 0; at < text.length; at = ATTRIBUTE.lastIndex) {
      ATTRIBUTE.lastIndex = at;
      const match = ATTRIBUTE.exec(text);
      if (!match) throw new Unreadable('the name of an attribute is not accepted here');
      const [, prefix = '', local = '', double, single] = match;
      if (++this.#attributes > ATTRIBUTES_MAX) throw new Unreadable('it has too many attributes');
      if (names.size === names.add(`${prefix}:${local}`).size)
        throw new Unreadable('an element has an attribute twice');
      found.push({ prefix, local, value: decoded((double ?? single ?? '').replace(/[\t\n]/g, ' ')) });
    }
    return found;
  }
}

function decoded(text: string): string {
  if (!text.includes('&')) return text;
  if (NO_REFERENCE.test(text)) throw new Unreadable('it has an entity that is not known');
  return text.replace(REFERENCE, (_all, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? '';
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const isCharacter =
      (code >= 0x20 && code < 0xd800) || (code >= 0xe000 && code <= 0x10ffff) || [9, 10, 13].includes(code);
    if (!isCharacter) throw new Unreadable('it has an entity that is not known');
    return String.fromCodePoint(code);
  });
}
