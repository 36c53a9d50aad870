import type { Target } from './connection.ts';
import { requestBytes } from './connection.ts';
import { ADMIN_TOKEN } from './service.ts';

export const LIST_PATH = '/api/client/features';

/** The request that switches a flag in the environment of the bench's tokens. */
export function switchRequest(target: Target, flag: string, position: 'on' | 'off', project = 'default'): Buffer {
  const path = `/api/admin/projects/${project}/features/${encodeURIComponent(flag)}/environments/development/${position}`;
  return requestBytes('POST', target, path, { authorization: ADMIN_TOKEN });
}
