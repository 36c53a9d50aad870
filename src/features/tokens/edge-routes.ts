import Type from 'typebox';
import { invalid } from '../../base/rejection.ts';
import { ok } from '../../http/answer.ts';
import { normalProjects } from '../../model/project-list.ts';
import { routesOf } from '../endpoint.ts';
import { change } from '../shared/change.ts';
import { ISSUED_MAX, issueTokens, WantedScope } from './issue-tokens.ts';
import { newSecret } from './secret.ts';

const route = routesOf('Edge');

/** Of all scopes of a request together. */
const NAMES_MAX = 5_000;

const IssuedToken = Type.Object({
  token: Type.String({ description: 'The whole text of the token' }),
  type: Type.String({ description: 'Always `client`' }),
  projects: Type.Array(Type.String(), { description: 'Ids of its projects; `*` for all' }),
  environment: Type.String({ description: 'Its environment' }),
});

const issue = route('POST /edge/issue-token', 'issueEdgeTokens', {
  access: {
    permission: ['CREATE_CLIENT_API_TOKEN', 'CREATE_PROJECT_API_TOKEN'],
    project: 'body.tokens',
  },
  summary: 'Returns client tokens for environments and projects, and creates those that do not exist',
  description:
    'For relays that are set up without tokens. The same request returns the same tokens. If secrets are hashed (`API_TOKEN_SECRETS=hashed`), the texts ' +
    'of earlier tokens are not known, and every request creates new tokens; so does a request of a caller who may not read client tokens. The caller ' +
    'needs the permission to create client tokens in all of the projects: send a personal token, or a token of a service account.',
  hasSecrets: true,
  body: Type.Object(
    {
      tokens: Type.Array(WantedScope, {
        maxItems: ISSUED_MAX,
        description: 'The scopes: a client token is returned for each of them, in the same order',
      }),
    },
    { $id: 'tokensToIssue' },
  ),
  responses: {
    200: { description: 'The tokens', schema: Type.Object({ tokens: Type.Array(IssuedToken) }) },
  },
  errors: [409],
  handle({ body, caller }, services) {
    const names = body.tokens.reduce((count, { projects }) => count + projects.length, 0);
    if (names > NAMES_MAX) return invalid(`One request names at most ${NAMES_MAX} projects.`, '/tokens');
    const tokens = body.tokens.map(({ environment, projects }) => ({
      environment,
      projects,
      secret: newSecret(normalProjects(projects), environment),
    }));
    return change(services, caller, issueTokens, { tokens }, (issued) =>
      ok({
        tokens: issued.map(({ token: { type, projects, environment }, text }) => ({
          token: text,
          type,
          projects,
          environment,
        })),
      }),
    );
  },
});

export const edgeTokenEndpoints = [issue];
