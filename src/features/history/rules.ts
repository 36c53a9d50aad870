import type { Collections } from '../../state/collections.ts';
import { undoChangeRequestConfig } from '../change-requests/config.ts';
import { undoContextField } from '../context-fields/commands.ts';
import { undoEnvironment } from '../environments/commands.ts';
import { strategyTypes } from '../flags/strategies/strategy-types.ts';
import { undoTag } from '../flags/tags/tag-commands.ts';
import { tagTypes } from '../flags/tags/tag-types.ts';
import { undoFeatureType } from '../flags/types/commands.ts';
import { banners } from '../instance/banners/banners.ts';
import { undoGroup, undoGroupMember } from '../people/groups/commands.ts';
import { undoRole } from '../people/roles/commands.ts';
import { undoProjectRoles } from '../projects/access.ts';
import { undoDefaultStrategy } from '../projects/default-strategy.ts';
import { undoProject } from '../projects/undo.ts';
import type { UndoRule } from '../shared/undoing.ts';
import type { HISTORY_TYPES } from './kinds.ts';
import { undoFeature } from './undo-flag.ts';
import { undoSegment } from './undo-segment.ts';

/** The collections whose changes can be undone. */
export type UndoneCollection = keyof typeof HISTORY_TYPES;

/** How the changes of each collection are undone. A collection with a recorded past that is missing here does not compile. */
export const UNDO_RULES: { readonly [C in UndoneCollection]: UndoRule<Collections[C]> } = {
  environments: undoEnvironment,
  strategyTypes: strategyTypes.undo,
  tagTypes: tagTypes.undo,
  tags: undoTag,
  featureTypes: undoFeatureType,
  banners: banners.undo,
  projects: undoProject,
  contextFields: undoContextField,
  segments: undoSegment,
  features: undoFeature,
  defaultStrategies: undoDefaultStrategy,
  changeRequestConfigs: undoChangeRequestConfig,
  roles: undoRole,
  groups: undoGroup,
  groupMembers: undoGroupMember,
  projectRoles: undoProjectRoles,
};

/**
 * Entities are changed and created in this order: each after those that it refers to. Rights come last: what an undo gives back does not count for the
 * undo itself.
 */
export const PUT_ORDER = Object.keys(UNDO_RULES) as readonly UndoneCollection[];

/** Entities are removed in this order: each before those that it refers to, and a project before the roles that are deleted with it. */
export const REMOVE_ORDER: readonly UndoneCollection[] = [
  'features',
  'defaultStrategies',
  'changeRequestConfigs',
  'segments',
  'contextFields',
  'projects',
  'projectRoles',
  'groupMembers',
  'groups',
  'roles',
  'strategyTypes',
  'tags',
  'tagTypes',
  'featureTypes',
  'banners',
  'environments',
];
