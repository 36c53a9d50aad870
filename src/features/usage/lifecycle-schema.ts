import Type from 'typebox';
import { DateTime } from '../../model/primitives.ts';
import { LIFECYCLE_STAGES } from './lifecycle.ts';

/** Contract: Feature, `lifecycle`. */
export const LifecycleSchema = Type.Object(
  {
    stage: Type.Enum([...LIFECYCLE_STAGES], { description: 'Stage of the flag’s life cycle' }),
    enteredStageAt: Type.String({ ...DateTime, description: 'When the flag entered the stage' }),
    status: Type.Optional(
      Type.String({ description: 'Only for a completed flag: whether its code was `kept` or `discarded`' }),
    ),
  },
  { description: 'Current stage of the flag’s life cycle' },
);
