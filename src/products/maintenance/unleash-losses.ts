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
    what: 'Audit events, use of flags, applications, lifecycles, collaborators, times and authors of creation',
    consequence:
      'Unleash begins its own. Keep a backup (burgee store backup) for as long as you may be asked for them.',
    items: [],
  },
];

/** Operators that the documentation of older Unleash versions does not name. */
const NEWER_OPERATORS: ReadonlySet<string> = new Set(['SEMVER_GTE', 'SEMVER_LTE', 'REGEX', 'IN_CIDR']);

function flagLosses(state: State): Loss[] {
  const archived: string[] = [];
  const homeless: string[] = [];
  const bare: string[] = [];
  const newer: string[] = [];
  const illegal: string[] = [];
  for (const feature of byName(state.values('features'))) {
    if (feature.archived) {
      archived.push(feature.name);
      continue;
    }
    const known = state.get('projects', feature.project)?.environments ?? [];
    for (const { environment, enabled, strategies, variants } of feature.environments) {
      const where = `${feature.name} in ${environment}`;
      if (!known.includes(environment)) {
        if (enabled || strategies.length + variants.length > 0) homeless.push(where);
      } else if (enabled && strategies.length === 0) bare.push(where);
      for (const { constraints } of strategies) {
        if (constraints.some(isNewer)) newer.push(where);
        if (constraints.some((constraint) => isIllegal(state, constraint))) illegal.push(where);
      }
    }
  }
  for (const { name, constraints } of state.values('segments')) {
    if (constraints.some(isNewer)) newer.push(`segment ${name}`);
  }
  return [
    {
      what: 'Archived flags',
      consequence: 'Unleash’s import takes live flags only. Revive those you need before you export.',
      items: archived,
    },
    {
      what: 'Settings of flags in environments that their project does not have',
      consequence: 'They have no effect today either.',
      items: homeless,
    },
    {
      what: 'Strategies that a new Unleash does not have',
      consequence:
        'burgee import makes them as custom strategies before the flags, and SDKs evaluate them as they do today. ' +
        'If you import the files of flags yourself, make them first: Unleash refuses a file that uses one it does not have.',
      items: formerStrategyTypes(state).map(({ name }) => name),
    },
    {
      what: 'Flags that are on without any strategy',
      consequence:
        'Unleash gives them the default strategy of their project, which is on for everybody unless you changed it.',
      items: bare,
    },
    {
      what: 'Operators SEMVER_GTE, SEMVER_LTE, REGEX, IN_CIDR',
      consequence:
        'They are exported as they are. An Unleash that does not know them refuses them, or its SDKs answer false.',
      items: [...new Set(newer)],
    },
    {
      what: 'Values of constraints that are no legal values of their context field any more',
      consequence: 'An import may refuse the file that they are in: put them right before you export.',
      items: [...new Set(illegal)],
    },
  ];
}

const isNewer = ({ operator }: Constraint) => NEWER_OPERATORS.has(operator);

function isIllegal(state: State, { contextName, values = [], value }: Constraint): boolean {
  const legal = state.get('contextFields', contextName)?.legalValues ?? [];
  if (legal.length === 0) return false;
  const known = new Set(legal.map((each) => each.value));
  return [...values, ...(value === undefined || value === '' ? [] : [value])].some((each) => !known.has(each));
}

function projectLosses(state: State): Loss[] {
  const archived = Array.from(state.values('projects')).filter(({ archivedAt }) => archivedAt !== null);
  const live = liveProjects(state);
  return [
    {
      what: 'Archived projects',
      consequence: 'They stay behind, with their flags.',
      items: archived.map(({ id }) => id),
    },
    {
      what: 'Projects that are private or protected',
      consequence: 'Unleash’s open-source edition has open projects only: everybody would see them.',
      items: live.filter(({ mode }) => mode !== 'open').map(({ id, mode }) => `${id} (${mode})`),
    },
    {
      what: 'Naming patterns, flag limits and link templates of projects',
      consequence: 'They are exported; Unleash’s open-source edition has none.',
      items: live
        .filter((project) => project.featureNaming || project.featureLimit !== null || project.linkTemplates)
        .map(({ id }) => id),
    },
  ];
}

/** The objects that exceed the default limits of Unleash. */
function limitLosses(state: State): Loss[] {
  const over = new Map<LimitName, Set<string>>();
  const look = (limit: LimitName, count: number, item: string) => {
    if (count <= allLimits()[limit].default) return;
    const items = over.get(limit) ?? new Set<string>();
    over.set(limit, items.add(item));
  };
  for (const { name, constraints } of state.values('segments')) {
    look(
      'segmentValues',
      constraints.reduce((sum, { values = [] }) => sum + values.length, 0),
      `segment ${name}`,
    );
  }
  look('segments', state.size('segments'), `${state.size('segments')} segments`);
  for (const feature of byName(state.values('features'))) if (!feature.archived) lookAtFlag(feature, look);
  return Array.from(over, ([limit, items]) => ({
    what: `More than ${allLimits()[limit].default} ${allLimits()[limit].of}`,
    consequence: `Unleash refuses it until ${allLimits()[limit].env ?? 'its limit'} is raised there.`,
    items: [...items],
  }));
}

type Look = (limit: LimitName, count: number, item: string) => void;

function lookAtFlag({ name, environments }: Feature, look: Look): void {
  for (const { environment, strategies } of environments) {
    const where = `${name} in ${environment}`;
    look('featureEnvironmentStrategies', strategies.length, where);
    for (const { constraints, segments } of strategies) {
      look('constraints', constraints.length, where);
      look('strategySegments', segments.length, where);
      for (const { values = [] } of constraints) look('constraintValues', values.length, where);
    }
  }
}

function tokenLosses(state: State): Loss[] {
  const items: string[] = [];
  const ofProjects: string[] = [];
  for (const token of state.values('apiTokens')) {
    const problem = tokenProblem(token);
    const name = `${token.tokenName} (${token.type})`;
    if (problem !== null) items.push(`${name}: ${problem}`);
    else if (!token.projects.some((id) => EVERYWHERE.has(id))) ofProjects.push(`${name}: ${token.projects.join(', ')}`);
  }
  return [
    {
      what: 'API tokens that the variables of a start cannot make',
      consequence: 'Make new ones there, and give them to the users of these.',
      items: items.sort(),
    },
    {
      what: 'API tokens of projects that Unleash does not begin with',
      consequence:
        'Unleash makes them at no start that does not find the project, and does not say so: their users get 401. Its open-source edition has the project default alone, ' +
        'also after an import with --project default: give them tokens of that, or of all projects.',
      items: ofProjects.sort(),
    },
  ];
}

/** Values in a token's list of projects that Unleash already accepts at its first start. */
const EVERYWHERE = new Set(['*', 'default']);

function peopleLosses(state: State): Loss[] {
  const users = people(state);
  const name = ({ id, email, username }: (typeof users)[number]) => email ?? username ?? String(id);
  const services = Array.from(state.values('users')).filter(({ accountType }) => accountType !== 'User');
  return [
    {
      what: 'Passwords and sessions, personal tokens, favourites, and what people may do in projects',
      consequence:
        'Accounts are made with the root role alone, and without a password: send people to “forgotten password”.',
      items: users.map(name),
    },
    {
      what: 'Root roles of your own',
      consequence: 'These people are exported as Viewers.',
      items: users.filter(({ rootRole }) => !COMMON_ROLES.has(rootRole)).map(name),
    },
    {
      what: 'Service accounts',
      consequence: 'Unleash’s paid edition has them; their tokens are made anew.',
      items: services.map(name),
    },
    {
      what: 'Roles of your own, and groups',
      consequence: 'Unleash’s paid edition has them; make them there.',
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
      what: 'Change requests that are open',
      consequence: 'Decide them before you export.',
      items: requests.map(({ id, project, environment }) => `${id} (${project}, ${environment})`),
    },
    {
      what: 'Environments that are protected by change requests',
      consequence: 'Unleash’s paid edition has this; elsewhere changes are made at once.',
      items: Array.from(
        state.lookup('protectedEnvironments', ''),
        ({ project, environment }) => `${project}, ${environment}`,
      ),
    },
    {
      what: 'Banners, settings of single sign-on, public signup links',
      consequence: 'Make them there.',
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
