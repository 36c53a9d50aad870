import type { Services } from '../services.ts';
import { LoginGuard } from './login-guard.ts';
import { Passwords } from './passwords/hashing.ts';
import { SignOn } from './providers/sign-on.ts';

interface SignOnParts {
  readonly passwords: Passwords;
  readonly loginGuard: LoginGuard;
  readonly signOn: SignOn;
}

declare module '../services.ts' {
  interface FeatureParts extends SignOnParts {}
}

export function signOnParts({ config, clock, logger, store, counts, replacements, components }: Services): SignOnParts {
  const signOn = new SignOn(config, logger);
  components.add({ name: 'sign-on', close: () => signOn.close() });
  return {
    passwords: replacements.passwords ?? new Passwords(),
    loginGuard: new LoginGuard(store.counters, counts, clock, logger),
    signOn,
  };
}
