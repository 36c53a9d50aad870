import type { WhenRemoved } from '../../engine/command.ts';
import { endChangesOfFeatures, endRequestsOfEnvironment, removeRequestsOfProject } from './endings.ts';
import { endRequestsOfUser, suspendSchedulesOfFeature, suspendSchedulesOfProject } from './schedule.ts';

export const whenRemoved: WhenRemoved = {
  // Before the flags: for single flags, only their changes would be removed from the requests.
  allFlagsOfProject: removeRequestsOfProject,
  archivedProject: suspendSchedulesOfProject,
  projectEnvironment: endRequestsOfEnvironment,
  user: endRequestsOfUser,
  flags: endChangesOfFeatures,
  archivedFlag: suspendSchedulesOfFeature,
};
