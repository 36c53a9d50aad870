import Type from 'typebox';
import { isoTime } from '../../base/clock.ts';
import { convertedInSteps } from '../../base/converted.ts';
import { Rejection } from '../../base/rejection.ts';
import { ok } from '../../http/answer.ts';
import type { FeatureEnvironment } from '../../model/feature.ts';
import { DateTime, Nullable } from '../../model/primitives.ts';
import { routesOf } from '../endpoint.ts';
import { findFeatureLocation } from '../flags/environments/settings.ts';
import { presentSafeguard } from '../flags/plans/present.ts';
import { SafeguardSchema } from '../flags/plans/schemas.ts';
import { accessAtEnvironment, ENVIRONMENT, locationOf } from '../release-plans/plans/at-environment.ts';
import { removeSafeguard, setSafeguard, unnamedPrometheusProblem } from '../release-plans/plans/safeguards.ts';
import { SafeguardBody } from '../release-plans/plans/schemas.ts';
import type { Services } from '../services.ts';
import { change } from '../shared/change.ts';

const route = routesOf('Features', { mend: convertedInSteps });

const SAFEGUARDS = `${ENVIRONMENT}/safeguards` as const;

const CheckSchema = Type.Object(
  {
    safeguardId: Type.String({ description: 'Id of the safeguard' }),
    checkedAt: Type.String({ ...DateTime, description: 'When this replica last compared it' }),
    value: Nullable(Type.Number({ description: 'The value that was compared; null if there was none' })),
    problem: Nullable(Type.String({ description: 'Why nothing was compared' })),
  },
  { $id: 'safeguardCheckSchema' },
);

const FlagSafeguardsSchema = Type.Object(
  {
    safeguards: Type.Array(SafeguardSchema, { description: 'What switches the flag off in the environment by itself' }),
    checks: Type.Array(CheckSchema, {
      description: 'The last comparison of these safeguards and of those of the release plan, if there was one',
    }),
  },
  { $id: 'featureEnvironmentSafeguardsSchema' },
);

function checksOf(name: string, config: FeatureEnvironment, { safeguardWatch }: Services) {
  const all = [...(config.safeguards ?? []), ...(config.releasePlan?.safeguards ?? [])];
  return all.flatMap(({ id: safeguardId }) => {
    const check = safeguardWatch.lastCheck(name, config.environment, safeguardId);
    return check ? [{ safeguardId, checkedAt: isoTime(check.atMs), value: check.value, problem: check.problem }] : [];
  });
}

const list = route(`GET ${SAFEGUARDS}`, 'getFeatureEnvironmentSafeguards', {
  access: accessAtEnvironment('READ'),
  summary: 'The safeguards of a flag in one environment, and what their last comparison gave',
  responses: { 200: { description: 'The safeguards', schema: FlagSafeguardsSchema } },
  handle({ params }, services) {
    const found = findFeatureLocation(services.state, locationOf(params), 'any');
    if (found instanceof Rejection) return found;
    const { feature, config } = found;
    return ok({
      safeguards: (config.safeguards ?? []).map(presentSafeguard),
      checks: checksOf(feature.name, config, services),
    });
  },
});

const save = route(`PUT ${SAFEGUARDS}`, 'changeFeatureEnvironmentSafeguard', {
  access: accessAtEnvironment('UPDATE_FEATURE_STRATEGY'),
  edits: 'featureEnvironment',
  summary: 'Adds or replaces a safeguard: a condition on an impact metric or a query that switches the flag off',
  description: 'It also needs the permission UPDATE_FEATURE_ENVIRONMENT.',
  body: SafeguardBody,
  responses: { 200: { description: 'The safeguard', schema: SafeguardSchema } },
  handle({ params, body: { id: safeguardId, ...safeguard }, caller }, services) {
    const problem = unnamedPrometheusProblem(safeguard, services.config);
    if (problem) return problem;
    const input = { ...locationOf(params), safeguardId, safeguard };
    return change(services, caller, setSafeguard, input, (stored) => ok(presentSafeguard(stored)));
  },
});

const remove = route(`DELETE ${SAFEGUARDS}/:safeguardId`, 'deleteFeatureEnvironmentSafeguard', {
  access: accessAtEnvironment('UPDATE_FEATURE_STRATEGY'),
  edits: 'featureEnvironment',
  summary: 'Removes a safeguard of a flag in one environment',
  responses: { 200: { description: 'The safeguard was removed' } },
  handle({ params: { safeguardId, ...params }, caller }, services) {
    return change(services, caller, removeSafeguard, { ...locationOf(params), safeguardId });
  },
});

export const safeguardEndpoints = [list, save, remove];
