import Type, { type Static } from 'typebox';
import { DateTime, Nullable } from '../../../model/primitives.ts';
import { presentTemplateMilestone } from '../../flags/plans/present-milestone.ts';
import { TemplateMilestoneSchema } from '../../flags/plans/schemas.ts';
import { answeredFields } from '../../shared/entity-fields.ts';
import { RELEASE_PLAN_LIMITS } from '../limits.ts';
import { milestoneInput, SentMilestone } from '../milestone-schemas.ts';
import { TemplateFields } from './commands.ts';
import { ReleasePlanTemplate } from './template.ts';

export const TemplateBody = Type.Object(
  {
    name: TemplateFields.name,
    description: TemplateFields.description,
    milestones: Type.Optional(
      Type.Array(SentMilestone, {
        maxItems: RELEASE_PLAN_LIMITS.releaseTemplateMilestones.max,
        description: 'The milestones. An update without them leaves them as they are',
      }),
    ),
  },
  { $id: 'createReleasePlanTemplateSchema' },
);

/** Contract: Release plan template. */
export const TemplateSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the release template, an ULID' }),
    project: Nullable(Type.String({ description: 'The project whose flags can use it; null: all projects' })),
    discriminator: Type.Enum(['template'], { description: 'Distinguishes templates from plans' }),
    ...answeredFields(ReleasePlanTemplate, 'name', 'description'),
    createdByUserId: Type.Integer({ description: 'Id of the user who created it; negative for an admin token' }),
    createdAt: Type.String({ ...DateTime, description: 'When it was created' }),
    archivedAt: Nullable(Type.String({ ...DateTime, description: 'When it was archived; null if it is not' })),
    milestones: Type.Array(TemplateMilestoneSchema, { description: 'In the order in which plans start them' }),
  },
  { $id: 'releasePlanTemplateSchema' },
);

export function templateInput({ name, description, milestones }: Static<typeof TemplateBody>) {
  return { name, description, milestones: milestones?.map(milestoneInput) };
}

export function presentTemplate(template: ReleasePlanTemplate) {
  const { id, project = null, name, description, createdByUserId, createdAt, archivedAt, milestones } = template;
  return {
    id,
    project,
    discriminator: 'template',
    name,
    description,
    createdByUserId,
    createdAt,
    archivedAt,
    milestones: milestones.map((milestone) => presentTemplateMilestone(milestone, id)),
  };
}
