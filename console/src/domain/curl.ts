/** A request that is written as a command. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | null;
  /** Secrets that the address contains. */
  readonly secrets?: readonly string[];
  /** Names of values in `parameters` of the body that are secrets. */
  readonly secretParameters?: readonly string[];
  /** It only reads the tag that the requests after it send. */
  readonly isTagRead?: boolean;
}

/** A header with this value sends the tag that was read last. No tag is like it: tags begin with a quote or with `W/`. */
export const TAG_READ = '$BURGEE_ETAG';

/** A text, or the name of a variable of the shell. */
type Piece = string | { readonly variable: string };

/** Nothing has a meaning between single quotes, except a single quote. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const word = (pieces: readonly Piece[]) =>
  pieces.map((piece) => (typeof piece === 'string' ? piece && quoted(piece) : `"$${piece.variable}"`)).join('');

function addressPieces({ url, secrets = [] }: CurlRequest): Piece[] {
  let pieces: Piece[] = [url];
  for (const secret of secrets) {
    const inUrl = [encodeURIComponent(secret), secret].find((text) => url.includes(text));
    if (inUrl === undefined) throw new Error('The address does not contain its secret.');
    pieces = pieces.flatMap((piece) =>
      typeof piece === 'string'
        ? piece.split(inUrl).flatMap((part, index) => (index === 0 ? [part] : [{ variable: 'BURGEE_SECRET' }, part]))
        : [piece],
    );
  }
  return pieces;
}

const SECRET_KEY = /^(secret|spCertificate|.*password)$/i;
/** What the server answers instead of a secret, and takes for "keep the stored value". */
const MASKS: ReadonlySet<unknown> = new Set(['********', '*****']);

/** `oldPassword` is `$BURGEE_OLD_PASSWORD`. */
const variableOf = (key: string) => `BURGEE_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type IsSecret = (key: string) => boolean;

/** An object as it is sent, except secrets: they are the values of variables. */
function objectPieces(value: object, isSecret: IsSecret, insideParameters: IsSecret): Piece[] {
  const pieces: Piece[] = [];
  let text = '{';
  Object.entries(value).forEach(([key, part], index) => {
    text += `${index === 0 ? '' : ','}${JSON.stringify(key)}:`;
    if (isSecret(key) && typeof part === 'string' && part !== '' && !MASKS.has(part)) {
      pieces.push(`${text}"`, { variable: variableOf(key) });
      text = '"';
    } else if (key === 'parameters' && isObject(part)) {
      pieces.push(text, ...objectPieces(part, insideParameters, () => false));
      text = '';
    } else text += JSON.stringify(part);
  });
  return [...pieces, `${text}}`];
}

function bodyPieces(body: string, secretParameters: readonly string[]): Piece[] {
  const value: unknown = JSON.parse(body);
  if (!isObject(value)) return [body];
  const pieces = objectPieces(
    value,
    (key) => SECRET_KEY.test(key),
    (key) => secretParameters.includes(key),
  );
  return joined(pieces);
}

/** Texts beside each other are one text. */
function joined(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') all.splice(-1, 1, last + piece);
    else all.push(piece);
  }
  return all;
}

const CREDENTIAL = '-H "authorization: $BURGEE_TOKEN"';

const headerOption = ([name, value]: readonly [string, string]) =>
  value === TAG_READ ? `-H "${name}: ${TAG_READ}"` : `-H ${quoted(`${name}: ${value}`)}`;

function command(request: CurlRequest): string {
  const { method, headers, body, isTagRead = false, secretParameters = [] } = request;
  const url = word(addressPieces(request));
  // Curl reads brackets and braces of addresses as patterns.
  const glob = /[[\]{}]/.test(request.url) ? ['-g'] : [];
  if (isTagRead)
    return `BURGEE_ETAG=$(${['curl -sS --fail', ...glob, "-o /dev/null -w '%header{etag}'", CREDENTIAL, url].join(' ')})`;
  const first = ['curl -sS --fail-with-body', ...glob, ...(method === 'GET' ? [] : [`-X ${method}`]), url].join(' ');
  const data = body === null ? [] : [`--data-raw ${word(bodyPieces(body, secretParameters))}`];
  return [first, CREDENTIAL, ...headers.map(headerOption), ...data].join(' \\\n  ');
}

/** Commands of a POSIX shell that send the requests in their order, until one of them is refused. The credential is in `$BURGEE_TOKEN`. */
export const curlOf = (requests: readonly CurlRequest[]): string => requests.map(command).join(' &&\n');
