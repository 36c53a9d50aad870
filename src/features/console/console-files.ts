import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Logger } from '../../base/logger.ts';
import { bodyOf, type PreparedAnswer, preparedAnswer } from '../../base/prepared-answer.ts';
import type { HeaderRecord } from '../../base/response-head.ts';
import type { Config } from '../../config.ts';
import { BROWSER_HEADERS, TLS_HEADERS } from '../../http/browser-headers.ts';

/** Possible folders of the built console, relative to this file if it is bundled or run as source, and if it is compiled. */
const FOLDERS = ['../../../dist/console/', '../../../../dist/console/'];
const PAGE = 'index.html';
/** Text of the page in whose stead the base path is sent. All addresses in the page begin with it, because the page is served at paths of any depth. */
const BASE_MARK = '%BURGEE_BASE%';

/** The folder of the built console; undefined if it is not built. */
export function builtConsole(): string | undefined {
  return FOLDERS.map((folder) => fileURLToPath(new URL(folder, import.meta.url))).find((folder) =>
    existsSync(folder + PAGE),
  );
}

/** Maximum size of all files in memory, in all encodings. */
const BYTES_MAX = 4_000_000;

/** The console loads nothing from other hosts, runs only scripts of its own files, and cannot be framed. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
].join('; ');

/** The name of an asset contains a hash of its content, so a browser never needs to ask for it again. */
const ASSET_CACHING: HeaderRecord = { 'cache-control': 'public, max-age=31536000, immutable' };
const PAGE_CACHING: HeaderRecord = { 'cache-control': 'no-cache' };
const UNKNOWN_CACHING: HeaderRecord = { 'cache-control': 'no-store', vary: 'accept, accept-encoding' };
const PAGE_TYPE: HeaderRecord = { 'content-type': 'text/html; charset=utf-8' };
const VARY: HeaderRecord = { vary: 'accept-encoding' };

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Content codings by the ending that the build gives their files, the smallest first. */
const CODINGS = { '.br': 'br', '.gz': 'gzip' } as const;
export type Coding = (typeof CODINGS)[keyof typeof CODINGS] | 'identity';

/** A file in the codings that exist of it, as answers. */
type Encoded = Partial<Record<Coding, PreparedAnswer>> & { readonly identity: PreparedAnswer };

interface LoadedConsole {
  readonly page: Encoded;
  readonly pageEtag: string;
  /** The page at a path that is none of its screens. */
  readonly unknown: Encoded;
  readonly notModified: PreparedAnswer;
  /** File name → file. */
  readonly assets: ReadonlyMap<string, Encoded>;
}

type ConsoleConfig = Pick<Config, 'basePath' | 'serviceUrl' | 'tlsEnabled'>;

/**
 * The files of the built console, in memory. They are read once, so that a page and its assets are always of the same build. The build has compressed
 * the assets. The first start of a checkout builds the console beside the service: until it is there, each request for a page looks for it.
 */
export class ConsoleFiles {
  readonly #find: () => string | undefined;
  readonly #config: ConsoleConfig;
  readonly #logger: Logger;
  #files: LoadedConsole | Promise<LoadedConsole | null> | 'unreadable' | null = null;

  /** `find` returns the folder of the built console; undefined while there is none. */
  constructor(find: () => string | undefined, config: ConsoleConfig, logger: Logger) {
    this.#find = find;
    this.#config = config;
    this.#logger = logger;
    void this.files;
  }

  /** The files; null if there is no console; a promise while they are read. */
  get files(): LoadedConsole | null | Promise<LoadedConsole | null> {
    if (this.#files === null) {
      const folder = this.#find();
      if (folder !== undefined) this.#files = this.#load(folder);
    }
    return this.#files === 'unreadable' ? null : this.#files;
  }

  async #load(folder: string): Promise<LoadedConsole | null> {
    try {
      const loaded = await load(folder, this.#config);
      this.#files = loaded;
      return loaded;
    } catch (err) {
      this.#logger.error({ err }, 'the files of the console cannot be read: the console is not served');
      this.#files = 'unreadable';
      return null;
    }
  }
}

async function load(folder: string, { basePath, serviceUrl, tlsEnabled }: ConsoleConfig): Promise<LoadedConsole> {
  const isTls = tlsEnabled || /^https:/i.test(serviceUrl);
  const headers = { ...BROWSER_HEADERS, ...(isTls && TLS_HEADERS) };
  const names = await readdir(`${folder}assets`);
  const read = async (name: string) => [name, await readFile(`${folder}assets/${name}`)] as const;
  const contents = new Map(await Promise.all(names.map(read)));
  const assets = new Map<string, Encoded>();
  for (const name of names) {
    if (extname(name) in CODINGS) continue;
    const encoded: Partial<Record<Coding, Buffer>> = { identity: contents.get(name) as Buffer };
    for (const [ending, coding] of Object.entries(CODINGS)) {
      const bytes = contents.get(name + ending);
      if (bytes) encoded[coding] = bytes;
    }
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    assets.set(name, answersOf(encoded, { ...headers, ...ASSET_CACHING, ...VARY, 'content-type': type }));
  }
  // The option `BASE_URI_PATH` accepts no character that HTML needs escaped.
  const page = Buffer.from((await readFile(folder + PAGE, 'utf8')).replaceAll(BASE_MARK, () => basePath));
  const sizeBytes = [page, ...contents.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (sizeBytes > BYTES_MAX) throw new Error(`${folder} has ${sizeBytes} bytes, more than ${BYTES_MAX}`);
  return { ...pageOf(page, headers), assets };
}

function pageOf(page: Buffer, browserHeaders: HeaderRecord): Omit<LoadedConsole, 'assets'> {
  const pageEtag = `W/"${createHash('sha256').update(page).digest('base64url').slice(0, 22)}"`;
  const policy = { 'content-security-policy': PAGE_POLICY };
  const headers = {
    ...browserHeaders,
    ...PAGE_CACHING,
    ...VARY,
    ...policy,
    etag: pageEtag,
  };
  const encoded = { identity: page, gzip: gzipSync(page), br: brotliCompressSync(page) };
  return {
    page: answersOf(encoded, { ...headers, ...PAGE_TYPE }),
    unknown: answersOf(encoded, { ...browserHeaders, ...UNKNOWN_CACHING, ...policy, ...PAGE_TYPE }, 404),
    pageEtag,
    notModified: preparedAnswer(304, headers),
  };
}

function answersOf(encoded: Partial<Record<Coding, Buffer>>, headers: HeaderRecord, status = 200): Encoded {
  const answers = Object.entries(encoded).map(([coding, bytes]) => {
    const codingHeaders = coding === 'identity' ? headers : { ...headers, 'content-encoding': coding };
    return [coding, preparedAnswer(status, codingHeaders, bodyOf(bytes))] as const;
  });
  return Object.fromEntries(answers) as Encoded;
}
