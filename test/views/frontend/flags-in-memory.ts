import { Rejection } from '../../../src/base/rejection.ts';
import type { SdkContext } from '../../../src/model/context.ts';
import type { Feature } from '../../../src/model/feature.ts';
import type { Change } from '../../../src/state/commit.ts';
import { State } from '../../../src/state/state.ts';
import { FlagViews } from '../../../src/views/flags/flag-views.ts';
import { StreamContext } from '../../../src/views/frontend/stream-context.ts';
import { flag, projectOf, switchedOn } from '../../support/admin.ts';
import { commitOf } from '../../support/random-state.ts';

export const SCOPE = { environment: 'development', projects: null };

/** The flags of one environment, without a service: for tests of many changes. */
export class FlagsInMemory {
  readonly state = new State();
  readonly views = new FlagViews(this.state);

  constructor(...projects: readonly string[]) {
    const development = { name: 'development', type: 'development', enabled: true, protected: false, sortOrder: 1 };
    this.state.load('environments', 'development', development);
    for (const id of ['default', ...projects]) this.state.load('projects', id, projectOf(id));
  }

  /** Commits the changes. */
  change(...changes: readonly Change[]): void {
    this.views.apply(this.state.apply(commitOf(this.state, changes)));
  }

  put(...features: readonly Feature[]): void {
    this.change(...features.map((entity): Change => ({ collection: 'features', key: entity.name, entity })));
  }

  remove(name: string): void {
    this.change({ collection: 'features', key: name });
  }

  snapshot() {
    return this.views.snapshotOf(SCOPE);
  }
}

/** A flag that is on for every context that meets the constraints. */
export function onFlag(name: string, constraints: readonly object[] = [], rest: Partial<Feature> = {}): Feature {
  const entry = switchedOn('development');
  const strategies = entry.strategies.map((each) => ({ ...each, constraints: constraints as [] }));
  return flag(name, { environments: [{ ...entry, strategies }], ...rest });
}

/** A flag that is off. */
export function offFlag(name: string): Feature {
  return flag(name, { environments: [{ ...switchedOn('development'), enabled: false }] });
}

/** The context of a stream whose reader sends these fields. */
export function streamContext(sent: SdkContext = {}, draw = 1): StreamContext {
  const context = StreamContext.of(sent, { environment: 'development', remoteAddress: '127.0.0.1', draw });
  if (context instanceof Rejection) throw new Error(context.message);
  return context;
}
