import { ROLE_ID } from '../../../src/model/role.ts';
import { accepted, flag, prepare, switchedOn } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import type { TestService } from '../../support/service.ts';

/** Who switched the flag off. */
export const CULPRIT = { id: 200, email: 'bea@example.org' } as const;
/** Who gets access. */
export const NEWCOMER = { id: 201, name: 'Nils Berg' } as const;

/** The flags of the jobs. */
export const FLAGS = {
  switchedOff: 'checkout',
  promoted: 'search',
  stale: 'old-banner',
  scheduled: 'summer-sale',
  explained: 'prices',
} as const;

/** More commits than the home screen shows: what was switched off is not on it any more. */
const LATER_COMMITS = 20;

/** What the jobs begin with. */
export async function prepareJobs(service: TestService): Promise<void> {
  await accepted(service, 'createContextField', { body: { name: 'country' } });
  await putUser(service, NEWCOMER.id, { name: NEWCOMER.name, rootRole: ROLE_ID.viewer });
  await prepare(service, (draft) => {
    const on = switchedOn('production');
    const constraint = { contextName: 'country', operator: 'IN' as const, values: ['NO'] };
    const strategies = on.strategies.map((one) => ({ ...one, constraints: [constraint] }));
    draft.put('features', flag(FLAGS.switchedOff, { environments: [on] }));
    draft.put('features', flag(FLAGS.promoted, { environments: [switchedOn('development')] }));
    draft.put('features', flag(FLAGS.stale, { stale: true }));
    draft.put('features', flag(FLAGS.scheduled));
    draft.put('features', flag(FLAGS.explained, { environments: [{ ...on, strategies }] }));
  });
  await switchOff(service, FLAGS.switchedOff);
  const params = { projectId: 'default', featureName: FLAGS.scheduled };
  for (let count = 0; count < LATER_COMMITS; count++)
    await accepted(service, 'updateFeature', { params, body: { description: `Text ${count}` } });
}

async function switchOff(service: TestService, featureName: string): Promise<void> {
  await putUser(service, CULPRIT.id, { email: CULPRIT.email, rootRole: ROLE_ID.admin });
  const headers = await browserOf(service, CULPRIT.id);
  const params = { projectId: 'default', featureName, environment: 'production' };
  await accepted(service, 'toggleFeatureEnvironmentOff', { params, headers, token: null });
}
