import { isoTime, systemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { ConfigError } from '../../base/options.ts';
import { Rejection } from '../../base/rejection.ts';
import { atOnce } from '../../base/yield-control.ts';
import type { Config } from '../../config.ts';
import { type CommandContext, type Decidable, decideInSteps } from '../../engine/command.ts';
import { decide, type Order } from '../../engine/decision.ts';
import type { Writer } from '../../engine/writer.ts';
import { loadGuards } from '../../features/guards.ts';
import type { ImportResult } from '../../features/import-export/import.ts';
import { bootstrap } from '../../features/instance/bootstrap.ts';
import { ensureInstanceId } from '../../features/instance/setting.ts';
import type { Passwords } from '../../features/sign-on/passwords/hashing.ts';
import {
  createApiToken,
  hashSecrets,
  isTokenNameTaken,
  parseTokenText,
  tokenOfText,
} from '../../features/tokens/commands.ts';
import { newSecret } from '../../features/tokens/secret.ts';
import { ALL, type ApiToken, type ApiTokenType } from '../../model/api-token.ts';
import { systemCaller } from '../../model/caller.ts';
import { SYSTEM_USER_ID } from '../../model/primitives.ts';
import type { StateReader } from '../../state/collections.ts';
import { hashesSecrets } from '../../state/dropped-secrets.ts';
import { State } from '../../state/state.ts';
import { holdsStore } from '../../stores/lmdb/data-file.ts';
import {
  chosenAdmin,
  ensureAdmin,
  type FirstAdmin,
  type FirstSignOn,
  isAdminWanted,
  proposeAdmin,
} from './first-admin.ts';
import type { StartChanges } from './start-changes.ts';

/** Secrets that are generated at the first start. They are shown once, and never logged. */
export interface FirstTokens {
  readonly admin: string;
  readonly client: string;
  readonly frontend: string;
  /** The first admin; null when none is created. */
  readonly signOn: FirstSignOn | null;
}

const SYSTEM = { id: SYSTEM_USER_ID, name: 'burgee' };

/** The parts of the service that a start uses. */
interface FirstStartParts {
  readonly writer: Writer;
  readonly state: State;
  readonly passwords: Passwords;
}

/** A token from the environment. `source` is its variable and its position in the list, without the token's text. */
interface ConfiguredToken {
  readonly type: ApiTokenType;
  readonly secret: string;
  readonly source: string;
}

/**
 * The generated secrets for an empty store. A process generates them once, even if it must try several times to write the first content. If the
 * outcome of one try is unknown, its secrets may be in the store; the next try finds them in the store and shows them.
 */
export interface FirstSecrets {
  readonly tokens: FirstTokens;
  readonly admin: FirstAdmin | null;
}

/** What a start writes into the store. */
interface StartContent {
  readonly secrets: FirstSecrets;
  /** Null if the environment asks for no changes. */
  readonly changes: StartChanges | null;
}

/** The changes for which the environment asks; null if there are none. @throws ConfigError */
export async function startChangesOf(config: Config): Promise<StartChanges | null> {
  if (config.importFile === '' && config.enabledEnvironments.length === 0) return null;
  const { readStartChanges } = await import('./start-changes.ts');
  return await readStartChanges(config);
}

export async function makeFirstSecrets(
  { state, passwords }: Pick<FirstStartParts, 'state' | 'passwords'>,
  config: Config,
  logger: Logger,
): Promise<FirstSecrets> {
  const admin = await proposeAdmin(config, state, passwords, logger);
  return { tokens: { ...newTokens(), signOn: admin && signOnOf(admin) }, admin };
}

function newTokens() {
  return {
    admin: newSecret([ALL], ALL),
    client: newSecret([ALL], 'development'),
    frontend: newSecret([ALL], 'development'),
  };
}

function signOnOf({ username, password, isConfigured }: FirstAdmin): FirstSignOn {
  return { username, password: isConfigured ? null : password };
}

/**
 * Writes the first content into an empty store, and creates the tokens from the environment that do not exist yet. If the environment contains no
 * tokens, an empty store gets one generated token of each kind; the generated tokens are returned. Everything is written in one commit: a start that
 * fails leaves the store unchanged, so the next start is again the first one.
 * @throws ConfigError when a token from the environment cannot be created: a service without this token would refuse its clients. There is one
 * exception: if an existing store does not contain the token's environment or project, the token is left out with a warning. An admin may have
 * deleted the environment, and that must not prevent the next start. For the same reason, flags that cannot be imported prevent only the first start.
 */
export async function initialise(
  { writer }: Pick<FirstStartParts, 'writer'>,
  { secrets: { tokens: firstTokens, admin }, changes }: StartContent,
  config: Config,
  logger: Logger,
): Promise<FirstTokens | null> {
  const outcome = await writer.submit(prepareStore, inputOf(config, firstTokens, admin, changes), SYSTEM);
  if (outcome instanceof Rejection) {
    if (outcome.name === 'ServiceUnavailableError') throw new Error(outcome.message);
    throw new ConfigError(outcome.message);
  }
  if (outcome.value.isAdminCreated) logger.info({ username: admin?.username }, 'created the first admin');
  for (const { tokenName, type, environment, projects } of outcome.value.created) {
    logger.info({ tokenName, type, environment, projects }, 'created a token from the environment');
  }
  for (const reason of outcome.value.skippedTokens) {
    logger.warn({ reason }, 'did not create a token from the environment: callers that send this token get 401');
  }
  for (const environment of outcome.value.missingEnvironments) {
    logger.warn({ environment }, 'ENABLED_ENVIRONMENTS names an environment that does not exist');
  }
  if (changes?.flags) {
    const file = config.importFile;
    const result = outcome.value.imported ?? (await writer.submit(changes.importFlags, changes.flags, SYSTEM));
    if (result instanceof Rejection)
      logger.error({ file, reason: result.message }, 'IMPORT_FILE is not imported: the flags stay as they are');
    else logImported(file, 'value' in result ? result.value : result, logger);
  }
  return outcome.value.hasFirstTokens ? firstTokens : null;
}

function logImported(file: string, { imported, warnings }: ImportResult, logger: Logger): void {
  logger.info({ file, changedFlags: imported }, 'imported the flags of IMPORT_FILE');
  if (warnings.length > 0)
    logger.warn({ file, leftOut: warnings }, 'the import of IMPORT_FILE left out a part of its file');
}

/**
 * Decides the first content of a new embedded store, and writes nothing. The content of an existing store decides which tokens a start creates, and
 * reading it needs the lock of the directory or a connection to Redis: then nothing is checked here.
 * @throws ConfigError
 */
export async function checkFirstStart(config: Config, changes: StartChanges | null): Promise<void> {
  if (config.redisUrl !== '' || (await holdsStore(config.dataDirectory))) return;
  const admin = isAdminWanted(config, 0) ? { ...chosenAdmin(config), passwordHash: '' } : null;
  const input = inputOf(config, { ...newTokens(), signOn: null }, admin, changes);
  const order: Order = { command: prepareStore as Decidable<unknown, unknown>, input, caller: systemCaller(SYSTEM) };
  const rules = { guards: await loadGuards(), limits: config.limits };
  const [outcome] = atOnce(decide([order], new State(), isoTime(systemClock.nowMs()), rules)).outcomes;
  if (outcome?.kind === 'failed') throw outcome.error;
  if (outcome?.kind === 'rejected') throw new ConfigError(outcome.rejection.message);
}

function inputOf(
  config: Config,
  firstTokens: FirstTokens,
  admin: FirstAdmin | null,
  changes: StartChanges | null,
): PreparationInput {
  const configuredTokens = [
    ...configuredTokensOf('admin', config.initAdminTokens, 'INIT_ADMIN_API_TOKENS'),
    ...configuredTokensOf('client', config.initClientTokens, 'INIT_CLIENT_API_TOKENS'),
    ...configuredTokensOf('frontend', config.initFrontendTokens, 'INIT_FRONTEND_API_TOKENS'),
  ];
  return { configuredTokens, firstTokens, isHashed: config.apiTokenSecrets === 'hashed', admin, changes };
}

function configuredTokensOf(type: ApiTokenType, secrets: readonly string[], variable: string): ConfiguredToken[] {
  return secrets.map((secret, index) => ({ type, secret, source: `${variable}, item ${index + 1}` }));
}

interface PreparationInput {
  readonly configuredTokens: readonly ConfiguredToken[];
  readonly firstTokens: FirstTokens;
  /** Whether the store must contain only hashes of secrets. */
  readonly isHashed: boolean;
  readonly admin: FirstAdmin | null;
  /** Their flags are imported only into a new store. */
  readonly changes: StartChanges | null;
}

interface PreparationResult {
  /** The tokens from the environment that did not exist and were created. */
  readonly created: readonly ApiToken[];
  /** For each token from the environment that was not created: the reason, without the token's text. */
  readonly skippedTokens: readonly string[];
  readonly hasFirstTokens: boolean;
  readonly isAdminCreated: boolean;
  /** Environments that should be switched on and do not exist. */
  readonly missingEnvironments: readonly string[];
  /** The import of `IMPORT_FILE` with the first content; null if the store had content already. */
  readonly imported: ImportResult | null;
}

const NOT_READABLE = new Rejection(
  'ValidationError',
  'This store holds only hashes of token secrets, and nobody can read them back: set API_TOKEN_SECRETS=hashed.',
);

/** This is not a command, because only a start may use it. */
const prepareStore: Decidable<PreparationInput, PreparationResult> = {
  *decide(context, { configuredTokens, firstTokens, isHashed, admin, changes }) {
    const bootstrapResult = bootstrap.decide(context, {});
    if (bootstrapResult instanceof Rejection) return bootstrapResult;
    ensureInstanceId(context);
    const storesHashes = hashesSecrets(context.draft);
    if (storesHashes && !isHashed) return NOT_READABLE;
    const problem = isHashed && !storesHashes ? hashSecrets(context) : undefined;
    if (problem) return problem;
    const created: ApiToken[] = [];
    const skippedTokens: string[] = [];
    for (const token of configuredTokens) {
      const missingScope = bootstrapResult.created ? undefined : missingScopeOf(context.draft, token.secret);
      const outcome = missingScope === undefined ? ensureConfiguredToken(context, token) : undefined;
      if (outcome instanceof Rejection) return new Rejection(outcome.name, `${token.source}: ${outcome.message}`);
      if (missingScope !== undefined) skippedTokens.push(`${token.source}: ${missingScope}`);
      if (outcome) created.push(outcome);
    }
    const createsFirstTokens = bootstrapResult.created && configuredTokens.length === 0;
    if (createsFirstTokens) {
      for (const type of ['admin', 'client', 'frontend'] as const) {
        const environment = type === 'admin' ? ALL : 'development';
        const input = { type, tokenName: `first-${type}`, environment, projects: [ALL], expiresAt: null };
        const outcome = createApiToken.decide(context, { ...input, secret: firstTokens[type] });
        if (outcome instanceof Rejection) return outcome;
      }
    }
    // A generated password is only shown together with the first tokens. Without them, it would stay unknown.
    const isAdminCreated = admin && (admin.isConfigured || createsFirstTokens) ? ensureAdmin(context, admin) : false;
    if (isAdminCreated instanceof Rejection) return isAdminCreated;
    // True also if an earlier try of this process created the tokens, but did not receive the store's answer.
    const hasFirstTokens = tokenOfText(context.draft, firstTokens.admin) !== undefined;
    const missingEnvironments = changes?.switchOn(context) ?? [];
    const imported =
      bootstrapResult.created && changes?.flags
        ? yield* decideInSteps(changes.importFlags, context, changes.flags)
        : null;
    if (imported instanceof Rejection) return new Rejection(imported.name, `IMPORT_FILE: ${imported.message}`);
    return { created, skippedTokens, hasFirstTokens, isAdminCreated, missingEnvironments, imported };
  },
};

/** Says which environment or project of a token's text does not exist in the store. Undefined when all exist, or the text is not a valid token. */
function missingScopeOf(reader: StateReader, secret: string): string | undefined {
  const parsed = parseTokenText(secret, (environment) => reader.get('environments', environment) !== undefined);
  if (parsed instanceof Rejection) return undefined;
  const { environment, projects } = parsed;
  if (environment !== ALL && !reader.get('environments', environment)) {
    return `The environment ${environment} does not exist.`;
  }
  const project = projects.find((id) => id !== ALL && reader.get('projects', id)?.archivedAt !== null);
  return project === undefined ? undefined : `The project ${project} does not exist.`;
}

/** Creates a token from the environment. Undefined when the token exists already. */
function ensureConfiguredToken(
  context: CommandContext,
  { type, secret }: ConfiguredToken,
): ApiToken | Rejection | undefined {
  const { draft } = context;
  const existing = tokenOfText(draft, secret);
  if (existing) {
    if (existing.type === type) return undefined;
    return new Rejection('NameExistsError', `This token exists as a token of the type ${existing.type}.`);
  }
  const parsed = parseTokenText(secret, (environment) => draft.get('environments', environment) !== undefined);
  if (parsed instanceof Rejection) return parsed;
  let tokenName = '';
  // The number only makes the name unique: the order of tokens in the environment may change between starts.
  for (let count = 1; tokenName === '' || isTokenNameTaken(draft, { type, tokenName, ...parsed }); count++) {
    tokenName = `init-${type}-${count}`;
  }
  return createApiToken.decide(context, { type, tokenName, ...parsed, expiresAt: null, secret });
}
