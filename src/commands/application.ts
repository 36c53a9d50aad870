import Type from 'typebox';
import { type Application, AppName } from '../model/application.ts';
import { Nullable, Text } from '../model/primitives.ts';
import type { StateReader } from '../state/collections.ts';
import { type CommandContext, command } from './command.ts';
import { given } from './given.ts';

/** Names that one command announces at most. */
export const ANNOUNCED_MAX = 100;

/**
 * Makes known that SDKs report for these applications, those that are new, each once. As many as the limit has room for: what SDKs call themselves
 * is up to them, so that a flood of names must end somewhere, and may not be an error of those who send it.
 */
export const announceApplications = command({
  name: 'announce-applications',
  input: Type.Object({ names: Type.Array(AppName, { maxItems: ANNOUNCED_MAX }) }),
  decide(context, { names }) {
    const { draft, limits } = context;
    let room = limits.applications - draft.size('applications');
    for (const appName of names) {
      if (room <= 0) break;
      if (draft.get('applications', appName)) continue;
      create(context, appName);
      room--;
    }
    return undefined;
  },
});

export const ApplicationFields = {
  description: Type.Optional(Nullable(Text)),
  url: Type.Optional(Nullable(Type.String({ maxLength: 2_000, description: 'Where people read more of it' }))),
  icon: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
  color: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
};

/** Changes what people say of an application. One that no SDK has reported for yet is made. */
export const updateApplication = command({
  name: 'update-application',
  input: Type.Object({ appName: AppName, ...ApplicationFields }),
  decide(context, { appName, ...changes }) {
    const { draft, now } = context;
    const before = draft.get('applications', appName) ?? create(context, appName);
    const after: Application = { ...before, ...given(ApplicationFields, changes), updatedAt: now };
    draft.put('applications', after);
    return after;
  },
});

/** Forgets an application. It comes back as a new one when its SDKs report again. One that is not there is gone already. */
export const deleteApplication = command({
  name: 'delete-application',
  input: Type.Object({ appName: AppName }),
  decide({ draft }, { appName }) {
    if (draft.get('applications', appName)) draft.remove('applications', appName);
    return undefined;
  },
});

function create({ draft, by, now, emit }: CommandContext, appName: string): Application {
  const facts = { description: null, url: null, icon: null, color: null };
  const application: Application = { appName, createdAt: now, createdBy: by.name, updatedAt: now, ...facts };
  draft.put('applications', application);
  emit({ type: 'application-created', data: { appName } });
  return application;
}

/** Whether another application may be announced. */
export function hasRoomForApplications(reader: StateReader, limit: number, waiting: number): boolean {
  return reader.size('applications') + waiting < limit;
}
