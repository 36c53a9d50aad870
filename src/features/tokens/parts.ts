import type { Services } from '../services.ts';
import { ExpiryWatch } from './expiry/expiry-watch.ts';
import { TokenUseRecorder } from './token-use-recorder.ts';

interface TokenParts {
  /** Knows the tokens that expire soon. */
  readonly tokenExpiry: ExpiryWatch;
}

declare module '../services.ts' {
  interface FeatureParts extends TokenParts {}
}

/**
 * Creates the recorder that stores when tokens were last used, and the part that warns of tokens that expire soon. If this service gets its tokens
 * from a source, the part does not start, because the source warns.
 */
export function tokenParts({
  state,
  source,
  tokens,
  userCredentials,
  loginGuard,
  writer,
  clock,
  logger,
  components,
}: Services): TokenParts {
  const recorder = new TokenUseRecorder(tokens, writer, clock, logger, {
    takeUsedSecrets: () => userCredentials.takeUsedSecrets(),
    token: (stored) => userCredentials.token(stored),
    takeWrong: () => loginGuard.takeWrong(),
  });
  components.add({ name: 'use of tokens', dependsOn: ['counts', 'writer'], close: () => recorder.close() });
  const tokenExpiry = new ExpiryWatch({ state, writer, clock, logger });
  components.add({
    name: 'expiry of tokens',
    dependsOn: ['writer'],
    ...(!source && { start: () => tokenExpiry.start() }),
    close: () => tokenExpiry.close(),
  });
  return { tokenExpiry };
}
