import type { AnyEndpoint, PreparedEndpoint } from './endpoint.ts';
import type { HttpRequest } from './front/front.ts';

const firstName = (path: string) => path.split('/', 2)[1] ?? '';

/** Decides which requests without a route get a page: those of browsers that open a path which does not begin like one of the API. */
export class UnknownPaths<Services> {
  readonly #page: PreparedEndpoint<Services> | undefined;
  /** The first names of the paths of the API. */
  readonly #ofApi: ReadonlySet<string>;
  readonly #basePath: string;

  constructor(endpoints: readonly AnyEndpoint<Services>[], basePath: string) {
    this.#basePath = basePath;
    const pages = endpoints.filter((one) => one.kind === 'prepared' && one.access.permission === 'NONE');
    this.#ofApi = new Set(endpoints.filter((one) => !pages.includes(one)).map(({ path }) => firstName(path)));
    for (const one of pages) {
      const { serveUnknown, ...rest } = one as PreparedEndpoint<Services>;
      if (serveUnknown) this.#page = { ...rest, path: '/*', alsoAt: [], serve: serveUnknown };
    }
  }

  /** What serves the page; undefined for all other requests, and if the service has none. */
  pageFor(request: HttpRequest): PreparedEndpoint<Services> | undefined {
    const [method, url] = [request.getMethod(), request.getUrl()];
    const isForPage =
      (method === 'get' || method === 'head') &&
      request.getHeader('accept').includes('text/html') &&
      url.startsWith(`${this.#basePath}/`) &&
      !this.#ofApi.has(firstName(url.slice(this.#basePath.length)));
    return isForPage ? this.#page : undefined;
  }
}
