/** What a browser keeps of one sign-on after another: cookies by their names, whatever their path. Follows nothing by itself. */
export class Browser {
  readonly cookies = new Map<string, string>();

  async get(url: string): Promise<Page> {
    return this.#send(url, {});
  }

  /** Posts a form from a page of this very site; `isCrossSite`: from a page of another one, which keeps Lax cookies back. */
  async post(url: string, fields: Readonly<Record<string, string>>, isCrossSite = false): Promise<Page> {
    return this.#send(url, { method: 'POST', body: new URLSearchParams(fields) }, isCrossSite);
  }

  async #send(url: string, init: RequestInit, isCrossSite = false): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers: Record<string, string> = cookie === '' || isCrossSite ? {} : { cookie };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0(;|$)/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Where a page sends the browser. */
export function locationOf({ headers, status, text }: Page): string {
  const location = headers.get('location');
  if (location === null) throw new Error(`${status} sends nowhere: ${text.slice(0, 500)}`);
  return location;
}

/** The fields of a page's form, and where it is sent to. */
export function formOf({ text }: Page): {
  readonly action: string | undefined;
  readonly fields: Record<string, string>;
} {
  const action = /<form[^>]* action="([^"]*)"/.exec(text)?.[1];
  const inputs = [...text.matchAll(/<input(?: type="hidden")? name="([^"]*)" value="([^"]*)"/g)];
  return { action, fields: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value])) };
}
