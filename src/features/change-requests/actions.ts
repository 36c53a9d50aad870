import { invalid, type Rejection } from '../../base/rejection.ts';
import { validateInSteps } from '../../base/validation.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { AnyCommand } from '../../engine/command.ts';
import type { Permission } from '../../model/permission.ts';
import { asText, StrategyInput } from '../../model/strategy.ts';
import { archiveFeatures } from '../flags/archive/commands.ts';
import { addDependency, removeDependencies, removeDependency } from '../flags/dependencies/commands.ts';
import { switchFeatures } from '../flags/environments/commands.ts';
import { addStrategy, removeStrategy, sortStrategies, updateStrategy } from '../flags/strategies/commands.ts';
import { setVariants } from '../flags/variants/commands.ts';
import { deleteSegment, SegmentFields, updateSegment } from '../segments/commands.ts';
import type { ChangeAction, RequestedChange } from './change-request.ts';

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
  readonly of: 'feature' | 'segment';
  /**
   * The permission that the same change needs outside a change request, in the environment or in the project. Null for segments, whose commands check
   * permissions themselves.
   */
  readonly permission: Permission | null;
  /** Returns the command for this payload. */
  command(payload: Members): AnyCommand;
  input(location: RequestedLocation, payload: unknown): Members;
  payload(input: Members): unknown;
}

const STRATEGY_FIELDS = Object.keys(StrategyInput.properties);

const inEnvironment = ({ project, environment, feature }: RequestedLocation) => ({
  project,
  featureName: feature,
  environment,
});

const ACTIONS: Readonly<Record<ChangeAction, Action>> = {
  updateEnabled: {
    of: 'feature',
    permission: 'UPDATE_FEATURE_ENVIRONMENT',
    command: () => switchFeatures,
    input: ({ project, environment, feature }, payload) => ({
      ...{ project, names: [feature], environment, enabled: membersOf(payload).enabled },
      activateDisabledStrategies: membersOf(payload).shouldActivateDisabledStrategies ?? false,
    }),
    payload: ({ enabled, activateDisabledStrategies }) => ({
      enabled,
      ...(activateDisabledStrategies === true && { shouldActivateDisabledStrategies: true }),
    }),
  },
  addStrategy: {
    of: 'feature',
    permission: 'CREATE_FEATURE_STRATEGY',
    command: () => addStrategy,
    input: (location, payload) => ({ ...inEnvironment(location), strategy: strategyFields(payload) }),
    payload: ({ strategy }) => strategy,
  },
  updateStrategy: {
    of: 'feature',
    permission: 'UPDATE_FEATURE_STRATEGY',
    command: () => updateStrategy,
    input: (location, payload) => ({
      ...inEnvironment(location),
      strategyId: membersOf(payload).id,
      changes: strategyFields(payload),
    }),
    payload: ({ strategyId, changes }) => ({ id: strategyId, ...membersOf(changes) }),
  },
  deleteStrategy: {
    of: 'feature',
    permission: 'DELETE_FEATURE_STRATEGY',
    command: () => removeStrategy,
    input: (location, payload) => ({ ...inEnvironment(location), strategyId: membersOf(payload).id }),
    payload: ({ strategyId }) => ({ id: strategyId }),
  },
  reorderStrategy: {
    of: 'feature',
    permission: 'UPDATE_FEATURE_STRATEGY',
    command: () => sortStrategies,
    input: (location, payload) => ({
      ...inEnvironment(location),
      order: Array.isArray(payload) ? payload.map((item) => only(item, ['id', 'sortOrder'])) : payload,
    }),
    payload: ({ order }) => order,
  },
  patchVariant: {
    of: 'feature',
    permission: 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
    command: () => setVariants,
    input: ({ project, environment, feature }, payload) => ({
      ...{ project, featureName: feature, environments: [environment] },
      variants: membersOf(payload).variants,
    }),
    payload: ({ variants }) => ({ variants }),
  },
  archiveFeature: {
    of: 'feature',
    permission: 'DELETE_FEATURE',
    command: () => archiveFeatures,
    input: ({ project, feature }) => ({ project, names: [feature] }),
    payload: () => ({}),
  },
  addDependency: {
    of: 'feature',
    permission: 'UPDATE_FEATURE_DEPENDENCY',
    command: () => addDependency,
    input: ({ project, feature }, payload) => ({
      ...{ project, child: feature, parent: membersOf(payload).feature },
      ...{ enabled: membersOf(payload).enabled ?? true, variants: membersOf(payload).variants ?? [] },
    }),
    payload: ({ parent, enabled, variants }) => ({ feature: parent, enabled, variants }),
  },
  deleteDependency: {
    of: 'feature',
    permission: 'UPDATE_FEATURE_DEPENDENCY',
    command: ({ feature }) => (feature === undefined ? removeDependencies : removeDependency),
    input: ({ project, feature }, payload) => ({
      ...{ project, child: feature },
      ...(membersOf(payload).feature !== undefined && { parent: membersOf(payload).feature }),
    }),
    payload: ({ parent }) => (parent === undefined ? {} : { feature: parent }),
  },
  updateSegment: {
    of: 'segment',
    permission: null,
    command: () => updateSegment,
    input: (_place, payload) => only(payload, ['id', ...Object.keys(SegmentFields)]),
    payload: (input) => input,
  },
  deleteSegment: {
    of: 'segment',
    permission: null,
    command: () => deleteSegment,
    input: (_place, payload) => only(payload, ['id']),
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
  return ACTIONS[action].of;
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
  const stated = ACTIONS[action];
  if (stated.of === 'feature' && location.feature === null) {
    return invalid(`The action ${action} needs the name of a flag.`, '/feature');
  }
  const command = stated.command(membersOf(payload));
  const input = stated.input(location, payload);
  const problem = yield* validateInSteps(command.input, input, 'payload');
  return problem ?? { command, input };
}

/** Returns the command of a stored change, or a rejection if this version of Burgee does not accept its input any more. */
export function* storedChange({ action, command: name, input }: RequestedChange): Steps<ReadyCommand | Rejection> {
  const stated = ACTIONS[action];
  const command = stated.command(membersOf(stated.payload(membersOf(input))));
  if (command.name !== name)
    return invalid(`The change ${action} was stored by a version that ran it with the command ${name}.`);
  const problem = yield* validateInSteps(command.input, input, 'input');
  return problem ?? { command, input: membersOf(input) };
}

function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of a strategy as a request may send them. */
function strategyFields(payload: unknown): Members {
  const fields = only(payload, STRATEGY_FIELDS);
  const { parameters } = fields;
  return isMembers(parameters) ? { ...fields, parameters: asText(parameters) } : fields;
}

/** A copy of the value with only those of the named properties that it has. */
function only(value: unknown, names: readonly string[]): Members {
  const members = membersOf(value);
  return Object.fromEntries(
    names.flatMap((name) =>
      Object.hasOwn(members, name) && members[name] !== undefined ? [[name, members[name]]] : [],
    ),
  );
}
