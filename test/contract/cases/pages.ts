import { expect } from 'vitest';
import { ADMIN_TOKEN } from '../../support/service.ts';
import type { ContractCase } from '../contract-case.ts';
import { type LegalRequest, refusalsOf, viewerRefused } from './refusals.ts';

const createBanner: LegalRequest = {
  operation: 'POST /api/admin/banners',
  path: () => '/api/admin/banners',
  body: { message: 'Sale on **Friday**' },
};
const clone: LegalRequest = {
  operation: 'POST /api/admin/environments/:name/clone',
  path: () => '/api/admin/environments/development/clone',
  body: { name: 'cloned', type: 'test' },
};
const bannerOn: LegalRequest = {
  operation: 'POST /api/admin/banners/:id/on',
  path: () => '/api/admin/banners/1/on',
};
const splash: LegalRequest = {
  operation: 'POST /api/admin/splash/:id',
  path: () => '/api/admin/splash/welcome',
  asUser: true,
};
const feedback: LegalRequest = {
  operation: 'PUT /api/admin/feedback/:id',
  path: () => '/api/admin/feedback/colours',
  body: { neverShow: true },
  asUser: true,
};

export const PAGE_CASES: readonly ContractCase[] = [
  ...[createBanner, bannerOn, clone, splash, feedback].flatMap(refusalsOf),
  ...[createBanner, bannerOn].map(viewerRefused),
  {
    operation: createBanner.operation,
    status: 201,
    when: 'only a message is given: the rest is as the contract says',
    async send(world) {
      const before = (await world.made('POST', '/api/admin/banners', { body: { message: 'first', enabled: false } }))
        .body;
      const answer = await world.send('POST', '/api/admin/banners', { body: createBanner.body });
      expect(answer.body.id).toBeGreaterThan(before.id);
      return answer;
    },
    check({ body, headers }) {
      expect(headers.get('location')).toMatch(new RegExp(`/banners/${body.id}$`));
      expect(body).toMatchObject({ message: 'Sale on **Friday**', enabled: true, variant: 'info', sticky: false });
    },
  },
  {
    operation: createBanner.operation,
    status: 400,
    when: 'there is no message',
    send: (world) => world.send('POST', '/api/admin/banners', { body: { variant: 'info' } }),
  },
  {
    operation: bannerOn.operation,
    status: 200,
    when: 'it was off',
    async send(world) {
      const made = await world.made('POST', '/api/admin/banners', { body: { message: 'soon', enabled: false } });
      expect(made.body.enabled).toBe(false);
      return world.send('POST', `/api/admin/banners/${made.body.id}/on`);
    },
    check: ({ body }) => expect(body).toMatchObject({ message: 'soon', enabled: true }),
  },
  {
    operation: bannerOn.operation,
    status: 404,
    when: 'there is no such banner',
    send: (world) => world.send('POST', '/api/admin/banners/9999/on'),
  },
  {
    operation: clone.operation,
    status: 200,
    when: 'the copy takes a project with it: flags are there as they were',
    async send(world) {
      const body = { name: 'like-development', type: 'test', projects: ['default'] };
      const answer = await world.send('POST', '/api/admin/environments/development/clone', { body });
      const flag = (await world.made('GET', '/api/admin/projects/default/features/shop')).body;
      const copied = flag.environments.find(({ name }: { name: string }) => name === 'like-development');
      expect(copied).toMatchObject({ enabled: true, strategies: [{ name: 'flexibleRollout' }] });
      expect(copied.variants.map(({ name }: { name: string }) => name)).toEqual(['blue', 'red']);
      return answer;
    },
    check: ({ body }) => expect(body).toMatchObject({ name: 'like-development', type: 'test' }),
  },
  {
    operation: clone.operation,
    status: 400,
    when: 'the new name is missing',
    send: (world) => world.send('POST', '/api/admin/environments/development/clone', { body: { type: 'test' } }),
  },
  {
    operation: 'GET /api/admin/ui-config',
    status: 200,
    when: 'somebody asks',
    send: (world) => world.send('GET', '/api/admin/ui-config'),
    check: ({ body }) => expect(body.resourceLimits.featureFlags).toBeGreaterThan(0),
  },
  {
    operation: splash.operation,
    status: 200,
    when: 'a user has seen it: their own page tells so from then on',
    async send(world) {
      const answer = await world.send('POST', '/api/admin/splash/welcome', { token: world.userToken });
      const me = await world.made('GET', '/api/admin/user', { token: world.userToken });
      expect(me.body.splash).toMatchObject({ welcome: true });
      return answer;
    },
    check: ({ body }, world) => expect(body).toEqual({ userId: world.userId, splashId: 'welcome', seen: true }),
  },
  {
    operation: splash.operation,
    status: 400,
    when: 'the token identifies no user',
    send: (world) => world.send('POST', '/api/admin/splash/welcome', { token: ADMIN_TOKEN }),
  },
  {
    operation: feedback.operation,
    status: 200,
    when: 'one field is given: the other stays',
    async send(world) {
      const given = '2026-01-31T12:00:00.000Z';
      const path = '/api/admin/feedback/colours';
      await world.made('PUT', path, { body: { given }, token: world.userToken });
      const answer = await world.send('PUT', path, { body: { neverShow: true }, token: world.userToken });
      expect(answer.body).toMatchObject({ given, neverShow: true, feedbackId: 'colours', userId: world.userId });
      return answer;
    },
  },
  {
    operation: feedback.operation,
    status: 400,
    when: 'the token identifies no user',
    send: (world) => world.send('PUT', '/api/admin/feedback/colours', { body: { neverShow: true } }),
  },
  {
    operation: feedback.operation,
    status: 400,
    when: 'a field is no boolean',
    send: (world) =>
      world.send('PUT', '/api/admin/feedback/colours', { body: { neverShow: 'maybe' }, token: world.userToken }),
  },
];
