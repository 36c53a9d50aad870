import Type from 'typebox';
import { conflict, invalid, notFound, Rejection } from '../../base/rejection.ts';
import { isSameJson } from '../../base/same-json.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, command } from '../../engine/command.ts';
import { ALL } from '../../model/api-token.ts';
import { MapOf, Nullable } from '../../model/primitives.ts';
import type { StateReader } from '../../state/collections.ts';
import { ADDON_FIELDS, Addon, attemptKey, NOT_FAILING, StoredParameter } from './addon.ts';
import { maskedParameters } from './parameters.ts';

const FIELDS = {
  ...ADDON_FIELDS,
  parameters: MapOf(StoredParameter),
  /** Id of the newest event at the time of the request. Older events are not sent. */
  lastEventId: Type.Integer({ minimum: 0 }),
};

export function findAddon(reader: StateReader, id: number): Addon | Rejection {
  return reader.get('addons', String(id)) ?? notFound(`There is no integration with the id ${id}.`);
}

export const createAddon = command({
  name: 'create-addon',
  input: Type.Object(FIELDS),
  decide: (context, { lastEventId, ...input }) => addAddon(context, input, lastEventId),
});

/** Stores a new add-on. Events up to `cursor` are not sent. For one that is off, it may be 0: switching on skips what happened until then. */
export function addAddon({ draft, now, emit }: CommandContext, input: Input, cursor: number): Addon {
  const addon: Addon = { id: draft.next('addons'), ...fieldsOf(input), createdAt: now };
  draft.put('addons', addon);
  draft.put('addonDeliveries', {
    id: addon.id,
    cursor,
    recorded: 0,
    delivered: 0,
    parkedAt: null,
    lease: null,
    ...NOT_FAILING,
  });
  emit({ type: 'addon-config-created', data: shown(addon) });
  return addon;
}

/** A rejection if a filter of an add-on names a project or an environment that does not exist. */
export function filterProblem(
  reader: StateReader,
  { projects, environments }: Pick<Addon, 'projects' | 'environments'>,
): Rejection | undefined {
  const missing = projects.findIndex((id) => id !== ALL && !reader.get('projects', id));
  if (missing >= 0) return invalid(`The project ${projects[missing]} does not exist.`, `/projects/${missing}`);
  const unknown = environments.findIndex((name) => name !== ALL && !reader.get('environments', name));
  if (unknown >= 0)
    return invalid(`The environment ${environments[unknown]} does not exist.`, `/environments/${unknown}`);
  return undefined;
}

export const updateAddon = command({
  name: 'update-addon',
  input: Type.Object({
    id: Addon.properties.id,
    ...FIELDS,
    /** The stored parameters of which the input keeps secrets; null if it keeps none. */
    keptFrom: Nullable(MapOf(StoredParameter)),
  }),
  decide(context, { id, lastEventId, keptFrom, ...input }) {
    const before = findAddon(context.draft, id);
    if (before instanceof Rejection) return before;
    if (keptFrom && !isSameJson(keptFrom, before.parameters))
      return conflict('The parameters of the integration were changed meanwhile. Read them, and repeat the request.');
    const after: Addon = { ...before, ...fieldsOf(input) };
    replace(context, before, after);
    if (after.enabled) resume(context, after, before.enabled ? undefined : lastEventId);
    return after;
  },
});

export const deleteAddon = command({
  name: 'delete-addon',
  input: Type.Object({ id: Addon.properties.id }),
  decide({ draft, emit }, { id }) {
    const addon = findAddon(draft, id);
    if (addon instanceof Rejection) return addon;
    for (const { addon: of, number } of [...draft.lookup('attemptsByAddon', String(id))])
      draft.remove('addonAttempts', attemptKey(of, number));
    if (draft.get('addonDeliveries', String(id))) draft.remove('addonDeliveries', String(id));
    draft.remove('addons', String(id));
    emit({ type: 'addon-config-deleted', preData: shown(addon) });
    return undefined;
  },
});

/** A deleted project is removed from the filters. An add-on that has no other project is switched off, because an empty filter means all projects. */
export function* takeProjectFromAddons(context: CommandContext, project: string): Steps<void> {
  for (const addon of [...context.draft.values('addons')]) {
    take(context, addon, 'projects', project);
    yield;
  }
}

/** Same as `takeProjectFromAddons`, for a deleted environment. */
export function* takeEnvironmentFromAddons(context: CommandContext, environment: string): Steps<void> {
  for (const addon of [...context.draft.values('addons')]) {
    take(context, addon, 'environments', environment);
    yield;
  }
}

function take(context: CommandContext, addon: Addon, filter: 'projects' | 'environments', name: string): void {
  if (!addon[filter].includes(name)) return;
  const rest = addon[filter].filter((each) => each !== name);
  // The last name stays, so that an add-on that is switched on again does not send the events of all projects.
  const after = rest.length === 0 ? { ...addon, enabled: false } : { ...addon, [filter]: rest };
  if (rest.length > 0 || addon.enabled) replace(context, addon, after);
}

function replace({ draft, emit }: CommandContext, before: Addon, after: Addon): void {
  draft.put('addons', after);
  emit({ type: 'addon-config-updated', data: shown(after), preData: shown(before) });
}

/**
 * Ends a pause after failures, and a parking: a change may have repaired the cause. `cursor`: the add-on was switched off; events that happened
 * meanwhile are not sent.
 */
function resume({ draft }: CommandContext, { id }: Addon, cursor: number | undefined): void {
  const delivery = draft.get('addonDeliveries', String(id));
  if (!delivery) return;
  const at = cursor === undefined ? {} : { cursor: Math.max(cursor, delivery.cursor) };
  draft.put('addonDeliveries', { ...delivery, ...NOT_FAILING, parkedAt: null, ...at });
}

type Input = Omit<Addon, 'id' | 'createdAt'>;

/** Copies only the fields of an add-on. */
function fieldsOf({ provider, description, enabled, events, projects, environments, parameters }: Input): Input {
  const copied = Object.entries(parameters).map(([name, value]) => [
    name,
    'sealed' in value ? { sealed: value.sealed } : { plain: value.plain },
  ]);
  return {
    provider,
    description,
    enabled,
    parameters: Object.fromEntries(copied),
    events: distinct(events),
    projects: distinct(projects),
    environments: distinct(environments),
  };
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

/** The add-on for the audit log, without secrets. Its name in summaries is that of the provider, and its description. */
function shown({ parameters, ...addon }: Addon): object {
  return { ...addon, parameters: maskedParameters(parameters) };
}
