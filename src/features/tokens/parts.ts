import type { Services } from '../services.ts';
import { TokenUseRecorder } from './token-use-recorder.ts';

/** Creates the recorder that stores when tokens were last used. Returns no parts, because no other part uses the recorder. */
export function tokenParts({
  tokens,
  userCredentials,
  loginGuard,
  writer,
  clock,
  logger,
  components,
}: Services): object {
  const recorder = new TokenUseRecorder(tokens, writer, clock, logger, {
    takeUsedSecrets: () => userCredentials.takeUsedSecrets(),
    token: (stored) => userCredentials.token(stored),
    takeWrong: () => loginGuard.takeWrong(),
  });
  components.add({ name: 'use of tokens', dependsOn: ['counts', 'writer'], close: () => recorder.close() });
  return {};
}
