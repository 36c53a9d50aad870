import { createHash } from 'node:crypto';
import { readableProjects, type VisibleProjects, visibleProjects } from '../../access/visibility.ts';
import type { Asker } from '../../base/asking/asker.ts';
import { DAY_MS, isoTime } from '../../base/clock.ts';
import { VERSION } from '../../base/version.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import { shownType } from '../../model/api-token.ts';
import type { Caller } from '../../model/caller.ts';
import type { Constraint } from '../../model/constraint.ts';
import { BUILT_IN_ROLES, isRootRole } from '../../model/role.ts';
import { SCIM_SETTINGS } from '../../model/scim.ts';
import type { State } from '../../state/state.ts';
import { visibleTokens } from '../environments/present.ts';
import type { EventQuery } from '../events/query.ts';
import type { Services } from '../services.ts';
import { oidcSettings, samlSettings } from '../sign-on/providers/settings.ts';
import { isPasswordSignOnDisabled } from '../sign-on/settings-commands.ts';
import { reportedApplications } from '../usage/applications/present.ts';
import { countFlags } from '../usage/flag-counts.ts';
import { instanceIdOf } from './setting.ts';

/**
 * Statistics of the instance, for the projects that the caller may see. They are computed in slices for each request; no intermediate results are
 * stored.
 * @throws StoreError
 */
export async function instanceStatistics(services: Services, caller: Caller, asker: Asker) {
  const { state, clock, config } = services;
  const visible = visibleProjects(state, caller);
  const isVisible = ({ project }: { readonly project?: string | null }) => project == null || visible.has(project);
  const slicer = Slicer.of(asker);
  const flags = await inSlices(countFlags(state, visible), slicer);
  const stats = {
    instanceId: instanceIdOf(state),
    timestamp: isoTime(clock.nowMs()),
    versionOSS: VERSION,
    versionEnterprise: '',
    ...(await countUsers(state, clock.nowMs(), slicer)),
    ...countRoles(state),
    groups: state.size('groups'),
    projects: [...state.values('projects')].filter(({ id, archivedAt }) => archivedAt === null && visible.has(id))
      .length,
    environments: state.size('environments'),
    contextFields: [...state.values('contextFields')].filter(isVisible).length,
    segments: [...state.values('segments')].filter(isVisible).length,
    strategies: state.size('strategyTypes'),
    releaseTemplates: state.size('releasePlanTemplates'),
    featureToggles: flags.active,
    archivedFeatureToggles: flags.archived,
    ...(await readConfigurations(state, visible, slicer)),
    apiTokens: await countTokens(state, visible, slicer),
    clientApps: [{ range: 'allTime', count: await countApplications(services, visible) }],
    SAMLenabled: samlSettings(config, state).enabled,
    OIDCenabled: oidcSettings(config, state).enabled,
    SCIMenabled: state.get('scimSettings', SCIM_SETTINGS)?.enabled ?? false,
    passwordAuthEnabled: !isPasswordSignOnDisabled(state),
    ...(await countEvents(services, caller, asker)),
  };
  return { ...stats, sum: createHash('sha256').update(JSON.stringify(stats)).digest('hex') };
}

async function countUsers(state: State, nowMs: number, slicer: Slicer) {
  let [users, serviceAccounts] = [0, 0];
  const activeUsers = { last7: 0, last30: 0, last60: 0, last90: 0 };
  for (const { accountType, seenAt } of state.values('users')) {
    if (slicer.spent) await slicer.pause();
    if (accountType !== 'User') serviceAccounts++;
    else users++;
    if (accountType !== 'User' || seenAt === null) continue;
    const days = (nowMs - Date.parse(seenAt)) / DAY_MS;
    for (const daysMax of [7, 30, 60, 90] as const) if (days <= daysMax) activeUsers[`last${daysMax}`]++;
  }
  return { users, serviceAccounts, activeUsers };
}

function countRoles(state: State) {
  const customRoles = [...state.values('roles')];
  const rootRoles = customRoles.filter(isRootRole);
  const inUse = rootRoles.filter(
    ({ id }) => state.count('usersByRootRole', String(id)) + state.count('groupsByRootRole', String(id)) > 0,
  );
  return {
    roles: BUILT_IN_ROLES.size + customRoles.length,
    customRootRoles: rootRoles.length,
    customRootRolesInUse: inUse.length,
  };
}

async function countTokens(state: State, visible: VisibleProjects, slicer: Slicer) {
  const counts: Record<string, number> = { admin: 0, backend: 0, client: 0, frontend: 0 };
  for (const token of visibleTokens(state, visible)) {
    if (slicer.spent) await slicer.pause();
    const type = shownType(token);
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}

/** The number of release plans, and the largest numbers of strategies of a flag in one environment, of constraints of a strategy, and of values. */
async function readConfigurations(state: State, visible: VisibleProjects, slicer: Slicer) {
  let [releasePlans, maxEnvironmentStrategies, maxConstraints, maxConstraintValues] = [0, 0, 0, 0];
  const valuesOf = ({ values }: Constraint) => values?.length ?? 0;
  for (const { archived, project, environments } of state.values('features')) {
    if (slicer.spent) await slicer.pause();
    if (archived || !visible.has(project)) continue;
    for (const { strategies, releasePlan } of environments) {
      if (releasePlan) releasePlans++;
      maxEnvironmentStrategies = Math.max(maxEnvironmentStrategies, strategies.length);
      for (const { constraints } of strategies) {
        maxConstraints = Math.max(maxConstraints, constraints.length);
        for (const constraint of constraints) maxConstraintValues = Math.max(maxConstraintValues, valuesOf(constraint));
      }
    }
  }
  return { releasePlans, maxEnvironmentStrategies, maxConstraints, maxConstraintValues };
}

/** The number of applications that the caller may see. Reads their use only if the caller may not see all projects. @throws StoreError */
async function countApplications({ state, useReader }: Services, visible: VisibleProjects): Promise<number> {
  if (visible.isAll) return state.size('applications');
  const isVisible = reportedApplications(await useReader.applications(), visible);
  return [...state.values('applications')].filter(isVisible).length;
}

/** Counts changes in production, exports and imports in the stored audit events of projects that the caller may see. @throws StoreError */
async function countEvents({ eventIndex, state, clock }: Services, caller: Caller, asker: Asker) {
  const readable = readableProjects(state, caller);
  const count = async (query: EventQuery) =>
    (await eventIndex.search({ ...query, readable }, { fromId: 0, limit: 0 }, asker)).total;
  const production = [...state.values('environments')].filter(({ type }) => type === 'production');
  const changes = { last30: 0, last60: 0, last90: 0 };
  for (const days of [30, 60, 90] as const) {
    const fromMs = clock.nowMs() - days * DAY_MS;
    for (const { name: environment } of production) changes[`last${days}`] += await count({ environment, fromMs });
  }
  return {
    productionChanges: changes,
    featureExports: await count({ types: ['features-exported'] }),
    featureImports: await count({ types: ['features-imported'] }),
  };
}

type Stats = Readonly<Record<string, unknown>>;

/** The statistics as two lines of comma-separated values: names, then values. */
export function statisticsCsv(stats: Stats): string {
  const cells = flat(stats, '');
  return `${cells.map(([name]) => cell(name)).join(',')}\r\n${cells.map(([, value]) => cell(value)).join(',')}\r\n`;
}

function flat(stats: Stats, prefix: string): [string, string][] {
  return Object.entries(stats).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object' && value !== null
      ? flat(value as Stats, `${prefix}${name}_`)
      : [[prefix + name, String(value)]],
  );
}

/** A value as a cell. Text that begins like a formula is escaped, because a spreadsheet program would execute it. */
function cell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
