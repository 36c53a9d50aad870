import { may } from '../../access/may.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Answer } from '../../http/answer.ts';
import { ERRORS } from '../../http/errors.ts';
import type { Caller } from '../../model/caller.ts';
import type { Feature } from '../../model/feature.ts';
import type { ProjectPermission } from '../../model/permission.ts';
import type { StateReader } from '../../state/collections.ts';
import { entryOf } from './declared.ts';

/** The capabilities that clients of the manifest know, with the permissions that they stand for. */
const CAPABILITIES: Readonly<Record<string, readonly ProjectPermission[]>> = {
  read: [],
  write: ['CREATE_FEATURE', 'UPDATE_FEATURE'],
  delete: ['DELETE_FEATURE'],
};

export const CAPABILITIES_HEADER = 'x-manifest-capabilities';

/** The answer, with the header that says what the caller may do with the flags of the project. */
export function withCapabilities(answer: Answer, reader: StateReader, caller: Caller, project: string): Answer {
  const names = Object.keys(CAPABILITIES).filter((name) =>
    CAPABILITIES[name]?.every((permission) => may(reader, caller, permission, project, null)),
  );
  return { ...answer, headers: { ...answer.headers, [CAPABILITIES_HEADER]: names.join(',') } };
}

/** The JSON text of a flag in a manifest. The default value is copied as text, however large it is. */
export function manifestFlagText(feature: Feature, reader: StateReader): string {
  const { type, defaultValue } = entryOf(feature, reader);
  const { name: key, description } = feature;
  return `${JSON.stringify({ key, name: key, type, description }).slice(0, -1)},"defaultValue":${defaultValue}}`;
}

/** The fields of an error that clients of the manifest read. The error also has the fields of every other error. */
export function manifestErrorFields({ name, message, details }: Rejection): Readonly<Record<string, unknown>> {
  const fields = details.map((detail) => ({
    ...(detail.path !== undefined && { field: detail.path.replace(/^\//, '') }),
    message: detail.message,
  }));
  return { error: { message, status: ERRORS[name].status, details: fields } };
}

/** Refuses names of flags that differ from their keys: a name that is not stored would be lost. */
export function nameProblem(key: string, name: string | undefined): Rejection | undefined {
  if (name === undefined || name === key) return undefined;
  return new Rejection('ValidationError', 'Flags have no name beside their key. Leave `name` out, or send the key.', [
    { message: 'This is not the key.', path: '/name' },
  ]);
}
