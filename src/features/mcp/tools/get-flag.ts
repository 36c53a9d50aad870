import { ToolError } from './api.ts';
import { projectOf } from './find-project.ts';
import { FlagName, FlagProject, optionalName, tool } from './tool.ts';

interface Flag {
  readonly environments: readonly { readonly name: string }[];
  readonly [field: string]: unknown;
}

/** Fields that say nothing about how the flag behaves. */
const LEFT_OUT = new Set(['favorite', 'collaborators', 'children', 'archived']);

export const getFlag = tool({
  name: 'get_flag',
  title: 'Read one feature flag',
  kind: 'read',
  description:
    'Returns one flag with its environments: whether it is on there, its strategies with constraints, segments and variants, and when it was last used.',
  hint: 'State one environment.',
  input: {
    flag: FlagName,
    project: FlagProject,
    environment: optionalName('Only the settings in this environment. Default: in all environments'),
  },
  async run({ flag, project, environment }, { api }) {
    const projectId = await projectOf(api, flag, project);
    const params = { projectId, featureName: flag };
    const found = await api.get<Flag>('/api/admin/projects/:projectId/features/:featureName', { params });
    const environments = found.environments.filter(({ name }) => environment === undefined || name === environment);
    if (environment !== undefined && environments.length === 0)
      throw new ToolError('The flag has no such environment. Leave out the environment to see all of them.');
    const fields = Object.entries(found).filter(([name]) => !LEFT_OUT.has(name));
    return { flag: { ...Object.fromEntries(fields), environments } };
  },
});
