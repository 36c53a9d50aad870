import type { Action, ActionRun, ActionSet } from './action-set.ts';

function paramsOf(project: string, { environment, featureName, milestone }: Action) {
  return { project, environment, featureName, ...(milestone !== undefined && { milestone }) };
}

export function presentActionSet(set: ActionSet) {
  const { id, project, name, description, enabled, actorId, sourceId, filters, createdAt, createdByUserId } = set;
  // `fromEntries` defines own properties, whatever the paths are.
  const payload = Object.fromEntries(filters.map(({ path, ...condition }) => [path, condition]));
  return {
    id,
    project,
    name,
    description,
    enabled,
    actorId,
    match: { source: 'signal-endpoint', sourceId, payload },
    actions: set.actions.map((action) => ({
      id: action.id,
      action: action.action,
      sortOrder: action.id,
      executionParams: paramsOf(project, action),
    })),
    createdAt,
    createdByUserId,
  };
}

export function presentActionRun(run: ActionRun) {
  const { id, actionSetId, signalId, createdAt, updatedAt, state, refusal, repeated, project } = run;
  return {
    id,
    actionSetId,
    signalId,
    createdAt,
    updatedAt,
    state,
    details: refusal,
    repeated,
    actions: run.actions.map((action) => ({
      id: action.id,
      action: action.action,
      executionParams: paramsOf(project, action),
      state: action.state,
      details: action.details,
    })),
  };
}
