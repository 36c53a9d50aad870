import { expect } from 'vitest';
import type { ContractCase } from '../contract-case.ts';
import { type LegalRequest, refusalsOf, viewerRefused } from './refusals.ts';

const NEXT_CENTURY = '2100-01-01T00:00:00.000Z';

const accountToken: LegalRequest = {
  operation: 'POST /api/admin/service-account/:id/token',
  path: ({ ids }) => `/api/admin/service-account/${ids.account}/token`,
  body: { description: 'for a pipeline', expiresAt: NEXT_CENTURY },
};
const profile: LegalRequest = { operation: 'GET /api/admin/user/profile', path: () => '/api/admin/user/profile' };
const apiTokens: LegalRequest = {
  operation: 'GET /api/admin/projects/:projectId/api-tokens',
  path: () => '/api/admin/projects/default/api-tokens',
};
const searchUsers: LegalRequest = {
  operation: 'GET /api/admin/user-admin/search',
  path: () => '/api/admin/user-admin/search?q=erna',
};
const saml: LegalRequest = {
  operation: 'POST /api/admin/auth/saml/settings',
  path: () => '/api/admin/auth/saml/settings',
  body: { enabled: false },
};

const SEGMENT = 'GET /api/admin/segments/:id';

export const ADMIN_CASES: readonly ContractCase[] = [
  ...[accountToken, profile, apiTokens, searchUsers, saml].flatMap(refusalsOf),
  ...[accountToken, saml].map(viewerRefused),
  {
    operation: accountToken.operation,
    status: 201,
    when: 'a token is made: its secret is told, and opens the service',
    send: (world) => world.send('POST', accountToken.path(world), { body: accountToken.body }),
    async check({ body, headers }, world) {
      expect(headers.get('location')).toContain(`/service-account/${world.ids.account}/token`);
      expect(body).toMatchObject({ description: 'for a pipeline', expiresAt: NEXT_CENTURY, userId: world.ids.account });
      const own = await world.made('GET', '/api/admin/user', { token: body.secret });
      expect(own.body.user).toMatchObject({ username: 'robot' });
      const listed = await world.made('GET', `/api/admin/service-account/${world.ids.account}/token`);
      expect(JSON.stringify(listed.body)).not.toContain(body.secret);
    },
  },
  {
    operation: accountToken.operation,
    status: 409,
    when: 'the account has a token of this description',
    async send(world) {
      const body = { description: 'twice', expiresAt: NEXT_CENTURY };
      await world.made('POST', accountToken.path(world), { body });
      return world.send('POST', accountToken.path(world), { body });
    },
  },
  {
    operation: accountToken.operation,
    status: 404,
    when: 'there is no such account',
    send: (world) => world.send('POST', '/api/admin/service-account/9999/token', { body: accountToken.body }),
  },
  {
    operation: SEGMENT,
    status: 200,
    when: 'it is there, and a flag uses it',
    send: (world) => world.send('GET', `/api/admin/segments/${world.ids.segment}`),
    check: ({ body }, world) =>
      expect(body).toMatchObject({ id: world.ids.segment, name: 'testers', createdBy: 'erna@example.org' }),
  },
  {
    operation: SEGMENT,
    status: 404,
    when: 'there is none',
    send: (world) => world.send('GET', '/api/admin/segments/9999'),
  },
  {
    operation: profile.operation,
    status: 200,
    when: 'a user asks',
    send: (world) => world.send('GET', '/api/admin/user/profile', { token: world.viewerToken }),
    check: ({ body }) => expect(body.rootRole).toMatchObject({ name: 'Viewer' }),
  },
  {
    operation: apiTokens.operation,
    status: 200,
    when: 'tokens reach the project',
    send: (world) => world.send('GET', apiTokens.path(world)),
    check: ({ body }) =>
      expect(body.tokens.map(({ tokenName }: { tokenName: string }) => tokenName)).toEqual(
        expect.arrayContaining(['sdk']),
      ),
  },
  {
    operation: apiTokens.operation,
    status: 404,
    when: 'there is no such project',
    send: (world) => world.send('GET', '/api/admin/projects/nowhere/api-tokens'),
  },
  {
    operation: searchUsers.operation,
    status: 200,
    when: 'names and emails hold the text',
    send: (world) => world.send('GET', searchUsers.path(world)),
    check: ({ body }) => expect(body.users.map(({ name }: { name: string }) => name)).toEqual(['Erna']),
  },
  {
    operation: saml.operation,
    status: 200,
    when: 'it is switched off: nothing else is needed',
    send: (world) => world.send('POST', saml.path(world), { body: { enabled: false, emailDomains: 'example.org' } }),
    check: ({ body }) => expect(body).toMatchObject({ enabled: false, emailDomains: 'example.org' }),
  },
  {
    operation: saml.operation,
    status: 400,
    when: 'it is switched on without what that needs',
    send: (world) => world.send('POST', saml.path(world), { body: { enabled: true, entityId: 'urn:somebody' } }),
  },
];
