/** A request that is written as a command. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | null;
  /** Secrets that the address contains. */
  readonly secrets?: readonly string[];
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
const MASK = '********';

/** `oldPassword` is `$BURGEE_OLD_PASSWORD`. */
const variableOf = (key: string) => `BURGEE_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** The body as it is sent, except secrets: they are the values of variables. */
function bodyPieces(body: string): Piece[] {
  const value: unknown = JSON.parse(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [body];
  const pieces: Piece[] = [];
  let text = '{';
  Object.entries(value).forEach(([key, part], index) => {
    text += `${index === 0 ? '' : ','}${JSON.stringify(key)}:`;
    if (SECRET_KEY.test(key) && typeof part === 'string' && part !== '' && part !== MASK) {
      pieces.push(`${text}"`, { variable: variableOf(key) });
      text = '"';
    } else text += JSON.stringify(part);
  });
  return [...pieces, `${text}}`];
}

const CREDENTIAL = '-H "authorization: $BURGEE_TOKEN"';

const headerOption = ([name, value]: readonly [string, string]) =>
  value === TAG_READ ? `-H "${name}: ${TAG_READ}"` : `-H ${quoted(`${name}: ${value}`)}`;

function command(request: CurlRequest): string {
  const { method, headers, body, isTagRead = false } = request;
  const url = word(addressPieces(request));
  // Curl reads brackets and braces of addresses as patterns.
  const glob = /[[\]{}]/.test(request.url) ? ['-g'] : [];
  if (isTagRead)
    return `BURGEE_ETAG=$(${['curl -sS --fail', ...glob, "-o /dev/null -w '%header{etag}'", CREDENTIAL, url].join(' ')})`;
  const first = ['curl -sS --fail-with-body', ...glob, ...(method === 'GET' ? [] : [`-X ${method}`]), url].join(' ');
  const data = body === null ? [] : [`--data-raw ${word(bodyPieces(body))}`];
  return [first, CREDENTIAL, ...headers.map(headerOption), ...data].join(' \\\n  ');
}

/** Commands of a POSIX shell that send the requests in their order, until one of them is refused. The credential is in `$BURGEE_TOKEN`. */
export const curlOf = (requests: readonly CurlRequest[]): string => requests.map(command).join(' &&\n');
