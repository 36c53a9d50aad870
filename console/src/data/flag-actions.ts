import { api, stated, type Writing, write } from './client.ts';

/** Writes that concern the flag as a whole. */

interface Named {
  readonly project: string;
  readonly name: string;
}

const at = ({ project, name }: Named) => ({ path: { projectId: project, featureName: name } });
const FLAG = '/api/admin/projects/{projectId}/features/{featureName}';

export const setFavorite = (flag: Named, on: boolean): Writing<unknown> =>
  on
    ? write(api.POST(`${FLAG}/favorites`, { params: at(flag) }))
    : write(api.DELETE(`${FLAG}/favorites`, { params: at(flag) }));

export const setStale = ({ project, name }: Named, stale: boolean, reason = '') =>
  write(
    api.POST('/api/admin/projects/{projectId}/stale', {
      params: { path: { projectId: project } },
      headers: stated({ reason }),
      body: { features: [name], stale },
    }),
  );

export const archiveFlag = (flag: Named, reason: string) =>
  write(api.DELETE(FLAG, { params: at(flag), headers: stated({ reason }) }));

export const reviveFlag = ({ name }: Named) =>
  write(api.POST('/api/admin/archive/revive/{featureName}', { params: { path: { featureName: name } } }));

export const deleteFlag = ({ name }: Named, reason: string) =>
  write(
    api.DELETE('/api/admin/archive/{featureName}', {
      params: { path: { featureName: name } },
      headers: stated({ reason }),
    }),
  );
