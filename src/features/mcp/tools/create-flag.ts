import Type from 'typebox';
import { FlagName, nameOf, Reason, tool } from './tool.ts';

interface Created {
  readonly name: string;
  readonly project: string;
  readonly type: string;
  readonly createdAt: string;
}

export const createFlag = tool({
  name: 'create_flag',
  title: 'Create a feature flag',
  kind: 'create',
  description:
    'Creates a flag that is off in every environment. It has no effect until it is switched on: use propose_change. Names cannot be changed later.',
  hint: '',
  input: {
    flag: FlagName,
    project: nameOf('Id of the project'),
    type: Type.Optional(
      Type.String({
        maxLength: 60,
        description: 'release (default), experiment, operational, kill-switch or permission',
      }),
    ),
    description: Type.Optional(Type.String({ maxLength: 1_000, description: 'What the flag is for' })),
    impressionData: Type.Optional(Type.Boolean({ description: 'Whether SDKs report each evaluation' })),
    reason: Reason,
  },
  async run({ flag, project, type, description, impressionData, reason }, { api }) {
    const body = { name: flag, type, description, impressionData };
    const request = { params: { projectId: project }, body, reason };
    const created = await api.post<Created>('/api/admin/projects/:projectId/features', request);
    const { name, project: projectId, type: createdType, createdAt } = created;
    return { created: { name, project: projectId, type: createdType, createdAt }, enabledIn: [] };
  },
});
