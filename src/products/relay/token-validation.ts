import type { Static } from 'typebox';
import Type from 'typebox';
import { parseJson } from '../../base/json-text.ts';
import { Rejection } from '../../base/rejection.ts';
import { validate } from '../../base/validation.ts';
import { LIST_UNDECIDED, UNDECIDED_HEADER } from '../../features/instance/operations/edge-routes.ts';
import { Nullable } from '../../model/primitives.ts';
import { TOKEN_LENGTH_MAX } from '../../model/token-secret.ts';
import type { SourceToken } from '../mirror/mirror-tokens.ts';
import type { Upstream } from './upstream.ts';
import { UpstreamError } from './upstream-error.ts';

/** Maximum number of tokens in one validation request: every upstream accepts it, and the answer is small. */
export const VALIDATED_TOKENS_MAX = 200;

/** Upstream's answer about a token; Edge stores it in the same form. */
export const TokenAnswer = Type.Object({
  token: Type.String(),
  type: Type.Optional(Nullable(Type.String())),
  projects: Type.Optional(Nullable(Type.Array(Type.String()))),
  environment: Type.Optional(Nullable(Type.String())),
});

const Answer = Type.Object({ tokens: Type.Array(TokenAnswer), undecided: Type.Optional(Type.Array(Type.String())) });

/** What upstream answers about some tokens. Tokens in neither list do not exist. */
interface TokensAnswer {
  readonly valid: readonly SourceToken[];
  /** Tokens that may exist: upstream cannot decide about them now. Only Burgee sends them. */
  readonly undecided: readonly string[];
}

/** Whether the text has the form of a token: `project:environment.secret`. Only such texts are sent for validation. */
export function isTokenText(text: string): boolean {
  return text.length <= TOKEN_LENGTH_MAX && /^[^\s:]+:[^\s:.]+\.\S+$/.test(text);
}

const SECURE_TOKEN = /^[^\s:]+:[^\s:]+\.v\d+_([\w-]{22})_[\w-]+$/;

/**
 * The part of a token by which Unleash finds it: the only part that its list shows of a token with `secure: true`. Undefined if the text does not have
 * the form of such a token. Burgee creates no tokens of this form.
 */
export function selectorOf(text: string): string | undefined {
  return text.length <= TOKEN_LENGTH_MAX ? SECURE_TOKEN.exec(text)?.[1] : undefined;
}

/** The public part of a token: projects and environment; the rest is secret. Nothing is shown of a token without this part. */
export function beginningOf(secret: string): string {
  return `${/^[^\s:@]+:[^\s:.@]+\./.exec(secret)?.[0] ?? ''}…`;
}

/** The scope in the text of a token. The environment ends at the first dot. Null when the text does not contain the projects. */
function detailsOfText(secret: string, type: SourceToken['type']): SourceToken | null {
  const match = /^([^\s:]+):([^\s:.]+)\.\S+$/.exec(secret);
  const [, project = '', environment = ''] = match ?? [];
  return match && project !== '[]' ? { secret, type, environment, projects: [project] } : null;
}

/** Requests from upstream which of these tokens exist, and their scopes. @throws UpstreamError when the answer is not valid */
export async function validateTokens(upstream: Upstream, secrets: readonly string[]): Promise<TokensAnswer> {
  const headers = { [UNDECIDED_HEADER]: LIST_UNDECIDED };
  const answer = await upstream.ask({ method: 'POST', path: '/edge/validate', headers, body: { tokens: secrets } });
  if (answer.status !== 200)
    throw new UpstreamError(`upstream answered the validation of tokens with ${answer.status}`);
  const parsed = parseJson(answer.body);
  const problem = parsed instanceof Rejection ? parsed : validate(Answer, parsed.value, 'answer');
  if (parsed instanceof Rejection || problem)
    throw new UpstreamError(`the answer of upstream about tokens is not valid: ${problem?.message}`);
  const { tokens, undecided = [] } = parsed.value as Static<typeof Answer>;
  const requestedSecrets = new Set(secrets);
  return {
    valid: tokens.flatMap((answered) => (requestedSecrets.has(answered.token) ? (detailsOf(answered) ?? []) : [])),
    undecided: undecided.filter((secret) => requestedSecrets.has(secret)),
  };
}

/** The scope and type of a token in upstream's answer. Null for admin tokens, which a relay does not accept, and for tokens without a scope. */
export function detailsOf(answered: Static<typeof TokenAnswer>): SourceToken | null {
  const type = answered.type?.toLowerCase() ?? '';
  if (type !== 'frontend' && type !== 'client' && type !== 'backend') return null;
  const knownType = type === 'frontend' ? 'frontend' : 'client';
  const textDetails = detailsOfText(answered.token, knownType);
  const environment = answered.environment ?? textDetails?.environment ?? /:([^.]+)\./.exec(answered.token)?.[1];
  const projects = answered.projects?.length ? answered.projects : textDetails?.projects;
  if (!environment || !projects || environment === '*') return null;
  return { secret: answered.token, type: knownType, environment, projects };
}
