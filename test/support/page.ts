import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { until } from './until.ts';

type Listener = (event: unknown) => unknown;

/** The parts of a page's element that our scripts use. */
class PageElement {
  textContent = '';
  hidden = false;
  disabled = false;
  value = '';
  type = '';
  checked = false;
  focused = 0;
  removed = false;
  dataset: Record<string, string | undefined> = {};
  children: PageElement[] = [];
  readonly #listeners = new Map<string, Listener>();

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  replaceChildren(...children: PageElement[]): void {
    this.children = children;
  }

  focus(): void {
    this.focused++;
  }

  remove(): void {
    this.removed = true;
  }

  /** Resolves when the page's listener has ended. */
  async fire(type: string): Promise<void> {
    await this.#listeners.get(type)?.({ target: this, preventDefault() {} });
  }
}

/** The page at this address. Its own script runs on the elements of its own HTML, and sends requests to the service that sent the page. */
export class Page {
  /** The path and query of the address. */
  address: string;
  readonly headers: Headers;
  readonly html: string;
  readonly #elements: ReadonlyMap<string, PageElement>;

  static async open(url: string): Promise<Page> {
    const answer = await fetch(url);
    expect(answer.status).toBe(200);
    const page = new Page(url, answer.headers, await answer.text());
    await until(
      () => page.of('message').textContent !== '' || !page.of('form').hidden,
      (isShown) => isShown,
    );
    return page;
  }

  private constructor(url: string, headers: Headers, html: string) {
    this.headers = headers;
    this.html = html;
    const location = new URL(url);
    this.address = location.pathname + location.search;
    this.#elements = elementsOf(html);
    const [, script = ''] = /<script>(.*?)<\/script>/s.exec(html) ?? [];
    // A browser decides in this way whether it runs the script.
    expect(headers.get('content-security-policy')).toContain(`script-src 'sha256-${sha256(script)}'`);
    runInNewContext(script, {
      location,
      document: {
        getElementById: (id: string) => this.#elements.get(id) ?? null,
        createElement: () => new PageElement(),
      },
      history: {
        replaceState: (_state: null, _title: '', address: string) => {
          this.address = address;
        },
      },
      fetch: (address: string, init?: RequestInit) => fetch(new URL(address, location), init),
      URLSearchParams,
    });
  }

  of(id: string): PageElement {
    const element = this.#elements.get(id);
    if (!element) throw new Error(`the page has no element ${id}`);
    return element;
  }

  /** The problems that it shows. */
  get problems(): string[] {
    return this.of('problems').children.map(({ textContent }) => textContent);
  }
}

function elementsOf(html: string): Map<string, PageElement> {
  const elements = new Map<string, PageElement>();
  for (const [tag, id = ''] of html.matchAll(/<\w+[^>]*\sid="([^"]+)"[^>]*>/g)) {
    const element = new PageElement();
    element.hidden = /\shidden\b/.test(tag);
    for (const [, name = '', value] of tag.matchAll(/\sdata-(\w+)="([^"]*)"/g)) element.dataset[name] = value;
    elements.set(id, element);
  }
  return elements;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
