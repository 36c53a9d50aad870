import { testFiles } from './test-files.ts';

/**
 * `.ci/run` runs `npm test` on the machine's Node, and with TEST_SCOPE=node again on another Node. The second run leaves out what does not depend on
 * Node: rules of flags, projects, people and plans, reached by function calls or by plain JSON requests. What depends on Node stays: the HTTP front,
 * TLS, streams, sign-on, stores, replicas, relays, threads, processes, evaluation (regular expressions, dates) and SDKs. New folders are not left out.
 */
export const SAME_ON_EVERY_NODE: readonly string[] = [
  'test/access/',
  'test/actors/',
  'test/api/',
  'test/architecture.test.ts',
  'test/benches.test.ts',
  'test/commands/',
  'test/console/',
  'test/contract/',
  'test/deploy.test.ts',
  'test/find-flags/',
  'test/http/access.test.ts',
  'test/http/openapi-described.test.ts',
  'test/http/openapi.test.ts',
  'test/mcp/tools.test.ts',
  'test/migrate/',
  'test/plain-language.test.ts',
  'test/readme.test.ts',
  'test/soak-verdict.test.ts',
  'test/state/',
  'test/support.test.ts',
  'test/typed-client/',
  'test/views/',
];

/** Files of those folders that run on every Node: streams, sockets that stall, hashing, compression, files. */
export const IN_THEM_BUT_OF_NODE: readonly string[] = [
  'test/actors/local-copy.test.ts',
  'test/actors/snapshotter.test.ts',
  'test/api/change-stream.test.ts',
  'test/api/client-streaming.test.ts',
  'test/api/console.test.ts',
  'test/api/documentation-page.test.ts',
  'test/api/frontend-streaming.test.ts',
  'test/api/passwords.test.ts',
  'test/api/propagation-stream.test.ts',
  'test/api/sessions.test.ts',
  'test/api/stalled-browsers.test.ts',
  'test/commands/mirror.test.ts',
  'test/migrate/resume.test.ts',
  'test/views/payload.test.ts',
];

/** The files of `npm test` that are left out on the second Node; paths from the repository's root. */
export function testsSameOnEveryNode(): string[] {
  return testFiles().filter(
    (file) =>
      file.endsWith('.test.ts') &&
      SAME_ON_EVERY_NODE.some((one) => file.startsWith(one)) &&
      !IN_THEM_BUT_OF_NODE.includes(file),
  );
}
