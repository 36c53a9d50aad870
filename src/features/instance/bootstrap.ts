import Type from 'typebox';
import { command } from '../../engine/command.ts';
import type { ContextField } from '../../model/context-field.ts';
import { DEFAULT_PROJECT } from '../../model/project.ts';
import type { StrategyType, StrategyTypeParameter } from '../../model/strategy-type.ts';

/** Creates the content of a new instance. Does nothing if a project exists already. */
export const bootstrap = command({
  name: 'bootstrap',
  input: Type.Object({}),
  decide({ draft, now, emit }) {
    for (const _project of draft.values('projects')) return { created: false };
    const environments = [
      { name: 'development', type: 'development', enabled: true, protected: false, sortOrder: 100 },
      { name: 'production', type: 'production', enabled: true, protected: false, sortOrder: 200 },
    ];
    for (const environment of environments) {
      draft.put('environments', environment);
      emit({ type: 'environment-created', environment: environment.name, data: environment });
    }
    const project = {
      id: DEFAULT_PROJECT,
      name: 'Default',
      description: 'Default project',
      mode: 'open' as const,
      defaultStickiness: 'default',
      featureLimit: null,
      environments: environments.map((environment) => environment.name),
      createdAt: now,
      updatedAt: now,
      archivedAt: null,
    };
    draft.put('projects', project);
    emit({ type: 'project-created', project: project.id, data: project });
    for (const field of contextFields(now)) draft.put('contextFields', field);
    draft.put('tagTypes', {
      name: 'simple',
      description: 'Used to simplify filtering of features',
      icon: '#',
      color: '#FFFFFF',
    });
    for (const type of BUILT_IN_STRATEGIES) draft.put('strategyTypes', type);
    return { created: true };
  },
});

function contextFields(createdAt: string): ContextField[] {
  const field = (name: string, description: string, sortOrder: number, stickiness = false): ContextField => ({
    name,
    description,
    stickiness,
    sortOrder,
    legalValues: [],
    createdAt,
  });
  return [
    field('environment', 'Allows you to constrain on application environment', 0),
    field('userId', 'Allows you to constrain on userId', 1),
    field('appName', 'Allows you to constrain on application name', 2),
    field('currentTime', 'Allows you to constrain on date values', 3),
    field('sessionId', 'Allows you to constrain on sessionId', 4, true),
  ];
}

const parameter = (
  name: string,
  type: StrategyTypeParameter['type'],
  description: string,
  required = false,
): StrategyTypeParameter => ({ name, type, description, required });

const GROUP_ID = parameter(
  'groupId',
  'string',
  'Makes the same users fall on the same side in every flag that has this group.',
  true,
);
const PERCENTAGE = parameter('percentage', 'percentage', 'Share of users the flag is on for, 0 to 100.', true);

const builtIn = (
  name: string,
  title: string,
  description: string,
  parameters: readonly StrategyTypeParameter[] = [],
  deprecated = false,
): StrategyType => ({ name, title, description, editable: false, deprecated, parameters });

/** The strategy types of a new instance. The service and every SDK can evaluate them. */
export const BUILT_IN_STRATEGIES: readonly StrategyType[] = [
  builtIn('default', 'Standard', 'On for all users who meet the constraints.'),
  builtIn('flexibleRollout', 'Gradual rollout', 'On for a share of users; the same users each time.', [
    parameter('rollout', 'percentage', 'Share of users, 0 to 100.', true),
    parameter(
      'stickiness',
      'string',
      'Context field that keeps a user on one side: default, userId, sessionId, random or another.',
      true,
    ),
    parameter('groupId', 'string', 'Makes the same users fall on the same side in every flag that has this group.'),
  ]),
  builtIn(
    'userWithId',
    'UserIDs',
    'On for the listed users.',
    [parameter('userIds', 'list', 'Ids of users.', true)],
    true,
  ),
  builtIn('remoteAddress', 'IPs', 'On for the listed addresses.', [
    parameter('IPs', 'list', 'Addresses or CIDR ranges.', true),
  ]),
  builtIn('applicationHostname', 'Hosts', 'On for the listed hosts.', [
    parameter('hostNames', 'list', 'Host names.', true),
  ]),
  builtIn('gradualRolloutRandom', 'Gradual rollout, random', 'On for a random share of requests.', [PERCENTAGE], true),
  builtIn(
    'gradualRolloutSessionId',
    'Gradual rollout by session',
    'On for a share of sessions.',
    [PERCENTAGE, GROUP_ID],
    true,
  ),
  builtIn(
    'gradualRolloutUserId',
    'Gradual rollout by user',
    'On for a share of logged-in users.',
    [PERCENTAGE, GROUP_ID],
    true,
  ),
];
