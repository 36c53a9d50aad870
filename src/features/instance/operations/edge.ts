import Type from 'typebox';
import { networkOf } from '../../../base/network/caller-network.ts';
import { ok } from '../../../http/answer.ts';
import { NOT_KNOWN_YET } from '../../../http/authentication.ts';
import { routesOf } from '../../endpoint.ts';
import { INSTANCE_LIMITS } from '../limits.ts';

const route = routesOf('Edge');

const ValidatedToken = Type.Object({
  token: Type.String({ description: 'The whole text of the token' }),
  type: Type.String({ description: '`client` or `frontend`' }),
  projects: Type.Array(Type.String(), { description: 'Ids of its projects; `*` for all' }),
  environment: Type.String({ description: 'Its environment; `*` for all' }),
});

const validateTokens = route('POST /edge/validate', 'getValidTokens', {
  access: { permission: 'NONE' },
  summary: 'Which of these tokens are valid, and their scopes',
  description:
    'Relays call this operation to check the tokens of their callers. Unknown and expired tokens are left out. Admin tokens are left out, too, ' +
    'because no SDK uses them.',
  hasSecrets: true,
  body: Type.Object(
    {
      tokens: Type.Array(Type.String(), {
        maxItems: INSTANCE_LIMITS.reportTokens.max,
        description: 'The whole texts of the tokens',
      }),
    },
    { $id: 'tokensToValidate' },
  ),
  responses: {
    200: { description: 'The valid tokens', schema: Type.Object({ tokens: Type.Array(ValidatedToken) }) },
  },
  errors: [503],
  async handle({ body, remoteAddress }, { tokens, membership, tokenAdoption }) {
    const valid = [];
    const texts = new Set(body.tokens);
    if (tokenAdoption) {
      const unknown = [...texts].filter((text) => tokenAdoption.mayKnow(text) && !tokens.find(text));
      const network = networkOf(remoteAddress, 48);
      const problems = await Promise.all(unknown.map((text) => tokenAdoption.adopt(text, network)));
      const problem = problems.find((each) => each !== undefined);
      if (problem) return problem;
    }
    for (const text of texts) {
      const { token } = tokens.find(text) ?? {};
      // A relay rejects the callers of a token that is left out, so do not leave out a token that may exist.
      if (!token && membership?.mayBeBehind) return NOT_KNOWN_YET;
      if (!token || token.type === 'admin') continue;
      const { type, projects, environment } = token;
      valid.push({ token: text, type, projects, environment });
    }
    return ok({ tokens: valid });
  },
});

export const edgeEndpoints = [validateTokens];
