import { accepted } from '../../support/admin.ts';
import { personalTokenOf } from '../../support/people.ts';
import type { CallOptions, TestService } from '../../support/service.ts';
import { untilNextMillisecond } from '../../support/until.ts';

/** Tokens of the SDKs of the source. */
export interface SourceTokens {
  readonly client: string;
  readonly mobile: string;
  readonly frontend: string;
}

/** Fills an instance with at least one item of every kind that can be migrated. */
export async function fillSource(service: TestService): Promise<SourceTokens> {
  const call = (operationId: string, options: CallOptions) => accepted(service, operationId, options);
  await call('createEnvironment', {
    body: { name: 'staging', type: 'preproduction', sortOrder: 150, fetchMode: 'streaming' },
  });
  await call('createProject', {
    body: {
      id: 'mobile',
      name: 'Mobile',
      description: 'Apps',
      defaultStickiness: 'userId',
      mode: 'protected',
      environments: ['staging', 'production'],
      featureNaming: { pattern: 'mobile-.*', example: 'mobile-1', description: 'prefixed' },
      linkTemplates: [{ title: 'Ticket', urlTemplate: 'https://example.org/{{feature}}' }],
    },
  });
  await call('addEnvironmentToProject', { params: { projectId: 'default' }, body: { environment: 'staging' } });
  await call('createContextField', {
    body: {
      name: 'plan',
      description: 'Paid',
      stickiness: true,
      legalValues: [{ value: 'gold', description: 'g' }, { value: 'silver' }],
    },
  });
  await call('createTagType', { body: { name: 'team', description: 'Who', icon: 'T', color: '#102030' } });
  await call('createTag', { body: { type: 'team', value: 'nobody-yet' } });
  await call('createStrategy', {
    body: { name: 'byShoeSize', description: 'Custom', parameters: [{ name: 'sizes', type: 'list', required: true }] },
  });
  const segments = await fillSegments(service);
  await fillFlags(service, segments);
  await fillPeople(service);
  await fillSettings(service);
  await fillReviews(service);
  return await fillTokens(service);
}

async function fillSegments(service: TestService): Promise<number[]> {
  const ids: number[] = [];
  const constraints = [
    [{ contextName: 'plan', operator: 'IN', values: ['gold'] }],
    [
      { contextName: 'userId', operator: 'NUM_GT', value: '100' },
      { contextName: 'appName', operator: 'STR_CONTAINS', values: ['web'], caseInsensitive: true },
    ],
    [{ contextName: 'currentTime', operator: 'DATE_AFTER', value: '2026-01-01T00:00:00.000Z', inverted: true }],
  ];
  // One segment is deleted later, so that the ids do not equal the positions.
  const { body: gone } = await accepted(service, 'createSegment', { body: { name: 'gone', constraints: [] } });
  for (const [index, each] of constraints.entries()) {
    const project = index === 1 ? 'mobile' : null;
    const { body } = await accepted(service, 'createSegment', {
      body: { name: `segment-${index}`, description: 'd', constraints: each, project },
    });
    ids.push(body.id);
  }
  await accepted(service, 'removeSegment', { params: { id: gone.id } });
  return ids;
}

async function fillFlags(service: TestService, [gold = 0, web = 0, late = 0]: readonly number[]): Promise<void> {
  const rollout = { name: 'flexibleRollout', parameters: { rollout: '35', stickiness: 'userId', groupId: 'shared' } };
  const variants = [
    { name: 'blue', weight: 300, weightType: 'fix', stickiness: 'userId', payload: { type: 'json', value: '{"a":1}' } },
    { name: 'red', weight: 700, weightType: 'variable', stickiness: 'userId' },
  ];
  const strategiesOf: Readonly<Record<string, readonly (readonly [string, object])[]>> = {
    rollout: [
      ['development', { ...rollout, variants, segments: [gold] }],
      [
        'development',
        { name: 'default', constraints: [{ contextName: 'plan', operator: 'IN', values: ['silver'] }], disabled: true },
      ],
      ['production', { ...rollout, title: 'Careful', segments: [gold, late] }],
    ],
    custom: [['staging', { name: 'byShoeSize', parameters: { sizes: '41,42' } }]],
    parent: [['development', { name: 'default' }]],
    child: [['development', rollout]],
    'mobile-one': [['production', { name: 'userWithId', parameters: { userIds: '7,8' }, segments: [web] }]],
    'put-away': [['development', rollout]],
    ['__proto__']: [['development', { name: 'default' }]],
  };
  for (const [featureName, strategies] of Object.entries(strategiesOf)) {
    const projectId = featureName.startsWith('mobile') ? 'mobile' : 'default';
    await accepted(service, 'createFeature', {
      params: { projectId },
      body: {
        name: featureName,
        type: 'experiment',
        description: `About ${featureName}`,
        impressionData: featureName === 'child',
      },
    });
    for (const [environment, body] of strategies) {
      const params = { projectId, featureName, environment };
      await accepted(service, 'addFeatureStrategy', { params, body });
      await accepted(service, 'toggleFeatureEnvironmentOn', { params });
    }
  }
  const of = (featureName: string) => ({ projectId: 'default', featureName });
  await accepted(service, 'addTag', { params: { featureName: 'rollout' }, body: { type: 'team', value: 'checkout' } });
  await accepted(service, 'addFeatureLink', {
    params: of('rollout'),
    body: { url: 'https://example.org/1', title: 'Ticket' },
  });
  await accepted(service, 'addFeatureDependency', {
    params: { projectId: 'default', child: 'child' },
    body: { feature: 'parent', enabled: true },
  });
  await accepted(service, 'overwriteFeatureVariants', {
    params: of('parent'),
    body: [
      { name: 'one', weight: 1_000, weightType: 'variable', overrides: [{ contextName: 'userId', values: ['9'] }] },
    ],
  });
  await accepted(service, 'archiveFeature', { params: of('put-away') });
  await accepted(service, 'addDefaultStrategyToProjectEnvironment', {
    params: { projectId: 'mobile', environment: 'staging' },
    body: {
      name: 'flexibleRollout',
      parameters: { rollout: '10', stickiness: 'default', groupId: '' },
      segments: [web],
    },
  });
}

async function fillPeople(service: TestService): Promise<void> {
  const { body: ann } = await accepted(service, 'createUser', {
    body: { email: 'ann@example.org', name: 'Ann', rootRole: 3 },
  });
  const permissions = [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' }];
  const { body: role } = await accepted(service, 'createRole', {
    body: { name: 'Switcher', description: 'Switches', permissions },
  });
  await accepted(service, 'createGroup', {
    body: { name: 'Testers', description: 'They test', users: [{ user: { id: ann.id } }] },
  });
  const params = { projectId: 'mobile', id: ann.id };
  await accepted(service, 'setRolesForProjectUser', { params, body: { roles: [role.roles.id] } });
  const token = await personalTokenOf(service, ann.id);
  const of = (projectId: string, featureName: string) => ({ params: { projectId, featureName }, token });
  await accepted(service, 'addFavoriteFeature', of('default', 'rollout'));
  await accepted(service, 'addFavoriteFeature', of('default', 'parent'));
  await accepted(service, 'removeFavoriteFeature', of('default', 'parent'));
  await accepted(service, 'addFavoriteProject', { params: { projectId: 'mobile' }, token });
}

async function fillSettings(service: TestService): Promise<void> {
  await accepted(service, 'updateFeatureTypeLifetime', { params: { id: 'experiment' }, body: { lifetimeDays: 14 } });
  await accepted(service, 'setCors', { body: { frontendApiOrigins: ['https://shop.example.org'] } });
  await accepted(service, 'createBanner', {
    body: { message: '**Freeze** on Friday', enabled: false, link: 'https://example.org/freeze' },
  });
  // Banners with the same text differ only in when they were created.
  await untilNextMillisecond();
  await accepted(service, 'createBanner', {
    body: { message: '**Freeze** on Friday', variant: 'warning', sticky: true, link: 'https://example.org/freeze' },
  });
}

/** An environment where a change needs two approvals, and an open change request. */
async function fillReviews(service: TestService): Promise<void> {
  const params = { projectId: 'mobile', environment: 'production' };
  const body = { changeRequestsEnabled: true, requiredApprovals: 2 };
  await accepted(service, 'updateProjectChangeRequestConfig', { params, body });
  await accepted(service, 'createChangeRequest', {
    params,
    body: { feature: 'mobile-one', action: 'updateEnabled', payload: { enabled: false } },
  });
}

async function fillTokens(service: TestService): Promise<SourceTokens> {
  const make = async (body: object) => (await accepted(service, 'createApiToken', { body })).body.secret as string;
  return {
    client: await make({ tokenName: 'server', type: 'backend', environment: 'development', projects: ['*'] }),
    mobile: await make({
      tokenName: 'app',
      type: 'client',
      environment: 'production',
      projects: ['mobile', 'default'],
      expiresAt: '2090-01-01T00:00:00.000Z',
    }),
    frontend: await make({ tokenName: 'page', type: 'frontend', environment: 'development', projects: ['default'] }),
  };
}
