import Type from 'typebox';
import { listAnswer } from '../../../http/answer.ts';
import { ApiToken, shownType } from '../../../model/api-token.ts';
import { routesOf } from '../../endpoint.ts';
import { answeredFields } from '../../shared/entity-fields.ts';
import { tokenProblem } from '../commands.ts';
import { ApiTokenSchema } from '../schemas.ts';

const route = routesOf('API tokens');

const ExpiringToken = Type.Object(
  {
    ...answeredFields(ApiToken, 'tokenName'),
    type: ApiTokenSchema.properties.type,
    ...answeredFields(ApiToken, 'environment', 'projects', 'seenAt'),
    expiresAt: Type.String({ format: 'date-time', description: 'When the token expires' }),
    days: Type.Integer({ description: 'The token expires within so many days: 1 or 7' }),
  },
  { $id: 'expiringApiToken' },
);

const listExpiring = route('GET /api/admin/expiring-api-tokens', 'getExpiringApiTokens', {
  access: {
    permission: ['READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN', 'READ_PROJECT_API_TOKEN'],
    project: 'entity.apiTokens',
  },
  summary: 'Tokens in use that expire within seven days, without their secrets, if the caller may read them',
  description:
    'Tokens that were never used are left out, and so are those that were created for seven days or less, until one day before their expiry. A token ' +
    'whose expiry time was changed appears after at most an hour.',
  responses: {
    200: {
      description: 'The tokens',
      schema: Type.Object({ tokens: Type.Array(ExpiringToken) }, { $id: 'expiringApiTokens' }),
    },
  },
  handle: ({ caller, asker }, { fixedStates, tokenExpiry }) => {
    const state = fixedStates.until(asker);
    function* readable() {
      for (const each of tokenExpiry.tokens())
        yield tokenProblem({ draft: state, caller }, 'READ', each.token) === undefined ? each : undefined;
    }
    return listAnswer({}, 'tokens', readable(), ({ token, days }) => {
      const { tokenName, environment, projects, seenAt, expiresAt } = token;
      return { tokenName, type: shownType(token), environment, projects, seenAt, expiresAt, days };
    });
  },
});

export const expiringTokenEndpoints = [listExpiring];
