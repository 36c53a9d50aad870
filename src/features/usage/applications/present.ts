import type { VisibleProjects } from '../../../access/visibility.ts';
import { isoTime } from '../../../base/clock.ts';
import { pushAll } from '../../../base/lists/push-all.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { ALL } from '../../../model/api-token.ts';
import type { Feature } from '../../../model/feature.ts';
import type { StateReader } from '../../../state/collections.ts';
import { presentStrategyType } from '../../shared/present-strategy-type.ts';
import { isOutdated, sdkVersionOf } from '../sdk-version.ts';
import type { Application } from './application.ts';
import type { ApplicationUse, InstanceUse } from './application-use.ts';

type ApplicationFilter = (application: Pick<Application, 'appName' | 'projects'>) => boolean;

/**
 * Returns a filter for the applications that the caller may see: an application that belongs only to hidden projects is left out. A thousand
 * applications can have a hundred projects each, so the result for a project is cached for the request.
 */
export function reportedApplications(use: ApplicationUse, visible: VisibleProjects): ApplicationFilter {
  if (visible.isAll) return () => true;
  const visibility = new Map<string, boolean>([[ALL, true]]);
  const isVisible = (project: string): boolean => {
    const cached = visibility.get(project);
    if (cached !== undefined) return cached;
    const result = visible.has(project);
    visibility.set(project, result);
    return result;
  };
  return ({ appName, projects }) => {
    const used = [...use.projects(appName).keys()];
    return used.some(isVisible) || (projects === undefined ? used.length === 0 : projects.some(isVisible));
  };
}

/** The fields that users set for an application, and its use in projects that the caller may see. */
export function presentApplication(application: Application, use: ApplicationUse, visible: VisibleProjects) {
  const { projects: _projects, ...fields } = application;
  const { appName } = fields;
  const reported = [...use.projects(appName)].filter(([project]) => project === ALL || visible.has(project));
  const usage = reported.map(([project, environments]) => ({ project, environments: [...environments].sort() }));
  return { ...fields, strategies: use.strategies(appName), ...onlyScope(usage), usage };
}

/** The project and the environment of an application that has only one, otherwise `*`: Unleash's tools read them from before `usage`. */
function onlyScope(usage: readonly { readonly project: string; readonly environments: readonly string[] }[]) {
  const environments = new Set(usage.flatMap(({ environments: names }) => names));
  const only = (names: readonly string[]) => (names.length === 1 ? (names[0] as string) : ALL);
  return { project: only(usage.map(({ project }) => project)), environment: only([...environments]) };
}

/** The application as its page shows it: with the strategies and flags that it uses, and their current definitions on this instance. */
export function* presentDetails(
  application: Application,
  use: ApplicationUse,
  state: StateReader,
  visible: VisibleProjects,
): Steps<object> {
  const { appName } = application;
  const flags = new Map<string, Feature>();
  for (const names of use.flags(appName).values()) {
    for (const name of names) {
      const feature = state.get('features', name);
      if (feature && visible.has(feature.project)) flags.set(name, feature);
      yield;
    }
  }
  const seenToggles: object[] = [];
  for (const feature of flags.values()) {
    seenToggles.push(presentUsedFlag(feature));
    yield;
  }
  const instances: object[] = [];
  for (const [environment, each] of use.instances(appName)) {
    for (const instance of each.values()) {
      instances.push({ appName, ...presentInstance(instance), environment });
      yield;
    }
  }
  const strategies = use.strategies(appName).map((name) => presentKnownStrategy(name, state));
  return { ...presentApplication(application, use, visible), strategies, instances, seenToggles };
}

function presentKnownStrategy(name: string, state: StateReader) {
  const type = state.get('strategyTypes', name);
  return type ? presentStrategyType(type) : { name, notFound: true };
}

function presentUsedFlag({ name, description, type, project, stale, archived, createdAt, impressionData }: Feature) {
  return { name, description, type, project, stale, archived, createdAt, impressionData };
}

export function presentInstance({ instanceId, sdk, address, isFrontend, seenMs }: InstanceUse) {
  return {
    instanceId,
    sdkVersion: textOrNull(sdk),
    sdkType: isFrontend ? 'frontend' : 'backend',
    clientIp: textOrNull(address),
    lastSeen: isoTime(seenMs),
  };
}

function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}

/** Contract: Application overview. It is computed in steps, because an application may use every flag. */
export function* presentOverview(appName: string, use: ApplicationUse, state: StateReader, visible: VisibleProjects) {
  const projects = new Set<string>();
  const used = new Set<string>();
  const environments = [];
  for (const name of environmentsOf(appName, use)) {
    const missing = new Set(use.unknownFlags(appName).get(name));
    for (const flag of use.flags(appName).get(name) ?? []) {
      yield;
      const feature = state.get('features', flag);
      if (!feature) missing.add(flag);
      else if (visible.has(feature.project)) {
        used.add(flag);
        projects.add(feature.project);
      }
    }
    environments.push(presentEnvironment(appName, name, missing, use, state));
    yield;
  }
  const isMissing = (name: string) => state.get('strategyTypes', name) === undefined;
  const issues = { missingStrategies: use.strategies(appName).filter(isMissing) };
  return { projects: [...projects].sort(), featureCount: used.size, environments, issues };
}

/** The environments in which the application was seen, sorted by name. */
function environmentsOf(appName: string, use: ApplicationUse): string[] {
  const names = [use.instances(appName), use.flags(appName), use.unknownFlags(appName)].flatMap((map) => [
    ...map.keys(),
  ]);
  return [...new Set(names)].sort();
}

/** `missing`: flags that did not exist when they were used. */
function presentEnvironment(
  appName: string,
  name: string,
  missing: ReadonlySet<string>,
  use: ApplicationUse,
  state: StateReader,
) {
  const instances = [...(use.instances(appName).get(name)?.values() ?? [])];
  const sdks = sdksOf(instances);
  const seen = instances.map(({ seenMs }) => seenMs).reduce((left, right) => Math.max(left, right), 0);
  // A flag of this name may have been created after the report.
  const missingFeatures = [...missing].filter((flag) => state.get('features', flag) === undefined).sort();
  return {
    name,
    instanceCount: instances.length,
    sdks,
    frontendSdks: sdksOf(instances.filter(({ isFrontend }) => isFrontend)),
    backendSdks: sdksOf(instances.filter(({ isFrontend }) => !isFrontend)),
    lastSeen: seen === 0 ? null : isoTime(seen),
    issues: { missingFeatures, outdatedSdks: sdks.filter(isOutdated) },
  };
}

function sdksOf(instances: readonly InstanceUse[]): string[] {
  return [...new Set(instances.flatMap(({ sdk }) => (sdk === '' ? [] : [sdk])))].sort();
}

/** The applications that used flags of a project, sorted by name, each with the environments in which it used them. */
export function* applicationsInProject(
  project: string,
  use: ApplicationUse,
  state: StateReader,
): Steps<(readonly [appName: string, environments: readonly string[]])[]> {
  const found: (readonly [string, readonly string[]])[] = [];
  for (const { appName } of state.values('applications')) {
    yield;
    const environments: string[] = [];
    for (const [environment, flags] of use.flags(appName)) {
      for (const flag of flags) {
        yield;
        if (state.get('features', flag)?.project !== project) continue;
        environments.push(environment);
        break;
      }
    }
    if (environments.length > 0) found.push([appName, environments.sort()]);
  }
  return found.sort(([left], [right]) => (left < right ? -1 : 1));
}

export function presentInProject(appName: string, environments: readonly string[], use: ApplicationUse) {
  const instances = environments.flatMap((name) => [...(use.instances(appName).get(name)?.values() ?? [])]);
  const versions = new Map<string, Set<string>>();
  for (const sdk of sdksOf(instances)) {
    const { name, version } = sdkVersionOf(sdk);
    versions.set(name, (versions.get(name) ?? new Set()).add(version));
  }
  return {
    name: appName,
    environments,
    instances: [...new Set(instances.map(({ instanceId }) => instanceId))].sort(),
    sdks: [...versions].map(([name, found]) => ({ name, versions: [...found].sort() })),
  };
}

/** Outdated SDKs, with the applications whose instances use them. Only instances in the listed environments count, or in all if the list is null. */
export function outdatedSdks(
  applications: Iterable<readonly [appName: string, environments: readonly string[] | null]>,
  use: ApplicationUse,
) {
  const found = new Map<string, string[]>();
  for (const [appName, environments] of applications) {
    const instances: InstanceUse[] = [];
    for (const [environment, each] of use.instances(appName))
      if (environments === null || environments.includes(environment)) pushAll(instances, each.values());
    for (const sdk of sdksOf(instances)) {
      if (isOutdated(sdk)) found.set(sdk, [...(found.get(sdk) ?? []), appName]);
    }
  }
  const sdks = [...found].map(([sdkVersion, names]) => ({ sdkVersion, applications: names.sort() }));
  return { sdks: sdks.sort((left, right) => (left.sdkVersion < right.sdkVersion ? -1 : 1)) };
}
