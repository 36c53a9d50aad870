import type { Constraint } from '../../model/constraint.ts';
import type { Feature } from '../../model/feature.ts';
import { allLimits, type LimitName } from '../../model/limits.ts';
import type { State } from '../../state/state.ts';
import { COMMON_ROLES, formerStrategyTypes, liveProjects, people, tokenProblem } from './unleash-documents.ts';

/** A kind of data in Burgee that an export does not transfer to Unleash, or that Unleash may treat differently. */
export interface Loss {
  readonly what: string;
  /** The effect of the loss, or the action that the user should take. */
  readonly consequence: string;
  /** The names of the affected objects. Empty if all objects are affected. */
  readonly items: readonly string[];
}

/** The data of this state that an export for Unleash does not contain, and the data that Unleash may refuse or interpret differently. */
export function unleashLosses(state: State): Loss[] {
  return [
    ...flagLosses(state),
    ...projectLosses(state),
    ...limitLosses(state),
    ...tokenLosses(state),
    ...peopleLosses(state),
    ...settingLosses(state),
  ].filter(({ items }) => items.length > 0);
}

/** The data that no export contains, independent of the state. */
export const ALWAYS_LOST: readonly Loss[] = [
  {
    what: 'Audit events, use of flags, applications, lifecycles, collaborators, creation times and authors',
    consequence:
      'Unleash starts without this data. Keep a backup (burgee store backup) for as long as you may need it.',
    items: [],
  },
];

/** Operators that older versions of Unleash may not support. */
const NEWER_OPERATORS: ReadonlySet<string> = new Set(['SEMVER_GTE', 'SEMVER_LTE', 'REGEX', 'IN_CIDR']);

function flagLosses(state: State): Loss[] {
  const archived: string[] = [];
  const declared: string[] = [];
  const withoutEnvironment: string[] = [];
  const withoutStrategies: string[] = [];
  const withNewerOperators: string[] = [];
  const withIllegalValues: string[] = [];
  for (const feature of byName(state.values('features'))) {
    if (feature.archived) {
      archived.push(feature.name);
      continue;
    }
    if (feature.manifest) declared.push(feature.name);
    const environmentsOfProject = state.get('projects', feature.project)?.environments ?? [];
    for (const { environment, enabled, strategies, variants } of feature.environments) {
      const where = `${feature.name} in ${environment}`;
      if (!environmentsOfProject.includes(environment)) {
        if (enabled || strategies.length + variants.length > 0) withoutEnvironment.push(where);
      } else if (enabled && strategies.length === 0) withoutStrategies.push(where);
      for (const { constraints } of strategies) {
        if (constraints.some(isNewer)) withNewerOperators.push(where);
        if (constraints.some((constraint) => hasIllegalValue(state, constraint))) withIllegalValues.push(where);
      }
    }
  }
  for (const { name, constraints } of state.values('segments')) {
    if (constraints.some(isNewer)) withNewerOperators.push(`segment ${name}`);
  }
  return [
    {
      what: 'Archived flags',
      consequence: 'Unleash does not import archived flags. Revive the flags that you need before you export.',
      items: archived,
    },
    {
      what: 'Types and default values that code declared by the OpenFeature CLI',
      consequence: 'They are not exported. Flags are served in the same way without them.',
      items: declared,
    },
    {
      what: 'Settings of flags in environments that their project does not have',
      consequence: 'They are not exported. They have no effect in Burgee either.',
      items: withoutEnvironment,
    },
    {
      what: 'Strategies that a new Unleash does not have',
      consequence:
        'burgee import creates them as custom strategies before it imports the flags. SDKs evaluate them as with Burgee. ' +
        'If you import the files of flags without burgee import, create these strategies first: Unleash refuses a file with an unknown strategy.',
      items: formerStrategyTypes(state).map(({ name }) => name),
    },
    {
      what: 'Flags that are on without any strategy',
      consequence:
        'Unleash adds the default strategy of their project, which is on for all users unless you change it.',
      items: withoutStrategies,
    },
    {
      what: 'Operators SEMVER_GTE, SEMVER_LTE, REGEX, IN_CIDR',
      consequence:
        'They are exported unchanged. An Unleash without these operators refuses them, or its SDKs evaluate them as false.',
      items: [...new Set(withNewerOperators)],
    },
    {
      what: 'Values of constraints that are no longer legal values of their context field',
      consequence: 'Unleash may refuse the file that contains them. Correct them before you export.',
      items: [...new Set(withIllegalValues)],
    },
  ];
}

const isNewer = ({ operator }: Constraint) => NEWER_OPERATORS.has(operator);

function hasIllegalValue(state: State, { contextName, values = [], value }: Constraint): boolean {
  const legal = state.get('contextFields', contextName)?.legalValues ?? [];
  if (legal.length === 0) return false;
  const legalValues = new Set(legal.map((each) => each.value));
  return [...values, ...(value === undefined || value === '' ? [] : [value])].some((each) => !legalValues.has(each));
}

function projectLosses(state: State): Loss[] {
  const archived = Array.from(state.values('projects')).filter(({ archivedAt }) => archivedAt !== null);
  const live = liveProjects(state);
  return [
    {
      what: 'Archived projects',
      consequence: 'They and their flags are not exported.',
      items: archived.map(({ id }) => id),
    },
    {
      what: 'Projects that are private or protected',
      consequence: 'Unleash’s open-source edition has only open projects: all users would see them.',
      items: live.filter(({ mode }) => mode !== 'open').map(({ id, mode }) => `${id} (${mode})`),
    },
    {
      what: 'Naming patterns, flag limits and link templates of projects',
      consequence: 'They are exported, but Unleash’s open-source edition does not support them.',
      items: live
        .filter((project) => project.featureNaming || project.featureLimit !== null || project.linkTemplates)
        .map(({ id }) => id),
    },
  ];
}

/** The objects that exceed the default limits of Unleash. */
function limitLosses(state: State): Loss[] {
  const exceeded = new Map<LimitName, Set<string>>();
  const checkLimit = (limit: LimitName, count: number, item: string) => {
    if (count <= allLimits()[limit].default) return;
    const items = exceeded.get(limit) ?? new Set<string>();
    exceeded.set(limit, items.add(item));
  };
  for (const { name, constraints } of state.values('segments')) {
    checkLimit(
      'segmentValues',
      constraints.reduce((sum, { values = [] }) => sum + values.length, 0),
      `segment ${name}`,
    );
  }
  checkLimit('segments', state.size('segments'), `${state.size('segments')} segments`);
  for (const feature of byName(state.values('features'))) if (!feature.archived) checkFlagLimits(feature, checkLimit);
  return Array.from(exceeded, ([limit, items]) => ({
    what: `More than ${allLimits()[limit].default} ${allLimits()[limit].of}`,
    consequence: `Unleash refuses them unless you raise ${allLimits()[limit].env ?? 'its limit'} in Unleash.`,
    items: [...items],
  }));
}

type CheckLimit = (limit: LimitName, count: number, item: string) => void;

function checkFlagLimits({ name, environments }: Feature, checkLimit: CheckLimit): void {
  for (const { environment, strategies } of environments) {
    const where = `${name} in ${environment}`;
    checkLimit('featureEnvironmentStrategies', strategies.length, where);
    for (const { constraints, segments } of strategies) {
      checkLimit('constraints', constraints.length, where);
      checkLimit('strategySegments', segments.length, where);
      for (const { values = [] } of constraints) checkLimit('constraintValues', values.length, where);
    }
  }
}

function tokenLosses(state: State): Loss[] {
  const items: string[] = [];
  const ofOtherProjects: string[] = [];
  for (const token of state.values('apiTokens')) {
    const problem = tokenProblem(token);
    const name = `${token.tokenName} (${token.type})`;
    if (problem !== null) items.push(`${name}: ${problem}`);
    else if (!token.projects.some((id) => PROJECTS_OF_NEW_UNLEASH.has(id)))
      ofOtherProjects.push(`${name}: ${token.projects.join(', ')}`);
  }
  return [
    {
      what: 'API tokens that tokens.env cannot contain',
      consequence: 'Create new tokens in Unleash, and give them to the users of these tokens.',
      items: items.sort(),
    },
    {
      what: 'API tokens of projects that a new Unleash does not have',
      consequence:
        'If the project does not exist when Unleash starts, Unleash silently does not create the token, and its users get 401. ' +
        'The open-source edition has only the project default: there, use tokens of this project or of all projects instead.',
      items: ofOtherProjects.sort(),
    },
  ];
}

/** The ids in a token's list of projects that Unleash accepts at its first start. */
const PROJECTS_OF_NEW_UNLEASH = new Set(['*', 'default']);

function peopleLosses(state: State): Loss[] {
  const users = people(state);
  const name = ({ id, email, username }: (typeof users)[number]) => email ?? username ?? String(id);
  const services = Array.from(state.values('users')).filter(({ accountType }) => accountType !== 'User');
  return [
    {
      what: 'Passwords, sessions, personal tokens, favourites and project roles of users',
      consequence:
        'The accounts are created with only the root role, and without a password. Users must set one with “forgotten password”.',
      items: users.map(name),
    },
    {
      what: 'Custom root roles',
      consequence: 'These users are exported as Viewers.',
      items: users.filter(({ rootRole }) => !COMMON_ROLES.has(rootRole)).map(name),
    },
    {
      what: 'Service accounts',
      consequence: 'Create them in Unleash’s paid edition, with new tokens.',
      items: services.map(name),
    },
    {
      what: 'Custom roles, and groups',
      consequence: 'Create them in Unleash’s paid edition.',
      items: [
        ...Array.from(state.values('roles'), (role) => `role ${role.name}`),
        ...Array.from(state.values('groups'), (group) => `group ${group.name}`),
      ].sort(),
    },
  ];
}

function settingLosses(state: State): Loss[] {
  const requests = Array.from(state.lookup('openRequests', ''));
  return [
    {
      what: 'Open change requests',
      consequence: 'Decide them before you export.',
      items: requests.map(({ id, project, environment }) => `${id} (${project}, ${environment})`),
    },
    {
      what: 'Environments that are protected by change requests',
      consequence: 'Set this up in Unleash’s paid edition. In other editions, changes take effect immediately.',
      items: Array.from(
        state.lookup('protectedEnvironments', ''),
        ({ project, environment }) => `${project}, ${environment}`,
      ),
    },
    {
      what: 'Banners, settings of single sign-on, public signup links',
      consequence: 'Create them in Unleash.',
      items: [
        ...Array.from(state.values('banners'), ({ id }) => `banner ${id}`),
        ...Array.from(state.values('signOnSettings'), ({ protocol }) => `sign-on with ${protocol}`),
        ...Array.from(state.values('signupTokens'), ({ name }) => `signup link ${name}`),
      ],
    },
  ];
}

function byName<Named extends { readonly name: string }>(items: Iterable<Named>): Named[] {
  return [...items].sort((left, right) => (left.name < right.name ? -1 : 1));
}
