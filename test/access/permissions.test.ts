import { beforeAll, describe, expect, it } from 'vitest';
import { Rejection } from '../../src/base/rejection.ts';
import { atOnce, type Steps } from '../../src/base/yield-control.ts';
import { DEFAULT_LIMITS } from '../../src/features/modules.ts';
import { endpoints } from '../../src/features/registry.ts';
import { type Caller, NOBODY, systemCaller } from '../../src/model/caller.ts';
import { Draft } from '../../src/state/draft.ts';
import { State } from '../../src/state/state.ts';
import { ACCEPTED_INPUTS, seedWorld } from '../support/command-world.ts';
import { commandOf } from '../support/stored-commands.ts';

/** By route: the command that checks the permission itself, because only it has the project or the environment. */
const COMMAND_OF: Readonly<Record<string, string>> = {
  validateImport: 'import-features',
  importFeatures: 'import-features',
  reviveFeature: 'revive-feature',
  deleteFeature: 'delete-feature',
  addTag: 'add-tag',
  updateFeatureStrategySegments: 'set-strategy-segments',
  updateTags: 'update-tags',
  removeTag: 'remove-tag',
  overwriteFeatureVariantsOnEnvironments: 'set-variants',
  copyFeatureEnvironment: 'copy-feature-environment',
  createApiToken: 'create-api-token',
  updateApiToken: 'update-api-token',
  deleteApiToken: 'delete-api-token',
  issueEdgeTokens: 'issue-tokens',
  createSegment: 'create-segment',
  updateSegment: 'update-segment',
  removeSegment: 'delete-segment',
  discardChangeRequest: 'discard-change-request',
  changeChangeRequestState: 'move-change-request',
  updateChangeRequestTitle: 'rename-change-request',
  addChangeRequestComment: 'comment-change-request',
  addChangeRequestReviewers: 'request-reviewers',
  editChange: 'edit-change',
  discardChange: 'discard-change',
};

let world: Draft;

beforeAll(() => {
  world = seedWorld(new State());
});

function decide(name: string, caller: Caller): { outcome: unknown; changes: number } {
  const draft = new Draft(world);
  const context = {
    draft,
    caller,
    by: caller.author,
    now: '2026-01-01T00:00:00.000Z',
    newId: () => 'id',
    emit: () => {},
    limits: DEFAULT_LIMITS,
    whenRemoved: [],
  };
  const decided = commandOf(name).decide(context, ACCEPTED_INPUTS[name]);
  const isSteps = Object.prototype.toString.call(decided) === '[object Generator]';
  const outcome = isSteps ? atOnce(decided as Steps<unknown>) : decided;
  return { outcome, changes: draft.changes().length };
}

/** Lists that leave out what the caller may not read (`test/features/tokens/project-api-tokens.test.ts`); they have no command. */
const LISTS = ['getExpiringApiTokens'];

describe('a command that checks the permission for its project itself', () => {
  it('belongs to each route that takes the project or the environment from the body or the entity', () => {
    const deferred = endpoints.filter(
      ({ access }) =>
        access.permission !== 'READ' &&
        [access.project, access.environment].some((source) => /^(body|entity)\./.test(source ?? '')),
    );
    expect(deferred.map(({ operationId }) => operationId).sort()).toEqual(
      [...Object.keys(COMMAND_OF), ...LISTS].sort(),
    );
  });

  it.each([...new Set(Object.values(COMMAND_OF))])(
    '%s refuses callers without the permission, and changes nothing',
    (name) => {
      for (const kind of ['nobody', 'client', 'frontend'] as const) {
        const { outcome, changes } = decide(name, { ...NOBODY, kind });
        expect(outcome).toBeInstanceOf(Rejection);
        // The draft of another user is reported as absent.
        const expected = name === 'discard-change-request' ? 'NotFoundError' : 'NoAccessError';
        expect([(outcome as Rejection).name, changes]).toEqual([expected, 0]);
      }
      for (const caller of [systemCaller(), { ...NOBODY, kind: 'admin' } as const])
        expect(decide(name, caller).outcome).not.toBeInstanceOf(Rejection);
    },
  );
});
