/** A browser that keeps cookies by their names, for any path, across sign-ons. Does not follow redirects. */
export class Browser {
  readonly cookies = new Map<string, string>();

  async get(url: string): Promise<Page> {
    return this.#send(url, {});
  }

  /** Posts a form from a page of this site. `isCrossSite`: from a page of another site, without Lax cookies. */
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

/** The address that a page redirects to. */
export function locationOf({ headers, status, text }: Page): string {
  const location = headers.get('location');
  if (location === null) throw new Error(`${status} has no redirect: ${text.slice(0, 500)}`);
  return location;
}

/** The fields of a page's form, and its action. */
export function formOf({ text }: Page): {
  readonly action: string | undefined;
  readonly fields: Record<string, string>;
} {
  const action = /<form[^>]* action="([^"]*)"/.exec(text)?.[1];
  const inputs = [...text.matchAll(/<input(?: type="hidden")? name="([^"]*)" value="([^"]*)"/g)];
  return { action, fields: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value])) };
}
