import { messageOf } from '../../base/remote-error.ts';
import { hashedSecret, isHashed } from '../../model/token-secret.ts';
import { readArguments, wordsOf } from './arguments.ts';
import { ask, SERVICE_FLAGS, SERVICE_HELP, serviceAddress } from './service-client.ts';
import { ProgramError, type Subcommand, UsageError } from './subcommand.ts';

const HELP = `burgee token list [--json]
burgee token create --name NAME --type client|backend|frontend|admin [--project ID]… [--environment NAME] [--expires-at TIME]
burgee token delete HANDLE|SECRET

Lists, creates and deletes API tokens of a running service. Create prints only the secret of the new token. A list has no secrets: use the
handle to delete a token.

${SERVICE_HELP}
  --project ID        may be repeated; every project without it
  --environment NAME  development without it
  --json              with list: one JSON object for each token, with its handle and without its secret
  --expires-at TIME   RFC 3339, such as 2030-01-01T00:00:00Z

BURGEE_TOKEN contains an admin token, a personal token or a service account's token.
`;

const FLAGS = {
  ...SERVICE_FLAGS,
  name: { type: 'string' },
  type: { type: 'string' },
  project: { type: 'string', multiple: true },
  environment: { type: 'string' },
  'expires-at': { type: 'string' },
  json: { type: 'boolean' },
} as const;

const PATH = '/api/admin/api-tokens';

/** Types of tokens. `backend` is another name for `client`, which the documentation of newer SDKs uses. */
const TYPES = ['client', 'backend', 'frontend', 'admin'];

/** The format of a handle. The secret of a token never matches it, because it contains a dot. */
const HANDLE = /^[0-9a-f]{12}$/;

interface ListedToken {
  readonly tokenName: string;
  readonly type: string;
  readonly environment: string;
  readonly projects: readonly string[];
  readonly expiresAt: string | null;
  readonly secret: string;
  readonly alias?: unknown;
}

/** `burgee token`. */
export const tokenCommand: Subcommand = {
  name: 'token',
  summary: 'lists, creates and deletes API tokens of a running service',
  help: HELP,
  words: ['list', 'create', 'delete', ...wordsOf(FLAGS)],
  async run(args, { environment, out }) {
    const { values, positionals } = readArguments(args, FLAGS, 2);
    const [verb = '', handleOrSecret] = positionals;
    const token = environment.BURGEE_TOKEN ?? '';
    if (token === '') throw new ProgramError('set BURGEE_TOKEN to an admin token; see --help');
    const address = serviceAddress(values.url, environment);
    if (handleOrSecret !== undefined && verb !== 'delete')
      throw new UsageError(`unexpected argument "${handleOrSecret}"; see --help`);
    if (values.json && verb !== 'list') throw new UsageError('--json is for token list; see --help');
    if (verb === 'list') out((values.json ? listJson : listText)(await tokensOf(address, token)));
    else if (verb === 'create')
      out(
        `${(JSON.parse(await requestText(address, PATH, { method: 'POST', token, body: tokenInput(values) })) as ListedToken).secret}\n`,
      );
    else if (verb === 'delete' && handleOrSecret !== undefined) {
      const secret = secretOf(await tokensOf(address, token), handleOrSecret);
      await requestText(address, `${PATH}/${encodeURIComponent(secret)}`, { method: 'DELETE', token });
    } else throw new UsageError('specify one of list, create and delete HANDLE; see --help');
    return 0;
  },
};

async function tokensOf(address: string, token: string): Promise<readonly ListedToken[]> {
  return (JSON.parse(await requestText(address, PATH, { token })) as { readonly tokens: readonly ListedToken[] })
    .tokens;
}

/** A text that identifies a token but gives no access. It is the same whether the service stores the secret or only its hash. */
function handleOf({ secret }: ListedToken): string {
  const hash = isHashed(secret) ? secret : hashedSecret(secret);
  return hash.slice(hash.indexOf(':') + 1).slice(0, 12);
}

/**
 * The service's secret or hash of the token with this handle or secret. It is checked here because the service, like Unleash, gives the same
 * answer for the deletion of an unknown token, so a typing error would not be noticed. @throws ProgramError
 */
function secretOf(tokens: readonly ListedToken[], handleOrSecret: string): string {
  if (!HANDLE.test(handleOrSecret)) {
    const match = tokens.find(({ secret }) => secret === handleOrSecret || secret === hashedSecret(handleOrSecret));
    if (!match) throw new ProgramError('no token has this handle or secret: see burgee token list');
    return handleOrSecret;
  }
  const [match, secondMatch] = tokens.filter((token) => handleOf(token) === handleOrSecret);
  if (!match) throw new ProgramError(`no token has the handle ${handleOrSecret}: see burgee token list`);
  if (secondMatch) throw new ProgramError(`several tokens have the handle ${handleOrSecret}: delete one by its secret`);
  return match.secret;
}

interface TokenFlags {
  readonly name?: string;
  readonly type?: string;
  readonly project?: string[];
  readonly environment?: string;
  readonly 'expires-at'?: string;
}

function tokenInput({ name, type, project, environment = 'development', 'expires-at': expiresAt }: TokenFlags): object {
  if (name === undefined || type === undefined)
    throw new UsageError('token create needs --name and --type; see --help');
  if (!TYPES.includes(type.toLowerCase()))
    throw new UsageError(`--type must be one of ${TYPES.join(', ')}, not "${type}"`);
  if (expiresAt !== undefined && !(Date.parse(expiresAt) > Date.now()))
    throw new UsageError(`--expires-at must be a time in the future, such as 2030-01-01T00:00:00Z, not "${expiresAt}"`);
  return {
    tokenName: name,
    type,
    projects: project ?? ['*'],
    environment,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

async function requestText(address: string, path: string, options: Parameters<typeof ask>[2]): Promise<string> {
  const { status, text } = await ask(address, path, options);
  if (status < 300) return text;
  throw new ProgramError(`the service refused: ${status} ${messageOf(text)}`);
}

/** What the API sends about each token, with the handle instead of the secret, and without the alias, which also gives access. */
function listJson(tokens: readonly ListedToken[]): string {
  return tokens
    .map((token) => {
      const { secret: _secret, alias: _alias, ...shown } = token;
      return `${JSON.stringify({ ...shown, handle: handleOf(token) })}\n`;
    })
    .join('');
}

function listText(tokens: readonly ListedToken[]): string {
  const lines = tokens.map((token) => {
    const { tokenName, type, environment, projects, expiresAt } = token;
    return [tokenName, type, environment, projects.join(','), expiresAt ?? 'never', handleOf(token)].join('\t');
  });
  return ['name\ttype\tenvironment\tprojects\texpires\thandle', ...lines].map((line) => `${line}\n`).join('');
}
