import { convertedInSteps } from '../../base/converted.ts';
import { invalid, type Rejection } from '../../base/rejection.ts';
import { validateInSteps } from '../../base/validation.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { AnyCommand } from '../../engine/command.ts';
import type { ChangeAction, RequestedChange } from '../../model/change-request.ts';
import type { Permission } from '../../model/permission.ts';
import { StrategyInput } from '../../model/strategy.ts';
import { archiveFeatures } from '../flags/archive/commands.ts';
import { addDependency, removeDependencies, removeDependency } from '../flags/dependencies/commands.ts';
import { switchFeatures } from '../flags/environments/switch-features.ts';
import { addStrategy, removeStrategy, sortStrategies, updateStrategy } from '../flags/strategies/commands.ts';
import { setVariants } from '../flags/variants/commands.ts';
import {
  addReleasePlan,
  removeMilestoneProgression,
  removeReleasePlan,
  setMilestoneProgression,
  startMilestone,
  updatePlanStrategy,
} from '../release-plans/plans/commands.ts';
import { removeSafeguard, setSafeguard } from '../release-plans/plans/safeguards.ts';
import { deleteSegment, SegmentFields, updateSegment } from '../segments/commands.ts';

type Members = Readonly<Record<string, unknown>>;

/** The project, environment and flag to which a requested change applies. */
interface RequestedLocation {
  readonly project: string;
  readonly environment: string;
  /** Name of the flag; null if the change concerns a segment. */
  readonly feature: string | null;
}

/** Converts an action to a command and back. Fields of a payload that the action does not use are dropped. */
interface Action {
  readonly subject: 'feature' | 'segment';
  /**
   * The permission that the same change needs outside a change request, in the environment or in the project. Null for segments, whose commands check
   * permissions themselves.
   */
  readonly permission: Permission | null;
  /** Returns the command for this payload. */
  command(payload: Members): AnyCommand;
  /** Converts the payload to the input of the command. */
  input(location: RequestedLocation, payload: unknown): Members;
  /** Converts the input of the command back to the payload. */
  payload(input: Members): unknown;
}

const STRATEGY_FIELDS = Object.keys(StrategyInput.properties);

const locationInput = ({ project, environment, feature }: RequestedLocation) => ({
  project,
  featureName: feature,
  environment,
});

/** What changes of release plans have in common. Their payload is the input of the command without the location. */
const planAction = (permission: Permission, planCommand: unknown, fields: readonly string[]): Action => ({
  subject: 'feature',
  permission,
  command: () => planCommand as AnyCommand,
  input: (location, payload) => ({ ...locationInput(location), ...pickFields(payload, fields) }),
  payload: (input) => pickFields(input, fields),
});

/** A change of some properties of a strategy. */
const strategyUpdate = (update: unknown): Action => ({
  subject: 'feature',
  permission: 'UPDATE_FEATURE_STRATEGY',
  command: () => update as AnyCommand,
  input: (location, payload) => ({
    ...locationInput(location),
    strategyId: membersOf(payload).id,
    changes: strategyFields(payload),
  }),
  payload: ({ strategyId, changes }) => ({ id: strategyId, ...membersOf(changes) }),
});

const PLAN_ACTIONS = {
  addReleasePlan: planAction('CREATE_FEATURE_STRATEGY', addReleasePlan, ['templateId']),
  deleteReleasePlan: planAction('DELETE_FEATURE_STRATEGY', removeReleasePlan, ['planId']),
  startMilestone: planAction('UPDATE_FEATURE_STRATEGY', startMilestone, ['planId', 'milestoneId']),
  changeMilestoneProgression: planAction('UPDATE_FEATURE_STRATEGY', setMilestoneProgression, [
    'milestoneId',
    'transitionCondition',
  ]),
  deleteMilestoneProgression: planAction('UPDATE_FEATURE_STRATEGY', removeMilestoneProgression, ['milestoneId']),
  updateMilestoneStrategy: strategyUpdate(updatePlanStrategy),
  changeSafeguard: planAction('UPDATE_FEATURE_STRATEGY', setSafeguard, ['planId', 'safeguardId', 'safeguard']),
  deleteSafeguard: planAction('UPDATE_FEATURE_STRATEGY', removeSafeguard, ['planId', 'safeguardId']),
} as const;

const ACTIONS: Readonly<Record<ChangeAction, Action>> = {
  updateEnabled: {
    subject: 'feature',
    permission: 'UPDATE_FEATURE_ENVIRONMENT',
    command: () => switchFeatures,
    input: ({ project, environment, feature }, payload) => ({
      project,
      names: [feature],
      environment,
      enabled: membersOf(payload).enabled,
      activateDisabledStrategies: membersOf(payload).shouldActivateDisabledStrategies ?? false,
    }),
    payload: ({ enabled, activateDisabledStrategies }) => ({
      enabled,
      ...(activateDisabledStrategies === true && { shouldActivateDisabledStrategies: true }),
    }),
  },
  addStrategy: {
    subject: 'feature',
    permission: 'CREATE_FEATURE_STRATEGY',
    command: () => addStrategy,
    input: (location, payload) => ({ ...locationInput(location), strategy: strategyFields(payload) }),
    payload: ({ strategy }) => strategy,
  },
  updateStrategy: strategyUpdate(updateStrategy),
  deleteStrategy: {
    subject: 'feature',
    permission: 'DELETE_FEATURE_STRATEGY',
    command: () => removeStrategy,
    input: (location, payload) => ({ ...locationInput(location), strategyId: membersOf(payload).id }),
    payload: ({ strategyId }) => ({ id: strategyId }),
  },
  reorderStrategy: {
    subject: 'feature',
    permission: 'UPDATE_FEATURE_STRATEGY',
    command: () => sortStrategies,
    input: (location, payload) => ({
      ...locationInput(location),
      order: Array.isArray(payload) ? payload.map((item) => pickFields(item, ['id', 'sortOrder'])) : payload,
    }),
    payload: ({ order }) => order,
  },
  patchVariant: {
    subject: 'feature',
    permission: 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
    command: () => setVariants,
    input: ({ project, environment, feature }, payload) => ({
      project,
      featureName: feature,
      environments: [environment],
      variants: membersOf(payload).variants,
    }),
    payload: ({ variants }) => ({ variants }),
  },
  ...PLAN_ACTIONS,
  archiveFeature: {
    subject: 'feature',
    permission: 'DELETE_FEATURE',
    command: () => archiveFeatures,
    input: ({ project, feature }) => ({ project, names: [feature] }),
    payload: () => ({}),
  },
  addDependency: {
    subject: 'feature',
    permission: 'UPDATE_FEATURE_DEPENDENCY',
    command: () => addDependency,
    input: ({ project, feature }, payload) => ({
      project,
      child: feature,
      parent: membersOf(payload).feature,
      enabled: membersOf(payload).enabled ?? true,
      variants: membersOf(payload).variants ?? [],
    }),
    payload: ({ parent, enabled, variants }) => ({ feature: parent, enabled, variants }),
  },
  deleteDependency: {
    subject: 'feature',
    permission: 'UPDATE_FEATURE_DEPENDENCY',
    command: ({ feature }) => (feature === undefined ? removeDependencies : removeDependency),
    input: ({ project, feature }, payload) => ({
      project,
      child: feature,
      ...(membersOf(payload).feature !== undefined && { parent: membersOf(payload).feature }),
    }),
    payload: ({ parent }) => (parent === undefined ? {} : { feature: parent }),
  },
  updateSegment: {
    subject: 'segment',
    permission: null,
    command: () => updateSegment,
    input: (_location, payload) => pickFields(payload, ['id', ...Object.keys(SegmentFields)]),
    payload: (input) => input,
  },
  deleteSegment: {
    subject: 'segment',
    permission: null,
    command: () => deleteSegment,
    input: (_location, payload) => pickFields(payload, ['id']),
    payload: (input) => input,
  },
};

/** A caller who requests changes needs at least one of these permissions, whatever the changes are. */
export const CHANGE_PERMISSIONS = [
  'UPDATE_FEATURE_ENVIRONMENT',
  'CREATE_FEATURE_STRATEGY',
  'UPDATE_FEATURE_STRATEGY',
  'DELETE_FEATURE_STRATEGY',
  'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
  'DELETE_FEATURE',
  'UPDATE_FEATURE_DEPENDENCY',
  'UPDATE_SEGMENT',
  'DELETE_SEGMENT',
  'UPDATE_PROJECT_SEGMENT',
] as const satisfies readonly Permission[];

/** Whether the action changes a flag or a segment. */
export function subjectOf(action: ChangeAction): 'feature' | 'segment' {
  return ACTIONS[action].subject;
}

/** The permission that the caller needs to request the change; null if only the command of the change checks permissions. */
export function permissionFor(action: ChangeAction): Permission | null {
  return ACTIONS[action].permission;
}

/** The change in the form in which it was requested. */
export function payloadOf({ action, input }: Pick<RequestedChange, 'action' | 'input'>): unknown {
  return ACTIONS[action].payload(membersOf(input));
}

/** A command with an input that conforms to its schema. */
export interface ReadyCommand {
  readonly command: AnyCommand;
  readonly input: Members;
}

/** Returns the command for an action with this payload, or a rejection if the payload does not conform to the action. */
export function* commandFor(
  action: ChangeAction,
  location: RequestedLocation,
  payload: unknown,
): Steps<ReadyCommand | Rejection> {
  const definition = ACTIONS[action];
  if (definition.subject === 'feature' && location.feature === null) {
    return invalid(`The action ${action} needs the name of a flag.`, '/feature');
  }
  const command = definition.command(membersOf(payload));
  const input = definition.input(location, payload);
  const problem = yield* validateInSteps(command.input, input, 'payload');
  if (!problem) return { command, input };
  const mended = membersOf(yield* convertedInSteps(command.input, input));
  return (yield* validateInSteps(command.input, mended, 'payload')) ?? { command, input: mended };
}

/** Returns the command of a stored change, or a rejection if this version of Burgee does not accept its input any more. */
export function* commandOfStoredChange({
  action,
  command: name,
  input,
}: RequestedChange): Steps<ReadyCommand | Rejection> {
  const definition = ACTIONS[action];
  const command = definition.command(membersOf(definition.payload(membersOf(input))));
  if (command.name !== name)
    return invalid(`The change ${action} was stored by a version that ran it with the command ${name}.`);
  const problem = yield* validateInSteps(command.input, input, 'input');
  return problem ?? { command, input: membersOf(input) };
}

/** The properties of the value. A value that is not an object has none; the command's schema then refuses the input. */
function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of a strategy as a request may send them. `commandFor` converts values of other types. */
function strategyFields(payload: unknown): Members {
  return pickFields(payload, STRATEGY_FIELDS);
}

/** A copy of the value that has only the named properties. */
function pickFields(value: unknown, names: readonly string[]): Members {
  const members = membersOf(value);
  return Object.fromEntries(
    names.flatMap((name) =>
      Object.hasOwn(members, name) && members[name] !== undefined ? [[name, members[name]]] : [],
    ),
  );
}
