import type { Static } from 'typebox';
import Type from 'typebox';
import { parseJson } from '../../base/json-text.ts';
import { Rejection } from '../../base/rejection.ts';
import { validate } from '../../base/validation.ts';
import { Nullable } from '../../model/primitives.ts';
import { TOKEN_LENGTH_MAX } from '../../model/token-secret.ts';
import type { SourceToken } from '../mirror/mirror-tokens.ts';
import type { Upstream } from './upstream.ts';
import { UpstreamError } from './upstream-error.ts';

/** Tokens that upstream is asked about in one request: what every upstream takes, and an answer of them is no work to read. */
export const ASKED_MAX = 200;

/** What upstream says of a token; Edge keeps the same. */
export const TokenAnswer = Type.Object({
  token: Type.String(),
  type: Type.Optional(Nullable(Type.String())),
  projects: Type.Optional(Nullable(Type.Array(Type.String()))),
  environment: Type.Optional(Nullable(Type.String())),
});

const Answer = Type.Object({ tokens: Type.Array(TokenAnswer) });

/** What a token looks like: `project:environment.secret`. Upstream is not asked about anything else. */
export function isTokenText(text: string): boolean {
  return text.length <= TOKEN_LENGTH_MAX && /^[^\s:]+:[^\s:.]+\.\S+$/.test(text);
}

/** The beginning of a token says what it is for; the rest is secret. Nothing is shown of a token without such a beginning. */
export function beginningOf(secret: string): string {
  return `${/^[^\s:@]+:[^\s:.@]+\./.exec(secret)?.[0] ?? ''}…`;
}

/** What the text of a token says of itself; null when it does not say which projects. The environment ends at the first dot. */
function factsOfText(secret: string, type: SourceToken['type']): SourceToken | null {
  const match = /^([^\s:]+):([^\s:.]+)\.\S+$/.exec(secret);
  const [, project = '', environment = ''] = match ?? [];
  return match && project !== '[]' ? { secret, type, environment, projects: [project] } : null;
}

/** Asks upstream which of these tokens exist, and what they are for. @throws UpstreamError when it does not say */
export async function askAboutTokens(upstream: Upstream, secrets: readonly string[]): Promise<SourceToken[]> {
  const answer = await upstream.ask({ method: 'POST', path: '/edge/validate', body: { tokens: secrets } });
  if (answer.status !== 200) throw new UpstreamError(`it answered ${answer.status} when it was asked about tokens`);
  const parsed = parseJson(answer.body);
  const problem = parsed instanceof Rejection ? parsed : validate(Answer, parsed.value, 'answer');
  if (parsed instanceof Rejection || problem)
    throw new UpstreamError(`it was asked about tokens, and answered something else: ${problem?.message}`);
  const { tokens } = parsed.value as Static<typeof Answer>;
  const asked = new Set(secrets);
  return tokens.flatMap((sent) => (asked.has(sent.token) ? (factsOf(sent) ?? []) : []));
}

/** Null of admin tokens, which open nothing here, and of those that do not say what they see. */
export function factsOf(sent: Static<typeof TokenAnswer>): SourceToken | null {
  const type = sent.type?.toLowerCase() ?? '';
  if (type !== 'frontend' && type !== 'client' && type !== 'backend') return null;
  const known = type === 'frontend' ? 'frontend' : 'client';
  const said = factsOfText(sent.token, known);
  const environment = sent.environment ?? said?.environment ?? /:([^.]+)\./.exec(sent.token)?.[1];
  const projects = sent.projects?.length ? sent.projects : said?.projects;
  if (!environment || !projects || environment === '*') return null;
  return { secret: sent.token, type: known, environment, projects };
}
