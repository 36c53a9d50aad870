import type { Services } from '../services.ts';
import { UsageRecorder } from './use-recorder.ts';

/** Creates the recorder that stores when tokens were last used. No other part depends on the recorder. */
export function tokenParts({
  tokens,
  userCredentials,
  loginGuard,
  writer,
  clock,
  logger,
  components,
}: Services): object {
  const recorder = new UsageRecorder(tokens, writer, clock, logger, {
    takeSeen: () => userCredentials.takeSeen(),
    token: (stored) => userCredentials.token(stored),
    takeWrong: () => loginGuard.takeWrong(),
  });
  components.add({ name: 'use of tokens', dependsOn: ['counts', 'writer'], close: () => recorder.close() });
  return {};
}
