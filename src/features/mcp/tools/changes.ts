import Type, { type Static } from 'typebox';
import { nameOf } from './tool.ts';

const ACTIONS = [
  'updateEnabled',
  'addStrategy',
  'updateStrategy',
  'deleteStrategy',
  'reorderStrategy',
  'patchVariant',
  'archiveFeature',
  'addDependency',
  'deleteDependency',
  'updateSegment',
  'deleteSegment',
] as const;

/** Maximum number of changes in one call. The service has its own limit, which may be higher. */
const CHANGES_MAX = 20;

const Change = Type.Object(
  {
    action: Type.Enum([...ACTIONS]),
    feature: Type.Optional(nameOf('Name of the flag; left out if a segment is changed')),
    payload: Type.Optional(
      Type.Unknown({
        description:
          'updateEnabled: {"enabled": true}. addStrategy: {"name": "flexibleRollout", "parameters": {"rollout": "50", "stickiness": "default", ' +
          '"groupId": "<flag>"}, "constraints": [], "segments": []}. updateStrategy: {"id": "…"} and the properties to change. deleteStrategy: ' +
          '{"id": "…"}. reorderStrategy: [{"id": "…", "sortOrder": 1}]. patchVariant: {"variants": []}. archiveFeature: nothing. addDependency: ' +
          '{"feature": "<parent>"}. deleteDependency: {"feature": "<parent>"} or nothing. updateSegment: a segment with its "id". deleteSegment: ' +
          '{"id": 1}.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Change = Static<typeof Change>;

export const Changes = Type.Array(Change, {
  minItems: 1,
  maxItems: CHANGES_MAX,
  description: 'Changes in the format of change requests, in order',
});
