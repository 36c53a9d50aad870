import { SCIM_SETTINGS } from '../../src/model/scim.ts';
import { hashedSecret } from '../../src/model/token-secret.ts';
import { prepare } from './admin.ts';
import { SCIM_TOKEN, type TestService } from './service.ts';

const AT = '2026-01-01T00:00:00.000Z';

export const SCIM_USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const SCIM_GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const SCIM_PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** Switches SCIM on with `SCIM_TOKEN`, without the routes. */
export function allowScim(service: TestService): Promise<void> {
  return prepare(service, (draft) => {
    draft.put('scimTokens', { secret: hashedSecret(SCIM_TOKEN), createdAt: AT, createdBy: 'test' });
    draft.put('scimSettings', { id: SCIM_SETTINGS, enabled: true, defaultRootRole: null });
  });
}

/** The body of a PATCH. */
export function patchOf(...operations: readonly object[]) {
  return { schemas: [SCIM_PATCH], Operations: operations };
}

/** Calls an operation of SCIM, and expects a refusal that changes nothing, with this status and kind of error. */
export async function scimRefused(
  service: TestService,
  operationId: string,
  [status, scimType]: readonly [status: number, scimType?: string],
  options: Parameters<TestService['call']>[1] = {},
) {
  const { state } = service.running.services;
  const { seq } = state;
  const answer = await service.call(operationId, options);
  const { body } = answer;
  if (answer.status !== status || body?.scimType !== scimType || body.status !== String(status))
    throw new Error(`${operationId} answered ${answer.status} instead of ${status} ${scimType}: ${answer.text}`);
  if (state.seq !== seq) throw new Error(`${operationId} changed the state`);
  return answer;
}
