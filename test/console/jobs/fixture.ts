import { ROLE_ID } from '../../../src/model/role.ts';
import { accepted, flag, prepare, switchedOn } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import type { TestService } from '../../support/service.ts';

/** Who switched the flag off. */
export const PERSON = 'bea@example.org';
const PERSON_ID = 200;

/** Why the flag is off for user 42. */
export const LEFT_BY = 'country';

export interface JobFixture {
  readonly names: Readonly<
    Record<
      'created' | 'switchedOff' | 'promoted' | 'person' | 'token' | 'stale' | 'scheduled' | 'template' | 'explained',
      string
    >
  >;
}

/** More commits than the home screen shows: what was switched off is not on it any more. */
const LATER_COMMITS = 20;

/** What the jobs begin with. `as`: part of all names, so that several runs share a service. */
export async function prepareJobs(service: TestService, as: string, personId: number): Promise<JobFixture> {
  const names = {
    created: as,
    switchedOff: `checkout-${as}`,
    promoted: `search-${as}`,
    person: `New Person ${as}`,
    token: `shop ${as}`,
    stale: `old-${as}`,
    scheduled: `banner-${as}`,
    template: `Slow ${as}`,
    explained: `prices-${as}`,
  };
  if (!service.running.services.state.get('contextFields', LEFT_BY))
    await accepted(service, 'createContextField', { body: { name: LEFT_BY } });
  await putUser(service, personId, { name: names.person, rootRole: ROLE_ID.viewer });
  await prepare(service, (draft) => {
    const { switchedOff, promoted, stale, scheduled, explained } = names;
    draft.put('features', flag(switchedOff, { environments: [switchedOn('production')] }));
    draft.put('features', flag(promoted, { environments: [switchedOn('development')] }));
    draft.put('features', flag(stale, { stale: true }));
    draft.put('features', flag(scheduled));
    const on = switchedOn('production');
    const constraint = { contextName: LEFT_BY, operator: 'IN' as const, values: ['NO'] };
    const strategies = on.strategies.map((one) => ({ ...one, constraints: [constraint] }));
    draft.put('features', flag(explained, { environments: [{ ...on, strategies }] }));
  });
  await switchOff(service, names.switchedOff);
  for (let count = 0; count < LATER_COMMITS; count++) {
    const params = { projectId: 'default', featureName: names.scheduled };
    await accepted(service, 'updateFeature', { params, body: { description: `Text ${count}` } });
  }
  return { names };
}

async function switchOff(service: TestService, featureName: string): Promise<void> {
  await putUser(service, PERSON_ID, { email: PERSON, name: 'Bea', rootRole: ROLE_ID.admin });
  const headers = await browserOf(service, PERSON_ID);
  const params = { projectId: 'default', featureName, environment: 'production' };
  await accepted(service, 'toggleFeatureEnvironmentOff', { params, headers, token: null });
}
