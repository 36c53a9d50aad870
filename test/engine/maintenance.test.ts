import { expect, it } from 'vitest';
import { Rejection } from '../../src/base/rejection.ts';
import { atOnce } from '../../src/base/yield-control.ts';
import { decide } from '../../src/engine/decision.ts';
import { loadGuards } from '../../src/features/guards.ts';
import { DEFAULT_LIMITS } from '../../src/features/modules.ts';
import { type Caller, NOBODY, systemCaller } from '../../src/model/caller.ts';
import { State } from '../../src/state/state.ts';
import { ACCEPTED_INPUTS, seedWorld } from '../support/command-world.ts';
import { commitOf } from '../support/random-state.ts';
import { COMMANDS } from '../support/stored-commands.ts';

const GUARDS = await loadGuards();

const NOW = '2026-01-01T00:00:00.000Z';

/** The caller of a request with an admin token. */
const ADMIN: Caller = {
  ...NOBODY,
  kind: 'admin',
  author: { id: -42, name: 'admin' },
  grant: { required: ['ADMIN'], project: null, environment: null },
};

function worldInMaintenance(): State {
  const state = new State();
  const world = seedWorld(state);
  world.put('settings', { name: 'maintenance', value: 'on' });
  state.apply(commitOf(state, world.changes()));
  return state;
}

function outcomesOf(caller: Caller, state: State): Map<string, string> {
  const outcomes = new Map<string, string>();
  for (const command of COMMANDS) {
    const order = { command, input: ACCEPTED_INPUTS[command.name], caller };
    const [outcome] = atOnce(decide([order], state, NOW, { guards: GUARDS, limits: DEFAULT_LIMITS })).outcomes;
    const rejection = outcome?.kind === 'rejected' && outcome.rejection;
    outcomes.set(command.name, rejection instanceof Rejection ? rejection.name : (outcome?.kind ?? ''));
  }
  return outcomes;
}

it('In maintenance every command of a request is refused, except ending maintenance and ending sessions', () => {
  const taken = new Set<string>();
  for (const [name, outcome] of outcomesOf(ADMIN, worldInMaintenance())) {
    if (outcome !== 'ServiceUnavailableError') taken.add(name);
  }
  expect([...taken].sort()).toEqual(['end-other-sessions', 'end-session', 'set-maintenance']);
});

it('In maintenance the internal commands of the service, and signing on, are accepted', () => {
  const outcomes = outcomesOf(systemCaller(), worldInMaintenance());
  const refused = [...outcomes].filter(([, outcome]) => outcome === 'ServiceUnavailableError').map(([name]) => name);
  expect(refused.sort(), 'only commands of users with a link').toEqual(['sign-up', 'use-password-link']);
  for (const name of ['mark-tokens-seen', 'open-session', 'sign-on']) expect(outcomes.get(name), name).toBe('accepted');
});
