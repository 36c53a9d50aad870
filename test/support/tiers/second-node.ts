import { testFiles } from './test-files.ts';

/**
 * `.ci/run` runs `npm test` on the machine's Node, with TEST_SCOPE=node again on the Node that most people have, and with TEST_SCOPE=front on one more,
 * where the front of Node serves. These runs leave out what does not depend on Node or on the front: rules of flags, projects, people and plans, reached by function calls or by plain JSON requests.
 * What depends on them stays: HTTP, TLS, streams, sign-on, stores, replicas, relays, threads, processes, evaluation (regular expressions, dates) and
 * SDKs. New folders are not left out.
 */
export const SAME_ON_EVERY_NODE: readonly string[] = [
  'test/access/',
  'test/bench/benches.test.ts',
  'test/processes/soak/verdict.test.ts',
  'test/console/',
  'test/contract/',
  'test/deploy/',
  'test/engine/',
  'test/features/',
  'test/http/openapi.test.ts',
  'test/http/walks/access.test.ts',
  'test/http/walks/openapi-described.test.ts',
  'test/products/migrate/',
  'test/products/mirror/',
  'test/products/program/find-flags/',
  'test/repository/architecture.test.ts',
  'test/repository/plain-language.test.ts',
  'test/repository/readme.test.ts',
  'test/repository/support.test.ts',
  'test/state/',
  'test/views/',
];

/** Files and folders in those folders that run on every Node: streams, sockets that stall, threads, hashing, compression, files. */
export const IN_THEM_BUT_OF_NODE: readonly string[] = [
  'test/engine/local-copy.test.ts',
  'test/engine/snapshotter.test.ts',
  'test/features/addons/',
  'test/features/bulk/',
  'test/features/change-stream/change-stream.test.ts',
  'test/features/client/client-streaming.test.ts',
  'test/features/console/',
  'test/features/documentation/',
  'test/features/events/event-text.test.ts',
  'test/features/frontend/frontend-streaming.test.ts',
  'test/features/frontend/stalled-browsers.test.ts',
  'test/features/mcp/http.test.ts',
  'test/features/mcp/revisions.test.ts',
  'test/features/sign-on/',
  'test/features/telemetry/',
  'test/features/propagation/propagation-stream.test.ts',
  'test/products/migrate/resume.test.ts',
  'test/products/mirror/',
  'test/views/payload/',
];

/** What depends on Node and not on the front, so that one newer version of Node is enough: folders that are left out with TEST_SCOPE=front. */
export const SAME_ON_EVERY_FRONT: readonly string[] = [
  'test/base/',
  'test/evaluation/',
  'test/features/addons/',
  'test/features/sign-on/',
  'test/processes/',
  'test/products/demo/',
  'test/products/maintenance/',
  'test/products/migrate/',
  'test/products/mirror/',
  'test/products/offline/',
  'test/products/program/',
  'test/repository/',
  'test/stores/redis/',
];

/** The files of `npm test` that are left out on another version of Node; paths from the repository's root. */
export function testsSameOnEveryNode(): string[] {
  return testFiles().filter(isSameOnEveryNode);
}

/** The files of `npm test` that are left out where only the front matters, and that LMDB can be loaded. */
export function testsSameOnEveryFront(): string[] {
  return testFiles().filter(
    (file) => isSameOnEveryNode(file) || SAME_ON_EVERY_FRONT.some((one) => file.startsWith(one)),
  );
}

function isSameOnEveryNode(file: string): boolean {
  return (
    file.endsWith('.test.ts') &&
    SAME_ON_EVERY_NODE.some((one) => file.startsWith(one)) &&
    !IN_THEM_BUT_OF_NODE.some((one) => file.startsWith(one))
  );
}
