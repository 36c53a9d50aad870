import { assert } from '../base/assert.ts';
import { invalid, Rejection } from '../base/rejection.ts';
import { validateLarge } from '../base/validation.ts';
import { createApiToken, deleteApiToken, markTokensSeen, updateApiToken } from './api-token.ts';
import { announceApplications, deleteApplication, updateApplication } from './application.ts';
import { createBanner, deleteBanner, switchBanner, updateBanner } from './banner.ts';
import { bootstrap } from './bootstrap.ts';
import {
  commentChangeRequest,
  discardChange,
  discardChangeRequest,
  editChange,
  renameChangeRequest,
  requestChanges,
} from './change-request.ts';
import { applyDueChangeRequest } from './change-request-applying.ts';
import { configureChangeRequests } from './change-request-config.ts';
import { requestReviewers } from './change-request-reviewers.ts';
import { moveChangeRequest } from './change-request-state.ts';
import type { AnyCommand } from './command.ts';
import {
  createContextField,
  deleteContextField,
  removeLegalValue,
  setLegalValue,
  updateContextField,
} from './context-field.ts';
import { setDefaultStrategy } from './default-strategy.ts';
import { addDependency, removeDependencies, removeDependency } from './dependency.ts';
import {
  createEnvironment,
  deleteEnvironment,
  sortEnvironments,
  switchEnvironment,
  updateEnvironment,
} from './environment.ts';
import { cloneEnvironment } from './environment-clone.ts';
import { recordExport } from './export.ts';
import { favorFeature, favorProject } from './favorite.ts';
import { createFeature, markStale, patchFeature, updateFeature } from './feature.ts';
import { archiveFeatures, deleteFeature, deleteFeatures, reviveFeature, reviveFeatures } from './feature-archive.ts';
import { cloneFeature } from './feature-clone.ts';
import { switchFeatures } from './feature-environment.ts';
import { addLink, removeLink, updateLink } from './feature-link.ts';
import { addTag, removeTag, updateTags, updateTagsOfFeatures } from './feature-tag.ts';
import { setFeatureTypeLifetime } from './feature-type.ts';
import { giveFeedback } from './feedback.ts';
import { setFrontendOrigins } from './frontend-origins.ts';
import { createGroup, deleteGroup, updateGroup } from './group.ts';
import { importFeatures } from './import.ts';
import { advanceLifecycles, completeFeature, uncompleteFeature } from './lifecycle.ts';
import { setMaintenance } from './maintenance.ts';
import { mirror } from './mirror.ts';
import { mirrorTokens } from './mirror-tokens.ts';
import { changeOwnPassword, createPasswordLink, setPassword, usePasswordLink } from './password.ts';
import {
  createPersonalToken,
  createServiceAccountToken,
  deletePersonalToken,
  deleteServiceAccountToken,
  markUsersSeen,
} from './personal-token.ts';
import { markPotentiallyStale } from './potentially-stale.ts';
import { archiveProject, createProject, deleteProject, reviveProject, updateProject } from './project.ts';
import { addProjectAccess, changeProjectRole, setProjectAccess, setProjectRoles } from './project-access.ts';
import { addProjectEnvironment, removeProjectEnvironment } from './project-environment.ts';
import { createRole, deleteRole, updateRole } from './role.ts';
import { createSegment, deleteSegment, updateSegment } from './segment.ts';
import { createServiceAccount, deleteServiceAccount, updateServiceAccount } from './service-account.ts';
import { endOtherSessions, endSession, openSession } from './session.ts';
import { signOn } from './sign-on.ts';
import { setOidcSettings, setPasswordSettings, setSamlSettings } from './sign-on-settings.ts';
import { createSignupToken, signUp, updateSignupToken } from './signup-token.ts';
import { seeSplash } from './splash.ts';
import {
  addStrategy,
  patchStrategy,
  removeStrategy,
  setStrategySegments,
  sortStrategies,
  updateStrategy,
} from './strategy.ts';
import { createStrategyType, deleteStrategyType, deprecateStrategyType, updateStrategyType } from './strategy-type.ts';
import { tellSurplus } from './surplus.ts';
import { createTag, deleteTag } from './tag.ts';
import { createTagType, deleteTagType, updateTagType } from './tag-type.ts';
import { takeOver } from './take-over.ts';
import { createUser, deleteUser, deleteUsers, updateUser } from './user.ts';
import { patchVariants, setVariants, setVariantsEverywhere } from './variant.ts';

/** Every command there is. */
export const COMMANDS: readonly AnyCommand[] = [
  bootstrap,
  createApiToken,
  updateApiToken,
  deleteApiToken,
  markTokensSeen,
  configureChangeRequests,
  requestChanges,
  editChange,
  discardChange,
  discardChangeRequest,
  renameChangeRequest,
  commentChangeRequest,
  moveChangeRequest,
  requestReviewers,
  applyDueChangeRequest,
  announceApplications,
  updateApplication,
  deleteApplication,
  createContextField,
  updateContextField,
  setLegalValue,
  removeLegalValue,
  deleteContextField,
  addDependency,
  removeDependency,
  removeDependencies,
  createEnvironment,
  updateEnvironment,
  switchEnvironment,
  sortEnvironments,
  deleteEnvironment,
  cloneEnvironment,
  recordExport,
  openSession,
  endSession,
  endOtherSessions,
  setPassword,
  changeOwnPassword,
  createPasswordLink,
  usePasswordLink,
  createSignupToken,
  updateSignupToken,
  signUp,
  createPersonalToken,
  deletePersonalToken,
  markUsersSeen,
  createServiceAccount,
  updateServiceAccount,
  deleteServiceAccount,
  createServiceAccountToken,
  deleteServiceAccountToken,
  createFeature,
  updateFeature,
  patchFeature,
  markStale,
  cloneFeature,
  archiveFeatures,
  reviveFeatures,
  deleteFeatures,
  reviveFeature,
  deleteFeature,
  switchFeatures,
  addLink,
  updateLink,
  removeLink,
  advanceLifecycles,
  completeFeature,
  uncompleteFeature,
  addTag,
  updateTags,
  updateTagsOfFeatures,
  createTag,
  deleteTag,
  removeTag,
  importFeatures,
  favorFeature,
  favorProject,
  setFeatureTypeLifetime,
  markPotentiallyStale,
  createProject,
  updateProject,
  archiveProject,
  reviveProject,
  deleteProject,
  setDefaultStrategy,
  addProjectEnvironment,
  removeProjectEnvironment,
  createSegment,
  updateSegment,
  deleteSegment,
  createBanner,
  updateBanner,
  switchBanner,
  deleteBanner,
  seeSplash,
  giveFeedback,
  setMaintenance,
  setFrontendOrigins,
  signOn,
  setSamlSettings,
  setOidcSettings,
  setPasswordSettings,
  addStrategy,
  updateStrategy,
  patchStrategy,
  setStrategySegments,
  removeStrategy,
  sortStrategies,
  createStrategyType,
  updateStrategyType,
  deleteStrategyType,
  deprecateStrategyType,
  createTagType,
  updateTagType,
  deleteTagType,
  setVariants,
  setVariantsEverywhere,
  patchVariants,
  createUser,
  updateUser,
  deleteUser,
  deleteUsers,
  createRole,
  updateRole,
  deleteRole,
  createGroup,
  updateGroup,
  deleteGroup,
  setProjectRoles,
  changeProjectRole,
  addProjectAccess,
  setProjectAccess,
  tellSurplus,
  takeOver,
  mirror,
  mirrorTokens,
];

/** By their names. Two of one name would make what is stored ambiguous. */
export function indexCommands(commands: readonly AnyCommand[]): ReadonlyMap<string, AnyCommand> {
  const byName = new Map<string, AnyCommand>();
  for (const command of commands) {
    assert(!byName.has(command.name), `two commands are called ${command.name}`);
    byName.set(command.name, command);
  }
  return byName;
}

const BY_NAME = indexCommands(COMMANDS);

/** A command together with an input that conforms to its schema: what can be decided. */
export interface StoredCommand {
  readonly command: AnyCommand;
  readonly input: unknown;
}

/**
 * The command of this name with an input that was stored, or sent, without having passed a request's own checks. Refused when there is no
 * such command (any more), or the input does not conform to its schema (any more).
 */
export async function storedCommand(name: string, input: unknown): Promise<StoredCommand | Rejection> {
  const command = BY_NAME.get(name);
  if (!command) return invalid(`There is no command ${name}.`);
  const problem = await validateLarge(command.input, input, 'input');
  return problem instanceof Rejection ? problem : { command, input };
}
