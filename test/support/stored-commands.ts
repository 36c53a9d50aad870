import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { SERVICE } from '../../src/base/asking/asker.ts';
import { Rejection } from '../../src/base/rejection.ts';
import { validateLarge } from '../../src/base/validation.ts';
import { atOnce, Slicer } from '../../src/base/yield-control.ts';
import { type AnyCommand, type CommandContext, decideInSteps, type NewEvent } from '../../src/engine/command.ts';
import { loadGuards } from '../../src/features/guards.ts';
import { DEFAULT_LIMITS } from '../../src/features/modules.ts';
import { type Caller, systemCaller } from '../../src/model/caller.ts';
import type { StateReader } from '../../src/state/collections.ts';
import { Draft } from '../../src/state/draft.ts';

/** Every command that a file of `src` exports, by the name of the constant. */
async function statedCommands(): Promise<[string, AnyCommand][]> {
  const folder = new URL('../../src/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const found: [string, AnyCommand][] = [];
  for (const file of files.sort()) {
    if (!/\b(?:command|longCommand|resource)\(\{/.test(readFileSync(new URL(file, folder), 'utf8'))) continue;
    for (const [name, value] of Object.entries(await import(new URL(file, folder).href))) {
      if (typeof value === 'object' && value !== null && 'decide' in value) found.push([name, value as AnyCommand]);
    }
  }
  return found;
}

export const STATED_COMMANDS: readonly (readonly [constant: string, command: AnyCommand])[] = await statedCommands();

/** All commands. */
export const COMMANDS: readonly AnyCommand[] = STATED_COMMANDS.map(([, command]) => command);

/** The command of this name. */
export function commandOf(name: string): AnyCommand {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (!command) throw new Error(`there is no command ${name}`);
  return command;
}

/** The result of deciding a command: answer, changes and events, or the rejection. As JSON, so that it can be compared. */
interface Outcome {
  readonly accepted: boolean;
  readonly text: string;
}

const WHEN_REMOVED = (await loadGuards()).flatMap(({ whenRemoved = [] }) => whenRemoved);

/** A context with the same time and ids every time, which records events. */
export function contextOf(draft: Draft, caller: Caller, events: NewEvent[]): CommandContext {
  let ids = 0;
  const newId = () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`;
  const emit = (event: NewEvent) => void events.push(event);
  return {
    draft,
    caller,
    by: caller.author,
    now: '2026-02-03T04:05:06.789Z',
    newId,
    emit,
    limits: DEFAULT_LIMITS,
    whenRemoved: WHEN_REMOVED,
  };
}

/** Decides a command on its own draft, with the same time and ids every time. */
export function outcomeOf(reader: StateReader, command: AnyCommand, input: unknown, caller: Caller): Outcome {
  const draft = new Draft(reader);
  const events: NewEvent[] = [];
  const value = atOnce(decideInSteps(command, contextOf(draft, caller, events), input));
  const accepted = !(value instanceof Rejection);
  return { accepted, text: JSON.stringify(accepted ? { value, changes: draft.changes(), events } : value) };
}

/**
 * The problem with the way in which a command and its input would be stored; undefined when the stored command has the same result as the direct one. An
 * input may be refused when it is read only if it is also refused when it is decided. `decidesAlike`: also decides an input that is read as it was written.
 */
export async function storageProblem(
  reader: StateReader,
  command: AnyCommand,
  input: unknown,
  caller: Caller = systemCaller(),
  { decidesAlike = true } = {},
): Promise<string | undefined> {
  const stored: unknown = JSON.parse(JSON.stringify(input));
  const problem = await validateLarge(command.input, stored, 'input', Slicer.of(SERVICE));
  if (!problem && !decidesAlike && isDeepStrictEqual(stored, input)) return undefined;
  // Both decisions are made on the same state: other writers may change it in the pause above.
  const direct = outcomeOf(reader, command, input, caller);
  if (problem) return direct.accepted ? `${command.name}: cannot be read again: ${problem.message}` : undefined;
  const later = outcomeOf(reader, command, stored, caller);
  if (later.text === direct.text) return undefined;
  return `${command.name}: decided ${direct.text.slice(0, 1000)}, but when stored ${later.text.slice(0, 1000)}`;
}

/** Whether it is a command of the service, not one that a test defines. */
export function isCommand(candidate: unknown): candidate is AnyCommand {
  return (COMMANDS as readonly unknown[]).includes(candidate);
}
