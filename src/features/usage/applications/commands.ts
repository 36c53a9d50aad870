import Type from 'typebox';
import { type CommandContext, command } from '../../../engine/command.ts';
import { NameReference, Nullable, Text } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import { projectsOfEvent } from '../../shared/projects-of-event.ts';
import { suppliedFields } from '../../shared/supplied-fields.ts';
import { APPLICATION_PROJECTS_MAX, type Application, AppName } from './application.ts';

/** Maximum number of names that one command announces. */
export const ANNOUNCED_MAX = 100;

/**
 * Creates one entry for each new application for which SDKs report, up to the limit. SDKs choose the names of applications freely, so the limit must
 * stop a very large number of names without an error for the senders.
 */
export const announceApplications = command({
  name: 'announce-applications',
  input: Type.Object({
    applications: Type.Array(
      Type.Object({
        appName: AppName,
        projects: Type.Optional(Type.Array(NameReference, { maxItems: APPLICATION_PROJECTS_MAX })),
      }),
      { maxItems: ANNOUNCED_MAX },
    ),
  }),
  decide(context, { applications }) {
    const { draft, limits } = context;
    let remaining = limits.applications - draft.size('applications');
    for (const { appName, projects } of applications) {
      if (remaining <= 0) break;
      if (draft.get('applications', appName)) continue;
      create(context, appName, projects);
      remaining--;
    }
    return undefined;
  },
});

export const ApplicationFields = {
  description: Type.Optional(Nullable(Text)),
  url: Type.Optional(Nullable(Type.String({ maxLength: 2_000, description: 'Page with more information' }))),
  icon: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
  color: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
};

/** Changes the fields that users set for an application. An application for which no SDK has reported yet is created. */
export const updateApplication = command({
  name: 'update-application',
  input: Type.Object({ appName: AppName, ...ApplicationFields }),
  decide(context, { appName, ...changes }) {
    const { draft, now } = context;
    const before = draft.get('applications', appName) ?? create(context, appName);
    const after: Application = { ...before, ...suppliedFields(ApplicationFields, changes), updatedAt: now };
    draft.put('applications', after);
    return after;
  },
});

/** Deletes the entry of an application. It is created again when its SDKs report. A missing entry is no error. */
export const deleteApplication = command({
  name: 'delete-application',
  input: Type.Object({ appName: AppName }),
  decide({ draft }, { appName }) {
    if (draft.get('applications', appName)) draft.remove('applications', appName);
    return undefined;
  },
});

function create({ draft, by, now, emit }: CommandContext, appName: string, projects?: readonly string[]): Application {
  const details = { description: null, url: null, icon: null, color: null };
  const newFields = { appName, createdAt: now, createdBy: by.name, updatedAt: now, ...details };
  const application: Application = { ...newFields, ...(projects && { projects }) };
  draft.put('applications', application);
  for (const project of projectsOfEvent(draft, projects))
    emit({ type: 'application-created', project, data: { appName } });
  return application;
}

/** Whether the limit allows another application, in addition to `waiting` applications that are not created yet. */
export function mayAddApplications(reader: StateReader, limit: number, waiting: number): boolean {
  return reader.size('applications') + waiting < limit;
}
