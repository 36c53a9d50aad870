import Type, { type Static } from 'typebox';
import { Rejection, withPathPrefix } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, longCommand } from '../../engine/command.ts';
import type { ApiToken } from '../../model/api-token.ts';
import { PROJECT_LIMITS } from '../../model/limits/projects.ts';
import { NameReference } from '../../model/primitives.ts';
import { normalProjects } from '../../model/project-list.ts';
import { hashesSecrets } from '../../state/dropped-secrets.ts';
import { addToken, tokenProblem } from './commands.ts';

/** The name of the tokens that `/edge/issue-token` creates. They are found again by it. */
const ISSUED_NAME = 'issued-for-relays';

/** Maximum number of tokens in one request. */
export const ISSUED_MAX = 100;

/** The scope of a token that a relay needs. */
export const WantedScope = Type.Object({
  environment: NameReference,
  projects: Type.Array(NameReference, { minItems: 1, maxItems: PROJECT_LIMITS.projects.max }),
});

const IssueTokensInput = Type.Object({
  tokens: Type.Array(
    Type.Object({
      ...WantedScope.properties,
      /** The text of the token if one is created. Generated outside the command, because commands contain no randomness. */
      secret: Type.String(),
    }),
    { maxItems: ISSUED_MAX },
  ),
});
type IssueTokensInput = Static<typeof IssueTokensInput>;

/** A token, and its whole text, which is not the stored form if secrets are hashed. */
interface IssuedToken {
  readonly token: ApiToken;
  readonly text: string;
}

/**
 * Returns a client token for each scope: one that this command created before, if it has not expired, its text is stored and the caller may read it,
 * otherwise a new one. All tokens are returned, or none is created. The caller needs the permission to create such tokens.
 */
export const issueTokens = longCommand({
  name: 'issue-tokens',
  input: IssueTokensInput,
  *decide(context, { tokens }): Steps<readonly IssuedToken[] | Rejection> {
    const issued: IssuedToken[] = [];
    for (const [index, wanted] of tokens.entries()) {
      const one = yield* issue(context, wanted);
      if (one instanceof Rejection) return withPathPrefix(one, `/tokens/${index}`);
      issued.push(one);
      yield;
    }
    return issued;
  },
});

function* issue(context: CommandContext, wanted: IssueTokensInput['tokens'][number]): Steps<IssuedToken | Rejection> {
  const { draft, caller } = context;
  const scope = { environment: wanted.environment, projects: normalProjects(wanted.projects) };
  const mayRead = tokenProblem({ draft, caller }, 'READ', { type: 'client', projects: scope.projects }) === undefined;
  const known = mayRead && !hashesSecrets(draft) ? yield* findIssued(context, scope) : undefined;
  const problem = tokenProblem({ draft, caller }, 'CREATE', { type: 'client', projects: scope.projects });
  if (problem) return problem;
  if (known) return { token: known, text: known.secret };
  const { secret } = wanted;
  const created = addToken(context, { type: 'client', tokenName: ISSUED_NAME, ...scope, expiresAt: null, secret });
  return created instanceof Rejection ? created : { token: created, text: secret };
}

function* findIssued(
  { draft, now }: CommandContext,
  { environment, projects }: Static<typeof WantedScope>,
): Steps<ApiToken | undefined> {
  const key = projects.join(',');
  for (const token of draft.lookup('tokensByName', ISSUED_NAME)) {
    yield;
    const mayBeSame = token.environment === environment && token.projects.length === projects.length;
    const isSame = mayBeSame && token.type === 'client' && token.projects.join(',') === key;
    if (isSame && (token.expiresAt === null || token.expiresAt > now)) return token;
  }
  return undefined;
}
